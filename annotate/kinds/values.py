"""Values that kinds share with other modules: fields, rows, model results, bad shapes; equality; typed numbers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, Literal, Protocol, Union, get_args, get_origin

from django.utils.functional import Promise

from annotate.kinds.shapes import Finding


class BadShape(ValueError):
    """Facts or a draft that do not have the kind's shape; `findings` says where and why."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = list(findings)
        super().__init__("; ".join(f"{finding.path} {finding.message}" for finding in self.findings))


FieldType = Literal["text", "choice", "choices", "ranking", "spans", "checklist", "parts", "flag"]


@dataclass(frozen=True)
class Field:
    """One field of a draft, as forms, differences, comments, history and exports see it.

    how: text (differences by word), choice (one value), choices (a list of values in any order), ranking (a list in
    order), spans (parts of texts; an empty list says that there is none), checklist, parts (a line for each part, in
    order), flag. free: people may write it differently and still agree about the item. part_of: an earlier field of the
    form whose control also decides this one; "" if it has its own.
    """

    name: str
    label: str | Promise
    how: FieldType
    free: bool = False
    part_of: str = ""

    @property
    def is_lines(self) -> bool:
        """Whether versions of its value are shown as texts, with their differences."""
        return self.how in ("text", "parts")


def in_groups(fields: Sequence[Field]) -> list[list[Field]]:
    """The fields grouped as people decide about them: fields that share a control are in one group."""
    groups: dict[str, list[Field]] = {}
    for form_field in fields:
        groups.setdefault(form_field.part_of or form_field.name, []).append(form_field)
    return list(groups.values())


@dataclass(frozen=True)
class NamedFile:
    """A stored file that an item names. place: the path to it in the item, such as log[3].content[1].

    is_image: whether it has to be an image.
    """

    place: str
    name: str
    is_image: bool


@dataclass(frozen=True)
class WholeTurn:
    """A turn of a transcript that the material cuts, in full.

    number: from 1. id: of its place in the material. role: as stored; who: in words. tool: whose result it is, or the
    name of who speaks. calls: (name, arguments).
    """

    number: int
    id: str
    role: str
    who: str
    tool: str
    text: str
    calls: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class CutTranscript:
    """The turns of a transcript that the material cuts. heading: what its reader knows it by."""

    heading: str
    turns: Sequence[WholeTurn]


@dataclass(frozen=True)
class Native:
    """One row of a file, read into facts, draft, and information about its origin.

    A part that the row lacks is None. `draft` holds the draft fields at the row's top level; `metadata` what only leads
    see of the item.
    """

    facts: dict[str, Any]
    draft: dict[str, Any] | None = None
    suggestion: dict[str, Any] | None = None
    final: dict[str, Any] | None = None
    key: str | None = None
    findings: list[Finding] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Candidate:
    """One of several values for some fields of a draft, from which a person picks. label: its sort."""

    label: str
    draft: dict[str, Any]


@dataclass(frozen=True)
class ModelSuggestion:
    """What a model made of an item: a whole draft, doubts to look at first, and candidates to pick from.

    The fields of a candidate are empty in the draft: nobody has chosen yet. reasons: the model's own explanations.
    """

    draft: dict[str, Any]
    doubts: list[Finding] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    reasons: str = ""


@dataclass(frozen=True)
class GeneratedItem:
    """An item that a model made from another one: its facts, and the draft that people review."""

    facts: dict[str, Any]
    draft: dict[str, Any]
    explanation: str = ""


@dataclass(frozen=True)
class ModelClassification:
    """A model's label for an item. label: its parts, such as task and subtask; listed: whether the taxonomy has it."""

    label: tuple[str, ...]
    listed: bool


@dataclass(frozen=True)
class GenerationRequest:
    """How many accepted items of one group a project wants whose `field` has this `value`.

    part: the larger unit that the group belongs to, such as an ability.
    """

    group: str
    name: str
    part: str
    field: str
    value: str
    count: int


