"""Ratings as a table: units × raters, numbers or numbered labels, gaps where somebody gave none."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import NDArray

from lib.stats.agreement.values import BadRatings, Label, Sort, checked

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = get_args(Level)
Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.intp]
Flags: TypeAlias = NDArray[np.bool_]
MISSING = "missing"


@dataclass(frozen=True)
class Ratings:
    """What raters said about units.

    values: (units, raters), NaN = no rating: numbers, or places in `categories` where those are labels.
    categories: the distinct values that were given, in order; for labels in alphabetical order.
    skipped: reason -> rows that are no ratings. A unit and a rater stand here when they have a rating.
    clusters: of each unit the cluster that is resampled whole; empty where each unit is its own.
    """

    units: tuple[str, ...]
    raters: tuple[str, ...]
    values: Floats
    categories: tuple[Label, ...]
    level: Level
    skipped: Mapping[str, int] = field(default_factory=dict)
    clusters: tuple[str, ...] = ()

    @property
    def resampled(self) -> tuple[str, ...]:
        """(units,): the cluster of each."""
        return self.clusters or self.units

    def clustered(self, clusters: Mapping[str, str]) -> "Ratings":
        """clusters: unit -> its cluster; a unit that is not there is its own."""
        return replace(self, clusters=tuple(clusters.get(unit, unit) for unit in self.units)) if clusters else self

    def rated_by_all(self, raters: Sequence[int]) -> "Ratings":
        """The units that all of these have rated, by them alone; categories stay. raters: their places."""
        rows = np.flatnonzero(~np.isnan(self.values[:, raters]).any(axis=1))
        return replace(
            self,
            units=tuple(self.units[row] for row in rows.tolist()),
            raters=tuple(self.raters[index] for index in raters),
            values=self.values[rows][:, list(raters)],
            clusters=tuple(self.clusters[row] for row in rows.tolist()) if self.clusters else (),
        )

    @property
    def count(self) -> int:
        """How many ratings there are."""
        return int(np.count_nonzero(~np.isnan(self.values)))

    @property
    def labelled(self) -> bool:
        """Whether the categories are labels, which have no distance from each other."""
        return any(isinstance(category, str | bool) for category in self.categories)

    @property
    def numbers(self) -> Floats:
        """(categories,): their values; their places where they are labels."""
        return np.arange(len(self.categories), dtype=float) if self.labelled else np.array(self.categories, dtype=float)

    @property
    def codes(self) -> Codes:
        """(units, raters): place of each value in `categories`, -1 = no rating."""
        has_rating = ~np.isnan(self.values)
        codes = np.full(self.values.shape, -1, dtype=np.intp)
        codes[has_rating] = np.searchsorted(self.numbers, self.values[has_rating])
        return codes


def ratings(rows: Iterable[tuple[str, str, Label | None]], level: Level = "nominal") -> Ratings:
    """The table of rows (unit, rater, value); a value of None is a missing rating, counted in `skipped`.

    Raises BadRatings, with the place of the row, for a repeated (unit, rater), a value that is no finite number or
    text, text or true/false above nominal level, negative numbers at ratio level, and mixed sorts of values.
    """
    if level not in LEVELS:
        raise ValueError(f"There is no level {level!r}; levels: {', '.join(LEVELS)}.")
    units, raters, labels = _Numbered(), _Numbered(), _Numbered()
    unit_of, rater_of, value_of = array("q"), array("q"), array("q")
    sort: Sort | None = None
    for row, (unit, rater, value) in enumerate(rows):
        unit_of.append(units.number(unit))
        rater_of.append(raters.number(rater))
        if value is None:
            value_of.append(-1)
            continue
        sort = checked(row, value, level, sort)
        value_of.append(labels.number(value))
    indices = np.array(unit_of, dtype=np.intp), np.array(rater_of, dtype=np.intp)
    _refuse_repeated(*indices, units, raters)
    return _table(indices, np.array(value_of, dtype=np.intp), (units, raters, labels), level)


class _Numbered(dict[Label, int]):
    """Names -> numbers in the order of their first appearance."""

    def number(self, name: Label) -> int:
        return self.setdefault(name, len(self))


def _refuse_repeated(unit_of: Codes, rater_of: Codes, units: _Numbered, raters: _Numbered) -> None:
    keys = unit_of * len(raters) + rater_of
    order = np.argsort(keys, kind="stable")
    again = order[1:][keys[order][1:] == keys[order][:-1]]
    if again.size:
        row = int(again.min())
        first_row = int(np.flatnonzero(keys == keys[row])[0])
        unit, rater = list(units)[unit_of[row]], list(raters)[rater_of[row]]
        raise BadRatings(
            row, f"{rater} has rated {unit} before; a rater rates a unit once. Keep one of the two.", first_row
        )


def _table(
    indices: tuple[Codes, Codes], value_of: Codes, names: tuple[_Numbered, _Numbered, _Numbered], level: Level
) -> Ratings:
    units, raters, labels = names
    has_value = value_of >= 0
    categories = tuple(sorted(labels))
    rank = {label: index for index, label in enumerate(categories)}
    labelled = any(isinstance(category, str | bool) for category in categories)
    number = np.array([rank[label] if labelled else label for label in labels], dtype=float)
    kept_units, row_of = np.unique(indices[0][has_value], return_inverse=True)
    kept_raters, column_of = np.unique(indices[1][has_value], return_inverse=True)
    values = np.full((kept_units.size, kept_raters.size), np.nan)
    values[row_of, column_of] = number[value_of[has_value]]
    missing = int(np.count_nonzero(~has_value))
    return Ratings(
        _named(units, kept_units),
        _named(raters, kept_raters),
        values,
        categories,
        level,
        {MISSING: missing} if missing else {},
    )


def _named(names: _Numbered, numbers: Codes) -> tuple[str, ...]:
    all_names = cast(list[str], list(names))
    return tuple(all_names[number] for number in numbers)
