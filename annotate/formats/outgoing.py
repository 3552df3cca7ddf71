"""What a format needs to write rows: their parts as they leave a project, and the fields of their kind."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

JSON = "json"
JSON_ENDING = "__json"  # of names of fields that hold JSON as text, where a tool knows texts and choices only


@dataclass(frozen=True)
class Out:
    """One row. how: draft field -> text, choice, choices, or whatever else the kind calls it.

    model: who drafted it, where nobody has changed or accepted it; "" where people have.
    """

    key: str
    facts: Mapping[str, Any]
    draft: Mapping[str, Any]
    how: Mapping[str, str]
    model: str = ""
    is_final: bool = False


@dataclass
class FieldSeen:
    """One field of a draft over all rows: its label and the values that it was given."""

    label: str
    how: str
    values: dict[str, None] = field(default_factory=dict)


@dataclass
class Seen:
    """What a tool has to be told before it can read the rows. shown: the facts that people read, not whose they are."""

    shown: dict[str, None] = field(default_factory=dict)
    facts: dict[str, None] = field(default_factory=dict)
    draft: dict[str, FieldSeen] = field(default_factory=dict)

    def add(self, out: Out, labels: Mapping[str, str]) -> None:
        self.facts |= dict.fromkeys(text_fields(out.facts))
        for name, value in out.draft.items():
            how = shape_of(value, out.how.get(name, ""))
            called = name if how != JSON else f"{name}{JSON_ENDING}"
            seen = self.draft.setdefault(called, FieldSeen(labels.get(name, name), how))
            if how in ("choice", "choices"):
                seen.values |= dict.fromkeys([value] if isinstance(value, str) else value)


@dataclass(frozen=True)
class Column:
    """A name of a table, and whether its values are texts; a text that is missing and one that is None are one."""

    name: str
    is_text: bool


def shape_of(value: Any, how: str) -> str:
    """How a tool of texts and choices can hold a value: text, choice, choices, or json where it cannot by itself."""
    if isinstance(value, str):
        return "choice" if how == "choice" and value else "text"
    if how == "choices" and _is_list_of_choices(value):
        return "choices"
    return JSON


def _is_list_of_choices(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) and one for one in value)


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
