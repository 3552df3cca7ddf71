"""Work items by state for each value of a metadata column, which only leads see."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count
from django.db.models.fields.json import KeyTransform

from annotate.items.queries import any_of_values
from annotate.models import Item, Project

LISTED = 20  # values


@dataclass(frozen=True)
class ValueStates:
    """value: as text, by which the list of items filters. counts: (state, items), in the order of the states."""

    value: str
    counts: Sequence[tuple[str, int]]

    @property
    def total(self) -> int:
        return sum(n for _state, n in self.counts)


@dataclass(frozen=True)
class ColumnCounts:
    """rows: the most frequent values first. others: items with further values, with lists or objects, or with none."""

    column: str
    rows: Sequence[ValueStates]
    others: ValueStates


def column_counts(project: Project, column: str, totals: Mapping[str, int]) -> ColumnCounts:
    """Two queries, however many values there are. totals: state -> all work items of the project, in order."""
    items = Item.objects.counted().filter(project=project, metadata__has_key=column)
    items = items.annotate(column_value=KeyTransform(column, "metadata")).order_by()
    values = list(items.values_list("column_value").annotate(n=Count("pk")).order_by("-n", "column_value")[:LISTED])
    texts = list(dict.fromkeys(text for value, _n in values if (text := _as_text(value))))
    by_state = items.filter(any_of_values("column_value", texts)).values_list("column_value", "state")
    counts = _counts(by_state.annotate(n=Count("pk")) if texts else ())
    rows = [ValueStates(text, [(state, counts[text, state]) for state in totals]) for text in texts]
    listed = {state: sum(counts[text, state] for text in texts) for state in totals}
    others = ValueStates("", [(state, n - listed[state]) for state, n in totals.items()])
    return ColumnCounts(column, sorted(rows, key=lambda row: -row.total), others)


def _counts(counted: Iterable[tuple[Any, str, int]]) -> Counter[tuple[str, str]]:
    """(value as text, state) -> items."""
    counts = Counter[tuple[str, str]]()
    for value, state, n in counted:
        counts[_as_text(value), state] += n
    return counts


def _as_text(value: Any) -> str:
    """As in the filter of the list; "" for what it cannot filter by."""
    if isinstance(value, str):
        return value
    return "" if value is None or isinstance(value, list | dict) else json.dumps(value)
