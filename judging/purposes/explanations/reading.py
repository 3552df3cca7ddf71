"""The question about one explanation and its answer. Pure.

There are two readers. The published one (FBI, arXiv 2406.13439, 5.3) is shown the explanation and the score only and
says whether it reports a mistake. The strict one is also shown the request and both answers, and has to quote.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from django.utils.translation import gettext as _
from pydantic import BaseModel, BeforeValidator, ConfigDict, WithJsonSchema

from annotate.kinds.causes import Cause
from annotate.kinds.judged import Judged
from annotate.kinds.protocol import Ask, CallFailed, Prompts, Question
from judging.models import Verdict
from judging.strategies.base import Shown
from judging.strategies.checklist.words import yes_or_no
from judging.strategies.criteria import worded
from judging.strategies.material import asked
from lib.texts.fencing import fenced

EXPLANATION_ONLY = Verdict.FoundFrom.EXPLANATION_ONLY.value
ANSWERS_AND_QUOTE = Verdict.FoundFrom.ANSWERS_AND_QUOTE.value
STEPS = {EXPLANATION_ONLY: "named", ANSWERS_AND_QUOTE: "found"}  # what a reader is shown -> its prompt
MOST_TOKENS = 1024
CALLED = {"": {"en": "the answer", "zh": "该回答"}, "A": {"en": "A", "zh": "回答 A"}, "B": {"en": "B", "zh": "回答 B"}}


def _said(value: Any) -> bool:
    answer = yes_or_no(value)
    if answer is None:
        raise ValueError("neither yes nor no")
    return answer


YesOrNo = Annotated[bool, BeforeValidator(_said), WithJsonSchema({"type": "string", "enum": ["yes", "no"]})]


class Named(BaseModel):
    """What the published reader says. reason: why, in a sentence."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": False})

    reason: str
    found: YesOrNo

    def told(self) -> Iterator[tuple[str, str]]:
        """For pages that compare two wordings of the prompt."""
        yield _("Found in the explanation"), _("yes") if self.found else _("no")
        yield _("Explanation"), self.reason


class Found(BaseModel):
    """What the strict reader says. quote: the words of the explanation that name the mistake; "" where none do."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"additionalProperties": False})

    quote: str
    found: YesOrNo

    def told(self) -> Iterator[tuple[str, str]]:
        """For pages that compare two wordings of the prompt."""
        yield _("Found in the explanation"), _("yes") if self.found else _("no")
        yield _("Quote"), self.quote


@dataclass(frozen=True)
class Explained:
    """One explanation. called: what the judge calls the perturbed answer, A or B; "" where it saw no other.

    score: the judge's score or choice, in its own words. shown: which reader is asked; only the strict one needs
    judged, perturbed and gold.
    """

    judged: Judged
    perturbed: str
    gold: str
    explanation: str
    called: str = ""
    language: str = "en"
    score: str = ""
    shown: str = EXPLANATION_ONLY


async def read(explained: Explained, prompts: Prompts, ask: Ask) -> Found | Named:
    """Raises CallFailed, also where a quote does not stand in the explanation: nobody knows then what was found."""
    step, language = STEPS[explained.shown], explained.language
    called = CALLED[explained.called]
    wording = worded(prompts.text(step, language), {"called": called.get(language, called["en"])})
    if explained.shown == EXPLANATION_ONLY:
        return await _read_alone(explained, step, wording, ask)
    return await _read_with_answers(explained, step, wording, ask)


async def _read_alone(explained: Explained, step: str, wording: str, ask: Ask) -> Named:
    texts = {"explanation": explained.explanation, "score": explained.score}
    messages = fenced(wording, texts, language=explained.language).messages()
    reply = await ask(Question(step, messages, Named, temperature=0.0, max_tokens=MOST_TOKENS))
    assert isinstance(reply.read, Named)
    return reply.read


async def _read_with_answers(explained: Explained, step: str, wording: str, ask: Ask) -> Found:
    language = explained.language
    judge_view = Shown(explained.judged, explained.perturbed, reference=explained.gold, language=language)
    messages = asked(wording, judge_view, explanation=explained.explanation).messages()
    reply = await ask(Question(step, messages, Found, temperature=0.0, max_tokens=MOST_TOKENS))
    assert isinstance(reply.read, Found)
    if reply.read.found and not stands_in(reply.read.quote, explained.explanation):
        detail = _("The quote does not stand in the explanation.")
        raise CallFailed(Cause.WRONG_SHAPE, detail, reply.text, step=step)
    return reply.read


def stands_in(quote: str, text: str) -> bool:
    """Whatever the blanks, quotes and case; parts between dots may stand apart."""
    whole = _plain(text)
    parts = [part for part in map(_plain, re.split(r"\.{3}|…", quote)) if part]
    return bool(parts) and all(part in whole for part in parts)


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum())
