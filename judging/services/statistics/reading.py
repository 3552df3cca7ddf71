"""Reading all items of a project into columns of numbers; no text is kept, so that 100,000 items fit into memory."""

from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db.models import Count, Max

from annotate.kinds.base import Kind
from annotate.kinds.values import BadShape, Field
from annotate.llm.tokens import tokens_of
from annotate.models import Item, Project
from judging.services.remembering import remembered
from lib.stats.lengths import Whole

if TYPE_CHECKING:
    Numbers = array[int]
else:
    Numbers = array  # it cannot be subscripted before Python 3.12

UNITS = ("characters", "tokens")
NOT_THERE = -1
LANGUAGE = "language"
COLUMNS = ("pk", "state", "language", "facts", "schema", "base__draft", "base__schema")


@dataclass(frozen=True)
class Table:
    """All items that are work, one a row. ids, states: by row; states as places in Item.State.values.

    labels: field -> value -> rows that have it (several where a field takes several); decided: rows with a draft.
    lengths: text -> unit -> length by row, NOT_THERE where the item has no such text.
    fields: of the kind, by name: what they are called. unread: items whose texts do not have the kind's shape.
    """

    ids: Whole
    states: Whole
    labels: Mapping[str, Mapping[str, Whole]]
    decided: Whole
    lengths: Mapping[str, Mapping[str, Whole]]
    fields: Mapping[str, Field]
    unread: int = 0


@dataclass
class _Growing:
    ids: Numbers = field(default_factory=lambda: array("q"))
    states: Numbers = field(default_factory=lambda: array("q"))
    decided: Numbers = field(default_factory=lambda: array("q"))
    labels: dict[str, dict[str, Numbers]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(lambda: array("q")))
    )
    lengths: dict[str, dict[str, Numbers]] = field(
        default_factory=lambda: defaultdict(lambda: {unit: array("q") for unit in UNITS})
    )
    fields: dict[str, Field] = field(default_factory=dict)
    unread: int = 0


def table(project: Project) -> Table:
    """In one query beside those that tell whether anything has changed; made once for each state of the project."""
    items = Item.objects.filter(project=project)
    totals = items.aggregate(newest=Max("changed_at"), last=Max("pk"), n=Count("pk"))
    state = sha256(repr([project.pk, project.options, *totals.values()]).encode()).hexdigest()
    return remembered("dataset", state, lambda: _read(project))


def _read(project: Project) -> Table:
    growing, index_by_state = _Growing(), {state: index for index, state in enumerate(Item.State.values)}
    rows = Item.objects.filter(project=project, purpose=Item.Purpose.WORK).order_by("pk").values_list(*COLUMNS)
    for pk, state, language, facts, schema, draft, draft_schema in rows.iterator(chunk_size=1000):
        growing.ids.append(pk)
        growing.states.append(index_by_state[state])
        growing.labels[LANGUAGE][language].append(len(growing.ids) - 1)
        upgraded = project.kind.upgrade(draft, draft_schema) if draft else None
        try:
            _add(growing, project.kind, project.kind.upgrade(facts, schema), upgraded)
        except BadShape:
            growing.unread += 1
    return _finished(growing)


def _add(growing: _Growing, kind: Kind, stored: dict[str, Any], draft: dict[str, Any] | None) -> None:
    row, facts = len(growing.ids) - 1, kind.read_facts(stored)
    for name, text in kind.texts(facts).items():
        _measure(growing, row, name, text)
    if draft is None:
        return
    growing.decided.append(row)
    for kind_field in kind.fields(facts):
        growing.fields.setdefault(kind_field.name, kind_field)
        value = draft.get(kind_field.name)
        if kind_field.how == "text" and isinstance(value, str) and value:
            _measure(growing, row, kind_field.name, value)
        elif kind_field.how in ("choice", "choices"):
            for label in _values(value):
                growing.labels[kind_field.name][label].append(row)


def _values(value: Any) -> Iterator[str]:
    """Each value once."""
    yield from dict.fromkeys(str(entry) for entry in (value if isinstance(value, list) else [value]) if entry)


def _measure(growing: _Growing, row: int, name: str, text: str) -> None:
    for unit, length in zip(UNITS, (len(text), tokens_of(text)), strict=True):
        column = growing.lengths[name][unit]
        column.extend([NOT_THERE] * (row - len(column)))
        column.append(length)


def _finished(growing: _Growing) -> Table:
    rows = len(growing.ids)
    labels = {
        name: {value: _whole(row_numbers) for value, row_numbers in values.items()}
        for name, values in growing.labels.items()
    }
    lengths = {name: {unit: _filled(units[unit], rows) for unit in UNITS} for name, units in growing.lengths.items()}
    return Table(
        ids=_whole(growing.ids),
        states=_whole(growing.states),
        labels=labels,
        decided=_whole(growing.decided),
        lengths=lengths,
        fields=growing.fields,
        unread=growing.unread,
    )


def _whole(values: Numbers) -> Whole:
    return np.array(values, dtype=np.int64)


def _filled(values: Numbers, rows: int) -> Whole:
    return np.concatenate([_whole(values), np.full(rows - len(values), NOT_THERE, dtype=np.int64)])
