"""A safe reader of YAML 1.2 (core schema): no anchors, aliases, tags or duplicate keys, and limits on size.

`write_yaml` writes what `read_yaml` reads back unchanged, as people would write it.

PyYAML reads YAML 1.1, in which `no` is false and `12:30` is a number; only its parser is used here, the one of libyaml:
the one in Python stops at the question mark of `{ask: Is it?, type: text}`.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from lib.texts.stored_sentences import say as _

LONGEST = 200_000  # characters
DEEPEST = 10
MOST_VALUES = 20_000
# https://yaml.org/spec/1.2.2/#51-character-set
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Place:
    """A place in a text. line, column: from 1."""

    line: int
    column: int


class BadYaml(ValueError):
    """The text cannot be read; `place` says where, the message says why and what to do."""

    def __init__(self, message: str, place: Place) -> None:
        self.message, self.place = message, place
        super().__init__(f"{place.line}:{place.column}: {message}")


@dataclass(frozen=True)
class YamlDocument:
    """A value, and where each part of it stands. places: path of keys and indices -> place."""

    value: Any
    places: dict[Path, Place]

    def place_of(self, path: Path) -> Place:
        """The place of the value at this path, or of the nearest part around it that exists."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.places:
                return self.places[path[:end]]
        return Place(1, 1)


def read_yaml(text: str) -> YamlDocument:
    """The one document of a text as dicts, lists, strings, numbers, booleans and None. Keys are strings.

    Raises BadYaml.
    """
    if len(text) > LONGEST:
        message = _("The text has %(n)d characters; at most %(most)d are allowed.")
        raise BadYaml(message % {"n": len(text), "most": LONGEST}, Place(1, 1))
    if forbidden := _FORBIDDEN.search(text):
        message = _("The character %(code)s is not allowed; remove it.") % {"code": f"U+{ord(forbidden[0]):04X}"}
        raise BadYaml(message, Place(text.count("\n", 0, forbidden.start()) + 1, 1))
    try:
        return _Reader(text).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise BadYaml(_said(error), _place(mark)) from error


def comment_lines(text: str) -> list[int]:
    """The lines, from 1, that have a comment; what a program reads and writes again loses them. Raises BadYaml."""
    read_yaml(text)
    texts = [event for event in yaml.parse(text, Loader=yaml.CSafeLoader) if isinstance(event, ScalarEvent)]
    inside = [range(scalar.start_mark.index, scalar.end_mark.index) for scalar in texts]  # type: ignore[union-attr]
    outside = (mark.start() for mark in re.finditer("#", text) if not any(mark.start() in span for span in inside))
    return sorted({text.count("\n", 0, index) + 1 for index in outside})


def _said(error: yaml.MarkedYAMLError) -> str:
    message = _("This is not YAML: %(problem)s. Check the indentation, and put texts with “:” or “#” in quotes.")
    return message % {"problem": error.problem or error.context or ""}


def _place(mark: Any) -> Place:
    return Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)


class _Reader:
    def __init__(self, text: str) -> None:
        self._events = yaml.parse(text, Loader=yaml.CSafeLoader)
        self._places: dict[Path, Place] = {}
        self._values = 0

    def document(self) -> YamlDocument:
        next(self._events)
        event = next(self._events)
        if isinstance(event, StreamEndEvent):
            return YamlDocument(None, {})
        value = self._value(next(self._events), ())
        next(self._events)
        following = next(self._events)
        if isinstance(following, DocumentStartEvent):
            raise BadYaml(_("A second document begins here; remove “---” and what follows."), _at(following))
        return YamlDocument(value, self._places)

    def _value(self, event: Event, path: Path) -> Any:
        self._check(event, path)
        self._places.setdefault(path, _at(event))
        if isinstance(event, ScalarEvent):
            return _scalar(event)
        if isinstance(event, SequenceStartEvent):
            return self._sequence(path)
        assert isinstance(event, MappingStartEvent)
        return self._mapping(path)

    def _check(self, event: Event, path: Path) -> None:
        self._values += 1
        if self._values > MOST_VALUES:
            raise BadYaml(_("More than %(most)d values; shorten the lists.") % {"most": MOST_VALUES}, _at(event))
        if len(path) > DEEPEST:
            raise BadYaml(_("Nested more than %(most)d levels deep.") % {"most": DEEPEST}, _at(event))
        if isinstance(event, AliasEvent) or (isinstance(event, NodeEvent) and event.anchor):
            raise BadYaml(_("Anchors and aliases (& and *) are not supported; write the value out."), _at(event))
        if getattr(event, "tag", None):
            raise BadYaml(_("Tags (“!”) are not supported; put a text that begins with “!” in quotes."), _at(event))

    def _sequence(self, path: Path) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            items.append(self._value(event, (*path, len(items))))
        return items

    def _mapping(self, path: Path) -> dict[str, Any]:
        members: dict[str, Any] = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            key = self._key(event, path)
            if key in members:
                raise BadYaml(_("“%(key)s” stands here twice; remove one.") % {"key": key[:60]}, _at(event))
            self._places[(*path, key)] = _at(event)
            members[key] = self._value(next(self._events), (*path, key))
        return members

    def _key(self, event: Event, path: Path) -> str:
        self._check(event, path)
        key = _scalar(event) if isinstance(event, ScalarEvent) else None
        if isinstance(key, str):
            return key
        written = getattr(event, "value", "")
        message = _('Names are texts; put this one in quotes: "%(written)s".') % {"written": str(written)[:60]}
        raise BadYaml(message, _at(event))


