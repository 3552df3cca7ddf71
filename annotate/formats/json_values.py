"""One JSON text, read strictly: what could be lost, changed or refused later is refused here, and named."""

import json
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from annotate.formats.json_errors import BadValue, syntax_message
from annotate.formats.json_paths import find, path_at, spell
from annotate.formats.json_shape import check_shape
from lib.texts.said import say as _

_LEAST_INTEGER, _GREATEST_INTEGER = -(2**63), 2**63 - 1
_INTEGER_CHARACTERS = len(str(_LEAST_INTEGER))
_NUMBER_CHARACTERS = 400  # more than the longest finite number needs when written out in full
# Seldom there, and never missing when a text holds a NUL or half a surrogate pair; full pairs are found too.
_SUSPECT_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_SURROGATE = re.compile("[\ud800-\udfff]")
Raw = TypeVar("Raw")


class _Flaw(Exception):
    """A single value that is refused; `name` is the member it concerns, for duplicate names."""

    def __init__(self, message: str, name: str | None = None) -> None:
        super().__init__(message)
        self.name = name


def parse_object(data: bytes) -> dict[str, Any]:
    """The JSON object written in `data`. Raises BadValue."""
    value = parse(data)
    if isinstance(value, dict):
        return value
    raise BadValue("", _('A row must be an object such as {"key": "a1", …}. For a file that is one list use json.'))


def parse(data: bytes) -> Any:
    """The JSON value written in `data` (UTF-8); integers stay integers. Raises BadValue with path and remedy.

    Refused: more than 64 levels or 100,000 values, duplicate names, NaN, Infinity and numbers beyond float, integers
    beyond 64 bits, half surrogate pairs, NUL in a text (PostgreSQL cannot hold it), control characters, bytes that are
    not UTF-8.
    """
    check_shape(data)
    text = _decoded(data)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise _syntax_error(text, error) from None
    except _Flaw as flaw:
        raise _located(text, flaw) from None
    if b"\\u" in data and _SUSPECT_ESCAPE.search(data):
        _check_texts(value)
    return value


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        prefix = data[: error.start].decode()
        message = _("Byte %(offset)s (0x%(byte)02X) is not UTF-8. Save the file as UTF-8.")
        raise BadValue(
            path_at(prefix, len(prefix)), message % {"offset": error.start + 1, "byte": data[error.start]}
        ) from None


def _syntax_error(text: str, error: json.JSONDecodeError) -> BadValue:
    return BadValue(path_at(text, error.pos), syntax_message(error))


def _integer(text: str) -> int:
    if len(text) <= _INTEGER_CHARACTERS and _LEAST_INTEGER <= (value := int(text)) <= _GREATEST_INTEGER:
        return value
    raise _Flaw(_("The integer has more than 64 bits. Write it as a text in quotes."))


def _number(text: str) -> float:
    if len(text) > _NUMBER_CHARACTERS:
        raise _Flaw(_("The number has %(count)s digits. Round it, or write it as a text.") % {"count": len(text)})
    value = float(text)
    if math.isinf(value):
        raise _Flaw(_("The number is too large. Write it as a text in quotes."))
    return value


def _constant(text: str) -> NoReturn:
    raise _Flaw(_("%(constant)s is not JSON. Write null, or leave the field out.") % {"constant": text})


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    names: set[str] = set()
    repeated = next(name for name, _value in pairs if name in names or names.add(name))  # type: ignore[func-returns-value]
    raise _Flaw(_("The name stands twice in the same object. Keep one of the two."), repeated)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_int=_integer, parse_float=_number, parse_constant=_constant
)


def _located(text: str, flaw: _Flaw) -> BadValue:
    """The first flaw with its path: reads again, leaving flaws in the places of what they concern."""
    try:
        value = _MARKING_DECODER.decode(text)
    except json.JSONDecodeError as error:
        return _syntax_error(text, error)
    path, flaw = find(value, lambda leaf: isinstance(leaf, _Flaw)) or ((), flaw)
    return BadValue(spell(path if flaw.name is None else (*path, flaw.name)), str(flaw))


def _marked(hook: Callable[[Raw], Any]) -> Callable[[Raw], Any]:
    def read(raw: Raw) -> Any:
        try:
            return hook(raw)
        except _Flaw as flaw:
            return flaw

    return read


_MARKING_DECODER = json.JSONDecoder(
    object_pairs_hook=_marked(_members),
    parse_int=_marked(_integer),
    parse_float=_marked(_number),
    parse_constant=_marked(_constant),
)


def _check_texts(value: Any) -> None:
    if match := find(value, _is_unstorable):
        path, text = match
        if "\0" in text:
            raise BadValue(spell(path), _("The text holds a NUL character (\\u0000). Remove it."))
        raise BadValue(
            spell(path), _("The text holds half of a surrogate pair, such as \\ud83d. Remove or complete it.")
        )


def _is_unstorable(leaf: Any) -> bool:
    return isinstance(leaf, str) and ("\0" in leaf or _has_half_pair(leaf))


def _has_half_pair(text: str) -> bool:
    return not text.isascii() and _SURROGATE.search(text) is not None
