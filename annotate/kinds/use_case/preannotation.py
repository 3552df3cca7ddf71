"""A reference answer by a model, for a person to verify before it counts."""

from annotate.kinds.protocol import Ask, Prompts, Question
from annotate.kinds.shapes import Finding, Told
from annotate.kinds.use_case.reading import started
from annotate.kinds.use_case.shapes import UseCaseFacts, UseCaseOptions
from annotate.kinds.values import Suggested
from lib.texts.fencing import fenced
from lib.texts.said import say as _

STEP = "reference"


class Response(Told):
    """An answer as the person who asked would read it."""

    response: str


async def drafted(
    facts: UseCaseFacts, options: UseCaseOptions, prompts: Prompts, ask: Ask, *, language: str
) -> Suggested:
    """What is known of the case with the model's reference; of quality and harm it says nothing. Raises CallFailed."""
    wording = prompts.text(STEP, language)
    question = fenced(wording, {"user_query": facts.question}, language=language)
    reply = await ask(Question(STEP, question.messages(), Response))
    assert isinstance(reply.read, Response)
    text = reply.read.response.strip()
    return Suggested({**started(facts), "reference": text}, [_doubt(text)])


def _doubt(text: str) -> Finding:
    if not text:
        return Finding("reference", _("the model wrote nothing."), "model")
    return Finding("reference", _("a model wrote this: check it before it counts as the reference."), "model")