def _at(event: Event) -> Place:
    return _place(event.start_mark)


# Scalars of the core schema: https://yaml.org/spec/1.2.2/#103-core-schema

_CORE: list[tuple[re.Pattern[str], Callable[[str], Any]]] = [
    (re.compile(r"|~|null|Null|NULL"), lambda _text: None),
    (re.compile(r"true|True|TRUE|false|False|FALSE"), lambda text: text.lower() == "true"),
    (re.compile(r"[-+]?[0-9]{1,30}"), int),
    (re.compile(r"0o[0-7]{1,30}"), lambda text: int(text[2:], 8)),
    (re.compile(r"0x[0-9a-fA-F]{1,30}"), lambda text: int(text[2:], 16)),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?"), float),
]


def resolves_to_text(written: str) -> bool:
    """Whether a plain scalar, written without quotes, is a text and not a number, a boolean or nothing."""
    return not any(pattern.fullmatch(written) for pattern, _read in _CORE)


def _scalar(event: ScalarEvent) -> Any:
    if event.implicit[0]:  # plain: neither quoted nor a block
        for pattern, read in _CORE:
            if pattern.fullmatch(event.value):
                return read(event.value)
    return event.value


WIDEST = 110  # characters of a line that holds a list or an object
# Starts like a word and has nothing that is an indicator inside brackets: needs no quotes anywhere.
_PLAIN = re.compile(r"[^\W_](?:[\w .;=()/?!'’%+。，、：；？！（）《》-]*[\w.;()?!'’%+。，、：；？！（）《》-])?")
_BOOLEAN_ELSEWHERE = {"yes", "no", "on", "off", "y", "n"}  # in YAML 1.1, which other programs read
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def write_yaml(value: Any, *, opened: int = 2) -> str:
    """Dicts, lists, strings, numbers, booleans and None as one document.

    opened: how many outer levels have a line for each part; what is short inside them stands in one line.
    """
    return "".join(f"{line}\n" for line in _lines(value, opened=opened))


def in_one_line(value: Any) -> str:
    """The value as it stands inside brackets."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_written_scalar(name)}: {in_one_line(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(in_one_line, value)) + "]"
    return _written_scalar(value)


def _lines(value: Any, *, opened: int = 0) -> Iterator[str]:
    """opened: how many levels have lines of their own however short they are."""
    if not _has_own_lines(value, opened):
        yield in_one_line(value)
        return
    inner = max(0, opened - 1)
    if isinstance(value, list):
        for part in value:
            first, *rest = _lines(part, opened=inner)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
        return
    for name, part in value.items():
        if _has_own_lines(part, inner):
            yield f"{_written_scalar(name)}:"
            yield from (f"  {line}" for line in _lines(part, opened=inner))
        else:
            yield f"{_written_scalar(name)}: {in_one_line(part)}"


def _has_own_lines(value: Any, opened: int) -> bool:
    return bool(value) and isinstance(value, dict | list) and (opened > 0 or len(in_one_line(value)) > WIDEST)


def _written_scalar(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.fullmatch(value) and resolves_to_text(value) and value.lower() not in _BOOLEAN_ELSEWHERE:
        return value
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))
