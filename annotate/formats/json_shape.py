"""Refuses JSON texts whose shape would hurt a parser, before anything is parsed."""

import re

from annotate.formats.json_errors import BadValue
from annotate.formats.json_paths import path_at
from lib.texts.said import say as _

MAX_DEPTH = 64
MAX_VALUES = 100_000  # eight MiB of "{}," would become 170 MiB of dictionaries

_STRUCTURE = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},]', re.DOTALL)
_OPENING, _CLOSING, _COMMA = b"[{", b"]}", ord(",")


def check_shape(data: bytes) -> None:
    """Raises BadValue when `data` nests deeper than MAX_DEPTH or holds more than MAX_VALUES values."""
    brackets = data.count(b"[") + data.count(b"{")
    if brackets > MAX_DEPTH or data.count(b",") > MAX_VALUES:
        _check_exactly(data)


def _check_exactly(data: bytes) -> None:
    depth = values = 0
    for match in _STRUCTURE.finditer(data):
        sign = data[match.start()]
        if sign in _OPENING:
            depth += 1
            values += 1
        elif sign in _CLOSING:
            depth -= 1
        elif sign == _COMMA:
            values += 1
        if depth > MAX_DEPTH or values > MAX_VALUES:
            raise BadValue(_path(data, match.end()), _too_deep() if depth > MAX_DEPTH else _too_many())


def _path(data: bytes, position: int) -> str:
    text = data[:position].decode(errors="replace")
    return path_at(text, len(text))


def _too_deep() -> str:
    return _("Lists and objects are nested more than %(limit)s deep. Flatten them.") % {"limit": MAX_DEPTH}


def _too_many() -> str:
    return _("The row holds more than %(limit)s values. Split it into several rows.") % {"limit": MAX_VALUES}
