"""Answers to known requests: one file a shape, found by itself. What no shape knows is filled in generally."""

import importlib
import pkgutil
from functools import cache
from typing import Any

from lib.simulated import filling
from lib.simulated.drawing import Draw
from lib.simulated.knobs import Knobs
from lib.simulated.requests import Asked
from lib.simulated.shapes.base import Shape


@cache
def shapes() -> tuple[Shape, ...]:
    """Of every module of this package that has a `SHAPE`, by name."""
    modules = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    return tuple(module.SHAPE for module in modules if hasattr(module, "SHAPE"))


def value_for(asked: Asked, draw: Draw, knobs: Knobs) -> Any:
    """What is answered to a request that has a schema. Raises NotUnderstood where no answer fits it."""
    known = next((shape for shape in shapes() if shape.answers(asked)), None)
    value = filling.filled(asked, draw, knobs)
    return known.improved(value, asked, draw, knobs) if known else value
