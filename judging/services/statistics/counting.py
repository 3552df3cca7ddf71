"""Distributions out of the columns of a dataset, for the items in one state or in any."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotate.models import Item
from judging.services.statistics.reading import NOT_THERE, UNITS, Table
from lib.stats.lengths import Range, Summary, Whole, ranges, summary

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Count:
    """share: 0..1 of the items that have a value here at all."""

    value: str
    n: int
    share: float


@dataclass(frozen=True)
class Labels:
    """counts: the most frequent first; with several values an item counts in each. n: items that have one at least."""

    name: str
    counts: Sequence[Count]
    n: int


@dataclass(frozen=True)
class Lengths:
    name: str
    unit: str
    summary: Summary
    ranges: Sequence[Range]


@dataclass(frozen=True)
class Statistics:
    """n: items in this state; undecided: those without a draft, which only count in languages and lengths of facts."""

    n: int
    undecided: int
    labels: Sequence[Labels]
    lengths: Sequence[Lengths]


def statistics(table: Table, state: str = "") -> Statistics:
    """state: one of Item.State, "" for all."""
    mask = _in(table, state)
    return Statistics(
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


def with_label(table: Table, name: str, value: str, state: str = "") -> Whole:
    """Ids of the items behind one bar; none for what is not there."""
    mask, rows = _in(table, state), table.labels.get(name, {}).get(value, np.empty(0, dtype=np.int64))
    return table.ids[rows[mask[rows]]]


def with_length(table: Table, name: str, unit: str, low: int, high: int | None, state: str = "") -> Whole:
    """Ids of the items whose text is from low to below high long; high None: no end."""
    column = table.lengths.get(name, {}).get(unit)
    if column is None:
        return np.empty(0, dtype=np.int64)
    mask = _in(table, state) & (column >= max(low, 0))
    return table.ids[mask if high is None else mask & (column < high)]


def _in(table: Table, state: str) -> Mask:
    if not state:
        return np.ones(table.ids.size, dtype=bool)
    mask: Mask = table.states == Item.State.values.index(state)
    return mask


def _label_names(table: Table) -> list[str]:
    """Those of the kind in the order of its form, then the language."""
    return sorted(
        table.labels, key=lambda name: [*table.fields].index(name) if name in table.fields else len(table.fields)
    )


def _labels(table: Table, name: str, mask: Mask) -> Labels:
    counts = {value: int(mask[rows].sum()) for value, rows in table.labels[name].items()}
    having = np.zeros(mask.size, dtype=bool)
    for rows in table.labels[name].values():
        having[rows] = True
    n = int((having & mask).sum())
    ordered = sorted(
        ((value, count) for value, count in counts.items() if count), key=lambda entry: (-entry[1], entry[0])
    )
    return Labels(name, [Count(value, count, count / n) for value, count in ordered], n)


def _present(column: Whole, mask: Mask) -> Whole:
    values: Whole = column[mask & (column != NOT_THERE)]
    return values
