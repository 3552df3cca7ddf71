"""Statistics of a dataset: all items of a project read into columns of numbers, and the distributions of those columns.

No text is kept, so that 100,000 items fit into memory.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from django.db.models import Count as models_Count
from django.db.models import Max

from annotate.engine.budget import tokens_of
from annotate.kinds.contract import Kind
from annotate.kinds.values import BadShape, Field
from annotate.models import Item, Project
from judging.cache import cached
from lib.stats.lengths import LengthRange, Summary, Whole, ranges, summary

if TYPE_CHECKING:
    Numbers = array[int]
else:
    Numbers = array  # it cannot be subscripted before Python 3.12

UNITS = ("characters", "tokens")
NOT_THERE = -1
LANGUAGE = "language"
COLUMNS = ("pk", "state", "language", "facts", "schema", "base__draft", "base__schema")


@dataclass(frozen=True)
class DatasetTable:
    """All items that are work, one per row. ids, states: by row; states as indexes into Item.State.values.

    labels: field -> value -> rows with it (a row may occur at several values); decided: rows with a draft.
    lengths: text -> unit -> length by row, NOT_THERE if the item has no such text.
    fields: name -> label of the kind's fields. unread: items whose texts do not have the kind's shape.
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


def table(project: Project) -> DatasetTable:
    """The table, cached for each state of the project: one query, and those that find out if anything changed."""
    items = Item.objects.filter(project=project)
    totals = items.aggregate(newest=Max("changed_at"), last=Max("pk"), n=models_Count("pk"))
    state = sha256(repr([project.pk, project.options, *totals.values()]).encode()).hexdigest()
    return cached("dataset", state, lambda: _read_items(project))


def _read_items(project: Project) -> DatasetTable:
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


def _finished(growing: _Growing) -> DatasetTable:
    rows = len(growing.ids)
    labels = {
        name: {value: _whole(row_numbers) for value, row_numbers in values.items()}
        for name, values in growing.labels.items()
    }
    lengths = {name: {unit: _filled(units[unit], rows) for unit in UNITS} for name, units in growing.lengths.items()}
    return DatasetTable(
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


# Distributions: labels, languages and lengths of the items in one state or in any.


Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Count:
    """share: 0..1, of the items that have any value here."""

    value: str
    n: int
    share: float


@dataclass(frozen=True)
class LabelCounts:
    """counts: the most frequent first; an item with several values counts in each. n: items with at least one."""

    name: str
    counts: Sequence[Count]
    n: int


@dataclass(frozen=True)
class Lengths:
    name: str
    unit: str
    summary: Summary
    ranges: Sequence[LengthRange]


@dataclass(frozen=True)
class DatasetStatistics:
    """n: items in this state; undecided: those without a draft, counted only in languages and lengths of facts."""

    n: int
    undecided: int
    labels: Sequence[LabelCounts]
    lengths: Sequence[Lengths]


def statistics(table: DatasetTable, state: str = "") -> DatasetStatistics:
    """state: one of Item.State, "" for all."""
    mask = _in(table, state)
    return DatasetStatistics(
        n=int(mask.sum()),
        undecided=int(mask.sum() - mask[table.decided].sum()),
        labels=[_labels(table, name, mask) for name in _label_names(table)],
        lengths=[
            Lengths(name, unit, summary(values), ranges(values))
            for name in table.lengths
            for unit in UNITS
            for values in [_present(table.lengths[name][unit], mask)]
        ],
    )


def with_label(table: DatasetTable, name: str, value: str, state: str = "") -> Whole:
    """Ids of the items behind one bar; empty for an unknown name or value."""
    mask, rows = _in(table, state), table.labels.get(name, {}).get(value, np.empty(0, dtype=np.int64))
    return table.ids[rows[mask[rows]]]


def with_length(table: DatasetTable, name: str, unit: str, low: int, high: int | None, state: str = "") -> Whole:
    """Ids of the items whose text is from low to below high long; high None: no end."""
    column = table.lengths.get(name, {}).get(unit)
    if column is None:
        return np.empty(0, dtype=np.int64)
    mask = _in(table, state) & (column >= max(low, 0))
    return table.ids[mask if high is None else mask & (column < high)]


def _in(table: DatasetTable, state: str) -> Mask:
    if not state:
        return np.ones(table.ids.size, dtype=bool)
    mask: Mask = table.states == Item.State.values.index(state)
    return mask


def _label_names(table: DatasetTable) -> list[str]:
    """The labels of the kind in the order of its form, then the language."""
    return sorted(
        table.labels, key=lambda name: [*table.fields].index(name) if name in table.fields else len(table.fields)
    )


def _labels(table: DatasetTable, name: str, mask: Mask) -> LabelCounts:
    counts = {value: int(mask[rows].sum()) for value, rows in table.labels[name].items()}
    having = np.zeros(mask.size, dtype=bool)
    for rows in table.labels[name].values():
        having[rows] = True
    n = int((having & mask).sum())
    ordered = sorted(
        ((value, count) for value, count in counts.items() if count), key=lambda entry: (-entry[1], entry[0])
    )
    return LabelCounts(name, [Count(value, count, count / n) for value, count in ordered], n)


def _present(column: Whole, mask: Mask) -> Whole:
    values: Whole = column[mask & (column != NOT_THERE)]
    return values
