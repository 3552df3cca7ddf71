"""One question of a strategy that has a single one: put, read from JSON, and from its words where there is no JSON."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from pydantic import BaseModel

from annotate.kinds.causes import Cause
from annotate.kinds.protocol import Ask, CallFailed, Message, Question
from judging.strategies.base import Unparsed

MOST_TOKENS = 2048
# The model has answered; whatever stands in the reply may still name its verdict. What was cut off may not.
WORDS = {Cause.NOT_JSON, Cause.WRONG_SHAPE}


@dataclass(frozen=True)
class Said:
    """value: what the judge decided, of the shape that was asked for. reason: its explanation."""

    value: Any
    reason: str


async def put(
    ask: Ask,
    step: str,
    messages: list[dict[str, str]],
    shape: type[BaseModel],
    field: str,
    reader: Callable[[str], Any],
) -> Said | Unparsed:
    """field: of the shape, the one that decides. read: the same from words, None where they do not say it.

    Raises CallFailed where the model has not answered.
    """
    prompt_messages: list[Message] = list(messages)
    try:
        reply = await ask(Question(step, prompt_messages, shape, temperature=0.0, max_tokens=MOST_TOKENS))
    except CallFailed as failed:
        return _from_words(failed, reader)
    return Said(getattr(reply.read, field), getattr(reply.read, "explanation", ""))


def _from_words(failed: CallFailed, reader: Callable[[str], Any]) -> Said | Unparsed:
    if failed.cause == Cause.TRUNCATED:
        return Unparsed(_("The reply was cut off before its end."), failed.said)
    if failed.cause == Cause.EMPTY:
        return Unparsed(_("The reply is empty."), failed.said)
    if failed.cause not in WORDS:
        raise failed
    value = reader(failed.said)
    if value is None:
        return Unparsed(_("The reply says no verdict that can be read, or several."), failed.said)
    return Said(value, failed.said)