def literals(annotation: Any) -> list[str]:
    """The allowed texts of a type with a fixed set of values."""
    if get_origin(annotation) is Literal:
        return [text for text in get_args(annotation) if isinstance(text, str)]
    if get_origin(annotation) in (Union, UnionType):
        return [text for argument in get_args(annotation) for text in literals(argument)]
    return []


# Agreement in one field: whether its values say the same in substance. Pure; a kind with other rules overrides
# `disagreements`.


BLANK: tuple[Any, ...] = (None, "", [])
WEIGHT_TOLERANCE = 1e-9


class _Field(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def how(self) -> str: ...


def agree_in(field: _Field, drafts: Sequence[Mapping[str, Any]]) -> bool:
    """Whether all drafts say the same in this field.

    White space at the ends of lines and repeated spaces do not count; nor does the order of choices and of a
    checklist's rows. A missing value, an empty text and an empty list are equal.
    """
    values = [draft.get(field.name) for draft in drafts]
    return all(_same(field.how, values[0], value) for value in values[1:])


def label_in(field: _Field, draft: Mapping[str, Any]) -> str | None:
    """The draft's value in a field of choice as one label; None if it has none or no label fits.

    The order of several choices does not count. A flag is `yes` or `no`.
    """
    value = draft.get(field.name)
    if value in BLANK:
        return None
    if field.how == "flag" and isinstance(value, bool):
        return "yes" if value else "no"
    if field.how == "choice":
        return str(value)
    if field.how == "choices" and isinstance(value, list):
        return " · ".join(sorted(map(str, value)))
    if field.how == "ranking" and isinstance(value, list):
        return " · ".join(map(str, value))
    return None


def _same(how: str, left: Any, right: Any) -> bool:
    if left == right or (left in BLANK and right in BLANK):
        return True
    if how == "spans" and isinstance(left, list) and isinstance(right, list):
        return _without_notes(left) == _without_notes(right)
    if how == "checklist" and isinstance(left, list) and isinstance(right, list):
        return _same_rows(left, right)
    if how == "choices" and isinstance(left, list) and isinstance(right, list):
        return sorted(map(str, left)) == sorted(map(str, right))
    return isinstance(left, str) and isinstance(right, str) and left.split() == right.split()


def _without_notes(spans: Sequence[Any]) -> list[str]:
    """What the spans say, in any order: place, label and attributes."""
    parts = ([(name, str(value)) for name, value in span.items() if name != "note"] for span in spans)
    return sorted(str(sorted(pairs)) for pairs in parts)


def _same_rows(left: Sequence[Any], right: Sequence[Any]) -> bool:
    ours, right_rows = sorted(map(_row, left)), sorted(map(_row, right))
    if [question for question, _ in ours] != [question for question, _ in right_rows]:
        return False
    return all(
        math.isclose(weight, other_weight, abs_tol=WEIGHT_TOLERANCE)
        for (_, weight), (_, other_weight) in zip(ours, right_rows, strict=True)
    )


def _row(row: Any) -> tuple[str, float]:
    """A question without needless spaces, and its weight; -1 if it has none."""
    question, weight = row if isinstance(row, list) and len(row) == 2 else (row, None)
    return " ".join(str(question).split()), float(weight) if isinstance(weight, int | float) else -1.0


# A longer number is a typing error, and may be more than a float can hold.
LONGEST_NUMBER = 30


def number(typed: str, *, longest: int = LONGEST_NUMBER) -> int | float | str | None:
    """A number as typed: integers stay integers, a decimal comma counts as a point, an empty field is None.

    What is no finite number, or has `longest` characters or more, is returned as it was typed.
    """
    text = typed.strip().replace(",", ".")
    for convert in (int, float) if len(text) < longest else ():
        try:
            value = convert(text)
        except ValueError:
            continue
        if math.isfinite(value):
            return value
    return typed if text else None
