"""A definition that was converted, and what has no counterpart: nothing is left out without saying so."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from annotate.kinds.questions.definition import BadDefinition, read_definition
from annotate.kinds.questions.definition_texts import LONGEST_NAME, RESERVED, one_line
from lib.texts.stored_sentences import say as _
from lib.texts.yaml_core import write_yaml

# missing: has no counterpart; changed: is there, but not quite the same; look: only appearance.
LeftoverSort = Literal["missing", "changed", "look"]
MOST_LEFTOVERS = 500  # that are listed
_PART = re.compile(r"(show|questions)\[(\d+)\]")


class BadConversion(ValueError):
    """Nothing can be converted; the text says why and what to do. leftovers: what was noticed until then."""

    def __init__(self, message: str, leftovers: Iterable["Leftover"] = ()) -> None:
        super().__init__(message)
        self.leftovers = list(leftovers)


@dataclass(frozen=True)
class Leftover:
    """What was not carried over as it is. line: of the file that was read, 0 if it has none; place: such as a tag."""

    sort: LeftoverSort
    place: str
    message: str
    line: int = 0

    def __str__(self) -> str:
        place = _("line %(line)d") % {"line": self.line} + ", " if self.line else ""
        return f"{place}{self.place}: {self.message}"

    def as_json(self) -> dict[str, Any]:
        return {"sort": self.sort, "line": self.line or None, "place": self.place, "message": self.message}


@dataclass
class Leftovers:
    """Those of one conversion, each once. unlisted: how many are only counted."""

    listed: dict[Leftover, None] = field(default_factory=dict)
    unlisted: int = 0

    def add(self, sort: LeftoverSort, place: str, message: str, line: int = 0) -> None:
        if len(self.listed) < MOST_LEFTOVERS:
            self.listed[Leftover(sort, one_line(place, 120), message, line)] = None
        else:
            self.unlisted += 1

    def in_order(self) -> list[Leftover]:
        leftovers = sorted(self.listed, key=lambda leftover: leftover.line)
        if self.unlisted:
            message = _("%(n)d more are not listed; convert a part of the file to see them.") % {"n": self.unlisted}
            leftovers.append(Leftover("missing", "…", message))
        return leftovers


@dataclass(frozen=True)
class Conversion:
    """text: a definition in YAML, or the file of the other tool."""

    text: str
    leftovers: list[Leftover]

    @property
    def is_whole(self) -> bool:
        """Whether nothing but appearance was left out or changed."""
        return all(leftover.sort == "look" for leftover in self.leftovers)


def question_name(name: str) -> str:
    """A name of another tool as the name of a question, the same for definitions and for answers."""
    cleaned = "".join(character if character.isalnum() or character in "_-" else "_" for character in name.strip())
    if not cleaned or not (cleaned[0].isalpha() or cleaned[0] == "_"):
        cleaned = f"q_{cleaned}"
    return (f"{cleaned}_" if cleaned in RESERVED else cleaned)[:LONGEST_NAME]


def as_definition(
    document: dict[str, Any], leftovers: Leftovers, lines: Mapping[tuple[str, str], int] | None = None
) -> Conversion:
    """The document as YAML, without the parts that no definition can have; each of these becomes a leftover.

    lines: (part, name), such as ("questions", "better"), -> the line of the file that was read. Raises BadConversion if
    nothing is left.
    """
    while document["show"] and document["questions"]:
        text = write_yaml({name: value for name, value in document.items() if value})
        try:
            read_definition(text)
        except BadDefinition as bad:
            if not _leave_faulty(document, bad, leftovers, lines or {}):
                raise BadConversion(str(bad), leftovers.in_order()) from bad
        else:
            return Conversion(text, leftovers.in_order())
    why = _("no question has a counterpart") if document["show"] else _("no column can be shown")
    raise BadConversion(_("Nothing can be converted: %(why)s.") % {"why": why}, leftovers.in_order())


def _leave_faulty(
    document: dict[str, Any], bad: BadDefinition, leftovers: Leftovers, lines: Mapping[tuple[str, str], int]
) -> bool:
    """Remove the parts with faults. Returns whether there were any."""
    faulty: dict[tuple[str, int], str] = {}
    for fault in bad.faults:
        if match := _PART.match(fault.path):
            faulty.setdefault((match[1], int(match[2])), fault.message)
    for (part, place), message in sorted(faulty.items(), reverse=True):
        card = document[part].pop(place)
        name = str(card.get("name") or card.get("field"))
        leftovers.add("missing", name, message, lines.get((part, name), 0))
    return bool(faulty)
