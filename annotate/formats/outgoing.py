"""What a format needs to write rows: their parts as they leave a project, and the fields of their kind."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

JSON = "json"
JSON_ENDING = "__json"  # of names of fields that hold JSON as text, where a tool knows texts and choices only


@dataclass(frozen=True)
class Out:
    """One row. how: draft field -> text, choice, choices, or whatever else the kind calls it.

    shown: the facts that people read, there or not, the first one in every row of the kind; not whose they are.
    model: who drafted it, where nobody has changed or accepted it; "" where people have.
    """

    key: str
    facts: Mapping[str, Any]
    draft: Mapping[str, Any]
    how: Mapping[str, str]
    shown: Sequence[str] = ()
    model: str = ""
    is_final: bool = False


@dataclass(frozen=True)
class Offered:
    """A field that people may fill in: its label, how it is told, and the values it may have, where the kind says."""

    label: str
    how: str
    values: Sequence[str] = ()


@dataclass
class FieldSeen:
    """One field of a draft over all rows: its label, the values that it was given, and in how many rows it was."""

    label: str
    how: str
    values: dict[str, None] = field(default_factory=dict)
    rows: int = 0


@dataclass
class Seen:
    """What a tool has to be told before it can read the rows.

    shown: the facts that people read, as far as any row has them; facts: each, and in how many rows it was.
    """

    rows: int = 0
    drafted: int = 0
    shown: dict[str, None] = field(default_factory=dict)
    facts: Counter[str] = field(default_factory=Counter)
    draft: dict[str, FieldSeen] = field(default_factory=dict)

    def add(self, out: Out, offered: Mapping[str, Offered]) -> None:
        """offered: the fields of this row's draft, also those that nobody has filled in yet."""
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
    """A name of a table, and whether its values are texts; a text that is missing and one that is None are one."""

    name: str
    is_text: bool


def shape_of(value: Any, how: str) -> str:
    """How a tool of texts and choices can hold a value: text, choice, choices, or json where it cannot by itself.

    A choice that nobody has made is JSON, so that a field of one name is always told one way.
    """
    if isinstance(value, str):
        return "text" if how != "choice" else "choice" if value else JSON
    if how == "choices" and _is_list_of_choices(value):
        return "choices"
    return JSON


def _is_list_of_choices(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(choice, str) and choice for choice in value)


def text_fields(facts: Mapping[str, Any]) -> dict[str, str]:
    """Facts as texts: anything else becomes JSON under a name that says so."""
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
