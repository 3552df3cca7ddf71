"""Places inside a JSON value: how they are spelled, and how to find them."""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from annotate.formats.rows import printable

Place = tuple[str | int, ...]

_PLAIN_NAME = re.compile(r"\w[\w-]*")
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},:]', re.DOTALL)
_MOST_STEPS = 12


def spell(path: Iterable[str | int]) -> str:
    """`checklist[2].weight`; a name that is no plain word stands in brackets and quotes."""
    steps = list(path)
    spelled = "".join(_step(step) for step in steps[:_MOST_STEPS]).removeprefix(".")
    return spelled if len(steps) <= _MOST_STEPS else spelled + "…"


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    name = printable(step, most=60)
    return f".{name}" if _PLAIN_NAME.fullmatch(name) else f"[{json.dumps(name, ensure_ascii=False)}]"


def find(value: Any, is_wanted: Callable[[Any], bool], path: Place = ()) -> tuple[Place, Any] | None:
    """Place and value of the first name or leaf that is wanted, in document order; None when there is none."""
    if isinstance(value, dict):
        return _find_in_members(value, is_wanted, path)
    if isinstance(value, list):
        return _first(find(inner, is_wanted, (*path, index)) for index, inner in enumerate(value))
    return (path, value) if is_wanted(value) else None


def _find_in_members(
    members: dict[str, Any], is_wanted: Callable[[Any], bool], path: Place
) -> tuple[Place, Any] | None:
    for name, inner in members.items():
        match = ((*path, name), name) if is_wanted(name) else find(inner, is_wanted, (*path, name))
        if match:
            return match
    return None


def _first(matches: Iterable[tuple[Place, Any] | None]) -> tuple[Place, Any] | None:
    return next((match for match in matches if match), None)


def path_at(text: str, position: int) -> str:
    """Path of the value that stands at `position` of a JSON text, which may be broken from there on."""
    steps: list[str | int] = []
    last_string = ""
    for match in _TOKEN.finditer(text, 0, position):
        sign = match[0]
        if sign == "[":
            steps.append(0)
        elif sign == "{":
            steps.append("")
        elif sign[0] == '"':
            last_string = sign.strip('"')
        elif steps:
            _advance(steps, sign, last_string)
    return spell(step for step in steps if step != "")


def _advance(steps: list[str | int], sign: str, last_string: str) -> None:
    inner = steps[-1]
    if sign in "]}":
        steps.pop()
    elif isinstance(inner, int):
        steps[-1] = inner + (sign == ",")
    else:
        steps[-1] = last_string if sign == ":" else ""
