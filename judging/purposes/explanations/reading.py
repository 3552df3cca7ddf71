"""The question about one explanation and its answer, with the words that it is drawn from. Pure."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from django.utils.translation import gettext as _
from pydantic import BaseModel, BeforeValidator, ConfigDict, WithJsonSchema

from annotate.kinds.judged import Judged
from annotate.llm.asking import Ask, CallFailed, Prompts, Question
from annotate.llm.causes import Cause
from judging.strategies.base import Shown
from judging.strategies.checklist.words import yes_or_no
from judging.strategies.criteria import worded
from judging.strategies.material import asked

STEP = "found"
MOST_TOKENS = 1024
CALLED = {"": {"en": "the answer", "zh": "该回答"}, "A": {"en": "A", "zh": "回答 A"}, "B": {"en": "B", "zh": "回答 B"}}


def _said(value: Any) -> bool:
    found = yes_or_no(value)
    if found is None:
        raise ValueError("neither yes nor no")
    return found


class Found(BaseModel):
    """quote: the words of the explanation that name the mistake; "" where none do."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": False})

    quote: str
    found: Annotated[bool, BeforeValidator(_said), WithJsonSchema({"type": "string", "enum": ["yes", "no"]})]

    def told(self) -> Iterator[tuple[str, str]]:
        """For pages that compare two wordings of the prompt."""
        yield _("Found in the explanation"), _("yes") if self.found else _("no")
        yield _("Quote"), self.quote


@dataclass(frozen=True)
class Explained:
    """One explanation. called: what the judge calls the perturbed answer, A or B; "" where it saw no other."""

    judged: Judged
    perturbed: str
    gold: str
    explanation: str
    called: str = ""
    language: str = "en"


async def read(explained: Explained, prompts: Prompts, ask: Ask) -> Found:
    """Raises CallFailed, also where the quote does not stand in the explanation: nobody knows then what was found."""
    language = explained.language
    called = CALLED[explained.called]
    wording = worded(prompts.text(STEP, language), {"called": called.get(language, called["en"])})
    shown = Shown(explained.judged, explained.perturbed, reference=explained.gold, language=language)
    messages = asked(wording, shown, explanation=explained.explanation).messages()
    reply = await ask(Question(STEP, messages, Found, temperature=0.0, max_tokens=MOST_TOKENS))
    assert isinstance(reply.read, Found)
    if reply.read.found and not stands_in(reply.read.quote, explained.explanation):
        detail = _("The quote does not stand in the explanation.")
        raise CallFailed(Cause.WRONG_SHAPE, detail, reply.text, step=STEP)
    return reply.read


def stands_in(quote: str, text: str) -> bool:
    """Whatever the blanks, quotes and case; parts between dots may stand apart."""
    whole = _plain(text)
    parts = [part for part in map(_plain, re.split(r"\.{3}|…", quote)) if part]
    return bool(parts) and all(part in whole for part in parts)


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum())
