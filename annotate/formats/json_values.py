"""Strict parsing of JSON: limits on its shape, refused values with path and fix, and rows made from objects."""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from json import JSONDecodeError
from typing import Any, NoReturn, TypeVar

from django.utils.translation import gettext_lazy

from annotate.formats.rows import ImportRow, Problem, printable
from annotate.formats.source import MIB, Source
from lib.texts.stored_sentences import say as _


class BadValue(ValueError):
    """A JSON text that is refused: `path` inside it, `message` with the cause and the remedy."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


# Keys: the constant part of the standard parser's messages.
_REMEDIES = {
    "Expecting value": gettext_lazy("a value is missing here, or a text is not in double quotes"),
    "Expecting property name enclosed in double quotes": gettext_lazy("a name in double quotes is missing here"),
    "Expecting ',' delimiter": gettext_lazy("a comma or the closing bracket is missing here"),
    "Expecting ':' delimiter": gettext_lazy("a colon is missing here"),
    "Unterminated string starting at": gettext_lazy("the text that begins here has no closing quote"),
    "Invalid control character at": gettext_lazy(
        "a text contains a line break, tab or other control character; write it as \\n, \\t or \\u001f"
    ),
    "Invalid \\escape": gettext_lazy("a backslash is followed by an invalid letter; write \\\\ for a backslash"),
    "Invalid \\uXXXX escape": gettext_lazy("\\u must be followed by four hexadecimal digits"),
    "Extra data": gettext_lazy("the value ends before this; put each object on a line of its own"),
}
_FALLBACK = gettext_lazy("this is not valid JSON")


def syntax_message(error: JSONDecodeError) -> str:
    cause = _REMEDIES.get(error.msg.removesuffix(": "), _FALLBACK)
    return _("Character %(position)s: %(cause)s.") % {"position": error.pos + 1, "cause": cause}


# Paths inside a JSON value: how they are spelled, and how to find them.


Place = tuple[str | int, ...]

_PLAIN_NAME = re.compile(r"\w[\w-]*")
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},:]', re.DOTALL)
_MOST_STEPS = 12


def spell(path: Iterable[str | int]) -> str:
    """`checklist[2].weight`; a name that is not a plain word is in brackets and quotes."""
    steps = list(path)
    spelled = "".join(_step(step) for step in steps[:_MOST_STEPS]).removeprefix(".")
    return spelled if len(steps) <= _MOST_STEPS else spelled + "…"


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    name = printable(step, most=60)
    return f".{name}" if _PLAIN_NAME.fullmatch(name) else f"[{json.dumps(name, ensure_ascii=False)}]"


def find(value: Any, is_wanted: Callable[[Any], bool], path: Place = ()) -> tuple[Place, Any] | None:
    """Path and value of the first wanted name or leaf, in document order; None if there is none."""
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
    """Path of the value at `position` of a JSON text, which may be broken from there on."""
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


# Shape limits: JSON texts that would hurt a parser are refused before anything is parsed.


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
    return _("The row contains more than %(limit)s values. Split it into several rows.") % {"limit": MAX_VALUES}


# Parsing: values that could be lost, changed or refused later are refused here, and named.


_LEAST_INTEGER, _GREATEST_INTEGER = -(2**63), 2**63 - 1
_INTEGER_CHARACTERS = len(str(_LEAST_INTEGER))
_NUMBER_CHARACTERS = 400  # more characters than the longest finite number written out in full
# A quick filter: it matches every text with a NUL or half a surrogate pair, and some harmless ones (full pairs).
_SUSPECT_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_SURROGATE = re.compile("[\ud800-\udfff]")
Raw = TypeVar("Raw")


class _Flaw(Exception):
    """A single value that is refused; for duplicate names, `name` is the repeated member."""

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
    raise _Flaw(_("The name appears twice in the same object. Keep one of them."), repeated)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_int=_integer, parse_float=_number, parse_constant=_constant
)


def _located(text: str, flaw: _Flaw) -> BadValue:
    """The first flaw with its path: parses again, leaving each flaw in the place of the value it concerns."""
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
            raise BadValue(spell(path), _("The text contains a NUL character (\\u0000). Remove it."))
        raise BadValue(
            spell(path), _("The text contains half of a surrogate pair, such as \\ud83d. Remove or complete it.")
        )


def _is_unstorable(leaf: Any) -> bool:
    return isinstance(leaf, str) and ("\0" in leaf or _has_half_pair(leaf))


def _has_half_pair(text: str) -> bool:
    return not text.isascii() and _SURROGATE.search(text) is not None


# Rows from numbered JSON texts, for all formats that hold JSON objects.


def read_objects(source: Source, texts: Iterable[tuple[int, bytes | None]]) -> Iterator[ImportRow | Problem]:
    """One Row or Problem for each (number, text); a text of None was too long to be held in memory."""
    for number, text in texts:
        yield read_object(source, number, text)


def too_long(source: Source) -> str:
    return _("The row is longer than %(limit)s MiB. Split it.") % {"limit": f"{source.limits.line_bytes / MIB:g}"}


def read_object(source: Source, number: int, text: bytes | None) -> ImportRow | Problem:
    """The row of one object; a text of None was too long."""
    if text is None:
        return Problem(source.name, number, "", too_long(source))
    try:
        return ImportRow(number, parse_object(text))
    except BadValue as fault:
        return Problem(source.name, number, fault.path, fault.message)
