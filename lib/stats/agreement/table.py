"""Tables of ratings: units × raters, numbers or numbered labels, with gaps; and the names of all coefficients."""

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from lib.stats.figures import gettext_noop

# The values that a rating may have at each level.


Label: TypeAlias = str | bool | int | float
UnitName: TypeAlias = Any  # a text or another hashable value; units are resampled in the order of their texts
Sort = Literal["text", "true or false", "a number"]


class BadRatings(ValueError):
    """Rows that are no valid table. row: index of the first bad row, from 0; first_row: of the row that it repeats."""

    def __init__(self, row: int, message: str, first_row: int | None = None) -> None:
        super().__init__(message)
        self.row, self.message, self.first = row, message, first_row


def checked(row: int, value: object, level: str, previous_sort: Sort | None) -> Sort:
    """The sort of the value. previous_sort: the sort of the values so far. Raises BadRatings."""
    sort = _sort(row, value)
    if sort != "a number" and level != "nominal":
        raise BadRatings(row, f"The value {_shown(value)} is {sort}; at {level} level values are numbers.")
    if previous_sort not in (None, sort):
        raise BadRatings(
            row, f"The value {_shown(value)} is {sort}, those before are {previous_sort}. Use one sort of values."
        )
    if level == "ratio" and isinstance(value, int | float) and value < 0:
        raise BadRatings(row, f"The value {_shown(value)} is negative; at ratio level the least value is 0.")
    return sort


def _sort(row: int, value: object) -> Sort:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, str):
        return "text"
    if not isinstance(value, int | float):
        raise BadRatings(row, f"The value {_shown(value)} is neither text nor a number.")
    if not math.isfinite(value) or abs(value) > 1e150:  # its square would be no number
        raise BadRatings(
            row, f"The value {_shown(value)} is not a number that can be used. Use null for a missing rating."
        )
    return "a number"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = get_args(Level)
Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.intp]
Flags: TypeAlias = NDArray[np.bool_]
MISSING = "missing"


@dataclass(frozen=True)
class RatingTable:
    """The ratings of units by raters.

    values: (units, raters), NaN = no rating: numbers, or places in `categories` where those are labels.
    categories: the distinct values that were given, in order; for labels in alphabetical order.
    skipped: reason -> rows that are no ratings. A unit and a rater stand here when they have a rating.
    clusters: of each unit the cluster that is resampled whole; empty where each unit is its own.
    """

    units: tuple[UnitName, ...]
    raters: tuple[str, ...]
    values: Floats
    categories: tuple[Label, ...]
    level: Level
    skipped: Mapping[str, int] = field(default_factory=dict)
    clusters: tuple[UnitName, ...] = ()

    @property
    def resampled(self) -> tuple[UnitName, ...]:
        """(units,): the cluster of each."""
        return self.clusters or self.units

    def clustered(self, clusters: Mapping[UnitName, str]) -> "RatingTable":
        """clusters: unit -> its cluster; a unit that is not there is its own."""
        return replace(self, clusters=tuple(clusters.get(unit, unit) for unit in self.units)) if clusters else self

    def rated_by_all(self, raters: Sequence[int]) -> "RatingTable":
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


def ratings(rows: Iterable[tuple[UnitName, str, Label | None]], level: Level = "nominal") -> RatingTable:
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


class _Numbered(dict[Any, int]):
    """Units, raters or values -> numbers in the order of their first appearance."""

    def number(self, name: Any) -> int:
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
) -> RatingTable:
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
    return RatingTable(
        _named(units, kept_units),
        _named(raters, kept_raters),
        values,
        categories,
        level,
        {MISSING: missing} if missing else {},
    )


def _named(names: _Numbered, numbers: Codes) -> tuple[Any, ...]:
    all_names = list(names)
    return tuple(all_names[number] for number in numbers)


# The names of all coefficients, in the order of tables; scripts rely on them.


OF_TWO = ("cohen_kappa", "weighted_kappa", "pearson", "spearman", "kendall", "mae")
NAMES = (
    "percent",
    "cohen_kappa",
    "weighted_kappa",
    "fleiss_kappa",
    "krippendorff_alpha",
    "gwet_ac",
    "brennan_prediger",
    "icc",
    "icc_k",
    "pearson",
    "spearman",
    "kendall",
    "mae",
)
OF_NUMBERS = frozenset({"weighted_kappa", "icc", "icc_k", "pearson", "spearman", "kendall", "mae"})
VARYING = frozenset({"icc", "icc_k", "pearson", "spearman", "kendall"})  # undefined where scores are constant
RESAMPLES = 1000
SEED = 0
RESAMPLED_PAIRS = 200  # of raters; of more, only the values of each are given: intervals of all would take minutes


# Why a coefficient has no value, or no interval: a closed list, so that screens can translate it.


NO_RATINGS = gettext_noop("There are no ratings.")
ONE_RATER = gettext_noop("There is only one rater; agreement needs two.")
NEVER_MEET = gettext_noop("No unit has ratings from two raters.")
ONE_CATEGORY = gettext_noop("All compared ratings are in one category, so chance agreement is just as high.")
CONSTANT = gettext_noop("On at least one side, the compared scores never vary.")
LABELS = gettext_noop("Labels have no distance from each other; this coefficient needs numbers.")
PAIRS = gettext_noop("This coefficient compares two raters. With more raters, see “pairs” for the value of each pair.")
FEW_COMPLETE = gettext_noop("Fewer than two units have ratings from every rater.")
MANY_VALUES = gettext_noop("There are too many different values to compare them all at ratio level.")
NO_INTERVAL = gettext_noop("No interval: most resamples of the units have no value.")
ONE_SIDED = gettext_noop(
    "Nearly all votes are for one side, so chance agreement is high: kappa is low although raw agreement is high."
)
MANY_PAIRS = gettext_noop("No interval: there are too many pairs of raters to resample each.")
FEW_UNITS = gettext_noop("No interval: at least two comparable units are needed.")
