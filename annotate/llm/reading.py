"""Reads JSON out of what a model said: tolerant about everything around it, strict about its shape."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from pydantic import BaseModel, ValidationError

from annotate.kinds.causes import Cause
from annotate.kinds.protocol import Question, schema_of
from annotate.llm.replies import storable

STARTS = 1000  # places at which an object may begin before the search is given up
SHOWN = 120  # characters of a reply in a message
THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)
STRING_OR_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


class Unread(Exception):
    """A reply without what was asked for. The message is one sentence that names what is wrong."""

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause, self.detail = cause, detail


def said(text: str) -> str:
    """A reply without the thoughts that some models send ahead."""
    return THOUGHTS.sub("", text, count=1).strip()


def read(question: Question, text: str) -> Any:
    """An instance of the question's answer; None where plain text is wanted.

    Fences, prose around, commas too many, one object among text are read over. Raises Unread: `empty`, `not_json`, or
    `wrong_shape`, also where several objects of the right shape differ, because nobody can tell which one is meant.
    """
    spoken = said(text)
    if not spoken:
        raise Unread(Cause.EMPTY, "The reply is empty.")
    return None if question.answer is None else _read(question.answer, spoken)


def _read(shape: type[BaseModel], text: str) -> Any:
    """As it stands; a second time without commas before a closing bracket."""
    opening = "[" if schema_of(shape).get("type") == "array" else "{"
    faults: list[Unread] = []
    for version in dict.fromkeys((text, _without_last_commas(text))):
        try:
            return _fitting(shape, _values(version, opening), text)
        except Unread as unread:
            faults.append(unread)
    raise next((fault for fault in faults if fault.cause == Cause.WRONG_SHAPE), faults[0])


def _fitting(shape: type[BaseModel], candidates: list[Any], text: str) -> Any:
    """The one object of the shape among these. Raises Unread."""
    if not candidates:
        raise Unread(Cause.NOT_JSON, f"No JSON in the reply, which begins: {_beginning(text)}")
    fitting, fault = [], ""
    for value in candidates:
        try:
            fitting.append(shape.model_validate_json(json.dumps(_storable(value))))
        except ValidationError as error:
            fault = fault or _sentence(error)
        except RecursionError:
            fault = fault or "The object is nested too deeply."
    if not fitting:
        raise Unread(Cause.WRONG_SHAPE, fault)
    if any(candidate != fitting[0] for candidate in fitting[1:]):
        raise Unread(Cause.WRONG_SHAPE, f"{len(fitting)} objects of the right shape, and they differ.")
    return fitting[0]


def _values(text: str, opening: str) -> list[Any]:
    """The whole text, else every object in it."""
    whole = _whole(text)
    if isinstance(whole, str):  # JSON inside a JSON string
        text, whole = whole, _whole(whole)
    return [whole] if isinstance(whole, dict | list) else list(_embedded(text, opening))


def _without_last_commas(text: str) -> str:
    return STRING_OR_LAST_COMMA.sub(lambda match: match.group(1) or "", text)


def _whole(text: str) -> Any:
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _embedded(text: str, opening: str) -> Iterator[Any]:
    """The outermost objects, in order."""
    at = text.find(opening)
    for _start in range(STARTS):
        if at < 0:
            return
        try:
            value, end = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find(opening, end)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _refuse(digits[:20])


# strict=False: models write line breaks into strings.
DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite, strict=False)


def _storable(value: Any) -> Any:
    """Escapes in JSON may stand for what no database holds."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_storable(part) for part in value]
    if isinstance(value, dict):
        return {storable(name): _storable(part) for name, part in value.items()}
    return value


def _sentence(error: ValidationError) -> str:
    first_error, *other_errors = error.errors(include_url=False, include_input=False, include_context=False)
    where = ".".join(map(str, first_error["loc"])) or "The object"
    more = f" (and {len(other_errors)} more)" if other_errors else ""
    return f"{where}: {first_error['msg']}{more}"[:500]


def _beginning(text: str) -> str:
    flat = " ".join(text[: 2 * SHOWN].split())
    return f"{flat[:SHOWN]}…" if len(flat) > SHOWN else flat
