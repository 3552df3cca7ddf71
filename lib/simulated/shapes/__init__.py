"""Answers to known requests: one module per shape, discovered automatically. Other requests are filled generically."""

from functools import cache
from typing import Any

from lib.discovery import discover
from lib.simulated import filling
from lib.simulated.chance import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import ChatRequest
from lib.simulated.shapes.base import ReplyShape


@cache
def shapes() -> tuple[ReplyShape, ...]:
    """Of every module of this package that has a `SHAPE`, by name."""
    return tuple(discover(__name__, "SHAPE"))


def value_for(request: ChatRequest, draw: Draw, knobs: Knobs) -> Any:
    """What is answered to a request that has a schema. Raises NotUnderstood where no answer fits it."""
    matching_shape = next((shape for shape in shapes() if shape.answers(request)), None)
    value = filling.filled(request, draw, knobs)
    return matching_shape.improved(value, request, draw, knobs) if matching_shape else value
