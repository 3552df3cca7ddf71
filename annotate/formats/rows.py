"""Rows that formats read and write: rows to import, problems for people to fix, and the parts of exported rows."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from lib.texts.stored_sentences import again, kept

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class ImportRow:
    """One row in the native shape; `line` as in the import report (1-based; in a JSON array the element's number).

    warnings: (path, message) of what the format noticed in a row that is still kept. key_by_place: the row has no key
    of its own; the format made one from its position in the file, so that rows of two files can have the same key.
    """

    line: int
    value: dict[str, Any]
    warnings: Sequence[tuple[str, str]] = ()
    key_by_place: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, where, and what to do about it.

    line: None if the problem concerns the whole file, or all the rest of it. path: names as in the file. The texts here
    can always be printed and stored, whatever the file contained: control characters and the like are escaped. said:
    the message in the form from which it is translated again (see lib.texts.stored_sentences).
    """

    file: str
    line: int | None
    path: str
    message: str
    level: Level = "error"
    said: dict[str, Any] | None = field(default=None, init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "file", printable(self.file, most=200))
        object.__setattr__(self, "path", printable(self.path, most=200))
        object.__setattr__(self, "said", kept(self.message, clean=lambda text: printable(text, most=300)))
        object.__setattr__(self, "message", printable(self.message, most=1000))

    def as_json(self) -> dict[str, Any]:
        """As in reports, in the current language."""
        return {name: getattr(self, name) for name in ("file", "line", "path", "message", "level")}

    def stored(self) -> dict[str, Any]:
        """As the database stores it; `problem_texts` reads it."""
        return self.as_json() | ({"said": self.said} if self.said else {})


def problem_texts(stored: Mapping[str, Any]) -> dict[str, Any]:
    """A stored problem as in reports, in the reader's language if the sentence is ours."""
    problem = {name: value for name, value in stored.items() if name != "said"}
    if sentence := stored.get("said"):
        problem["message"] = printable(again(sentence, problem["message"]), most=1000)
    return problem


def printable(text: str, *, most: int) -> str:
    """`text` with unprintable and unstorable characters escaped, cut to `most` characters."""
    cut = text if len(text) <= most else text[: most - 1] + "…"
    if cut.isprintable():
        return cut
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in cut)


# Writing: the parts of rows as they leave a project, and the fields of their kind.


JSON = "json"
JSON_ENDING = "__json"  # ending of field names that hold JSON as text, for tools that know only texts and choices


@dataclass(frozen=True)
class Out:
    """One row. how: draft field -> text, choice, choices, or another type of the kind.

    shown: the facts that people read, present or not, the first one in every row of the kind; not who wrote them.
    model: who drafted it, if nobody has changed or accepted it; else "".
    """

    key: str
    facts: Mapping[str, Any]
    draft: Mapping[str, Any]
    how: Mapping[str, str]
    shown: Sequence[str] = ()
    model: str = ""
    is_final: bool = False


@dataclass(frozen=True)
class FieldValues:
    """A field that people may fill in: its label, its type, and its allowed values, if the kind lists them."""

    label: str
    how: str
    values: Sequence[str] = ()


@dataclass
class FieldSeen:
    """One field of a draft over all rows: its label, the values that occurred, and the number of rows that had it."""

    label: str
    how: str
    values: dict[str, None] = field(default_factory=dict)
    rows: int = 0


@dataclass
class ObservedValues:
    """What a tool has to know before it can read the rows.

    shown: the facts that people read, as far as any row has them; facts: each fact, and the number of rows that had it.
    """

    rows: int = 0
    drafted: int = 0
    shown: dict[str, None] = field(default_factory=dict)
    facts: Counter[str] = field(default_factory=Counter)
    draft: dict[str, FieldSeen] = field(default_factory=dict)

    def add(self, out: Out, offered: Mapping[str, FieldValues]) -> None:
        """offered: the fields of this row's draft, including those not filled in yet."""
        self.rows += 1
        self.drafted += bool(out.draft)
        self.facts.update(text_fields(out.facts).keys())
        self.shown |= dict.fromkeys(name for name in out.shown if out.facts.get(name) or name == out.shown[0])
        for name, offer in offered.items():
            called = name if offer.how != JSON else f"{name}{JSON_ENDING}"
            self.draft.setdefault(called, FieldSeen(offer.label, offer.how, dict.fromkeys(offer.values)))
        for name, value in out.draft.items():
            self._count(name, value, out.how.get(name, ""), offered[name].label if name in offered else name)

    def _count(self, name: str, value: Any, told_how: str, label: str) -> None:
        how = shape_of(value, told_how)
        called = name if how != JSON else f"{name}{JSON_ENDING}"
        field_summary = self.draft.setdefault(called, FieldSeen(label, how))
        field_summary.rows += 1
        if how in ("choice", "choices"):
            field_summary.values |= dict.fromkeys([value] if isinstance(value, str) else value)


@dataclass(frozen=True)
class Column:
    """A column name, and whether its values are texts; a missing text and None are the same."""

    name: str
    is_text: bool


def shape_of(value: Any, how: str) -> str:
    """How a tool of texts and choices can hold a value: text, choice, choices, or json if it cannot hold it directly.

    A choice that nobody has made is JSON, so that a field name always has the same type.
    """
    if isinstance(value, str):
        return "text" if how != "choice" else "choice" if value else JSON
    if how == "choices" and _is_list_of_choices(value):
        return "choices"
    return JSON


def _is_list_of_choices(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(choice, str) and choice for choice in value)


def text_fields(facts: Mapping[str, Any]) -> dict[str, str]:
    """Facts as texts: other values become JSON under a name that says so."""
    return {
        name if isinstance(value, str) else f"{name}{JSON_ENDING}": (
            value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        )
        for name, value in facts.items()
    }


def joined(
    pieces: Iterable[bytes], *, before: bytes = b"[\n", between: bytes = b",\n", after: bytes = b"\n]\n"
) -> Iterator[bytes]:
    """A JSON array, element by element."""
    yield before
    for number, piece in enumerate(pieces):
        yield between + piece if number else piece
    yield after


Columns = Sequence[Column]
