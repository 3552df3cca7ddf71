"""Which intent a model takes a question for. It sees the question alone, not what its user called it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated

from pydantic import WithJsonSchema, create_model

from annotate.kinds.protocol import Ask, Prompts, Question
from annotate.kinds.shapes import Told
from annotate.kinds.use_case.definitions import MEANINGS
from annotate.kinds.use_case.shapes import UseCaseFacts, UseCaseOptions
from annotate.kinds.values import Classified
from lib.texts.fencing import fenced

STEP = "intent"


class Intended(Told):
    """intent: one of the project's list."""

    intent: str


async def classified(
    facts: UseCaseFacts, options: UseCaseOptions, prompts: Prompts, ask: Ask, *, language: str
) -> Classified:
    """An intent that the list does not have is kept as the model wrote it. Raises CallFailed."""
    listed = {"user_query": facts.question, "intents": MEANINGS.lines(options.intents, options.definitions, language)}
    question = fenced(prompts.text(STEP, language), listed, language=language)
    reply = await ask(Question(STEP, question.messages(), _intended(tuple(options.intents))))
    assert isinstance(reply.read, Intended)
    intent = _plain_names(options.intents).get(_plain(reply.read.intent))
    return Classified((intent or reply.read.intent.strip(),), intent is not None)


def _plain_names(intents: Sequence[str]) -> dict[str, str]:
    return {_plain(intent): intent for intent in intents}


def _plain(intent: str) -> str:
    """Case, blanks, underscores, a dash before and what follows a colon aside: models copy whole lines."""
    name = intent.replace("：", ":").partition(":")[0].strip().removeprefix("-")
    return " ".join(name.replace("_", " ").split()).casefold()


@lru_cache(maxsize=128)
def _intended(intents: tuple[str, ...]) -> type[Intended]:
    one_of = Annotated[str, WithJsonSchema({"type": "string", "enum": list(intents)})]
    return create_model("Intended", __base__=Intended, intent=(one_of, ...))
