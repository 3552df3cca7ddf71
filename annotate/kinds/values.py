"""What kinds give to everybody else: fields, rows that were read, what a model made; and the error of a bad shape."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise

from annotate.kinds.shapes import Finding


class BadShape(ValueError):
    """Facts or a draft that do not have the kind's shape; `findings` says where and why."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = list(findings)
        super().__init__("; ".join(f"{finding.path} {finding.message}" for finding in self.findings))


@dataclass(frozen=True)
class Field:
    """One field of a draft, as forms, differences, comments, history and exports see it.

    how: text (differences by word), choice (one value), choices (a list of values), checklist, flag.
    free: people may write it differently and still agree about the item.
    part_of: the field, earlier in the form, whose control decides this one too; "" where it is decided by itself.
    """

    name: str
    label: str | Promise
    how: str
    language_matters: bool = False
    free: bool = False
    part_of: str = ""


def in_groups(fields: Sequence[Field]) -> list[list[Field]]:
    """The fields as people decide about them: those that one control decides stand together."""
    groups: dict[str, list[Field]] = {}
    for form_field in fields:
        groups.setdefault(form_field.part_of or form_field.name, []).append(form_field)
    return list(groups.values())


@dataclass(frozen=True)
class Native:
    """One row of a file, read: what becomes facts, what a draft, and what was said about where it comes from.

    A part that the row lacks is None. `draft` holds the draft fields at the row's top level.
    """

    facts: dict[str, Any]
    draft: dict[str, Any] | None = None
    suggestion: dict[str, Any] | None = None
    final: dict[str, Any] | None = None
    key: str | None = None
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True)
class Candidate:
    """One of several values for some fields of a draft, from which a person picks. label: the sort that it is of."""

    label: str
    draft: dict[str, Any]


@dataclass(frozen=True)
class Suggested:
    """What a model made of an item: a whole draft, what to look at first, and what there is to pick from.

    The fields of a candidate are empty in the draft: nobody has chosen yet. reasons: why, in the model's words.
    """

    draft: dict[str, Any]
    doubts: list[Finding] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    reasons: str = ""


@dataclass(frozen=True)
class Made:
    """An item that a model made of another one: its facts, and the draft that people look at."""

    facts: dict[str, Any]
    draft: dict[str, Any]
    explanation: str = ""


@dataclass(frozen=True)
class Classified:
    """What a model takes an item for. label: its parts, such as task and subtask; listed: the taxonomy has it."""

    label: tuple[str, ...]
    listed: bool


@dataclass(frozen=True)
class Wanted:
    """How many accepted items of one group a project wants whose `field` has this `value`.

    part: what the group stands under, such as an ability.
    """

    group: str
    name: str
    part: str
    field: str
    value: str
    count: int
