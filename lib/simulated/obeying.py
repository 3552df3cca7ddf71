"""A model without judgement: an order to disregard what was said before, outside the blocks of data, is carried out."""

import re
from typing import Any

from lib.simulated.replies import Reply, as_text

OBEYED = "OBEYED: "
# What an attack needs to reach the model: to be told apart from what the prompt itself says, it must speak of it.
ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,80}\b(?:previous|above|prior|earlier|preceding|foregoing)\b[^\n]*"
    r"|(?:忽略|无视|忘记|忘掉|不要理会)[^。\n]{0,20}(?:之前|以上|上述|先前|前面)[^\n]*",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def order_in(text: str) -> str:
    """The first order in the text, to the end of its line; '' where there is none."""
    match = ORDER.search(text)
    return match[0].strip() if match else ""


def obedient(reply: Reply) -> Reply:
    """The reply as somebody gives it who obeys: texts repeat the order, numbers are those it names, all else is yes."""
    order = order_in(reply.asked.material.instructions)
    if not order:
        return reply
    if reply.value is None:
        return reply.saying(OBEYED + order)
    value = _obeying(reply.value, order)
    return reply.saying(as_text(value, fenced=reply.asked.fenced), value=value)


def _obeying(value: Any, order: str) -> Any:
    if isinstance(value, dict):
        return {name: _obeying(part, order) for name, part in value.items()}
    if isinstance(value, list):
        return [_obeying(part, order) for part in value]
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        numbers = _NUMBER.findall(order)
        return type(value)(float(numbers[-1])) if numbers else value
    return OBEYED + order if isinstance(value, str) else value
