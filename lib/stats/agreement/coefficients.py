"""All agreement coefficients of a table of ratings with intervals over units, and their JSON."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from lib.stats.agreement import table
from lib.stats.agreement.pair import RaterPair
from lib.stats.agreement.patterns import patterns
from lib.stats.agreement.resampling import (
    ALL,
    CoefficientFunctions,
    Key,
    ResampledCoefficient,
    interval,
    mean_of,
    resampled,
    scale,
)
from lib.stats.agreement.table import (
    NAMES,
    OF_NUMBERS,
    OF_TWO,
    RESAMPLED_PAIRS,
    RESAMPLES,
    SEED,
    VARYING,
    Floats,
    RatingTable,
)


@dataclass(frozen=True)
class PairValue:
    """One coefficient of two of the raters, over `units` that both have rated."""

    raters: tuple[str, str]
    units: int
    value: float | None
    low: float | None
    high: float | None
    note: str = ""


@dataclass(frozen=True)
class Coefficient:
    """value: None where undefined, and `note` says why; otherwise the note is empty or says why there is no interval.

    low, high: 95 % interval over units. units: that count in it. For a coefficient of two raters where there are more,
    the value is None, `pairs` has that of each two of them and mean_over_pairs the plain mean of those that have one,
    with its own interval.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    units: int = 0
    pairs: tuple[PairValue, ...] = ()
    mean_over_pairs: float | None = None
    mean_low: float | None = None
    mean_high: float | None = None


def coefficients(
    ratings: RatingTable, *, resamples: int = RESAMPLES, seed: int = SEED, names: Collection[str] = NAMES
) -> dict[str, Coefficient]:
    """Name -> coefficient, in the order of NAMES; the same numbers for the same ratings, resamples and seed.

    resamples: 0 leaves all intervals out. names: only these. Raises KeyError for a name that there is not.
    """
    if unknown := set(names) - set(NAMES):
        raise KeyError(f"There is no coefficient {sorted(unknown)[0]!r}; names: {', '.join(NAMES)}.")
    ordered_names = [name for name in NAMES if name in names]
    if note := nothing_to_compare(ratings):
        return {name: Coefficient(None, note=note) for name in ordered_names}
    return _Written(CoefficientFunctions(ratings, ordered_names), resamples, seed).all(ordered_names)


def nothing_to_compare(ratings: RatingTable) -> str:
    """Why no coefficient has a value; "" where two raters share a unit."""
    if not ratings.raters:
        return table.NO_RATINGS
    if len(ratings.raters) == 1:
        return table.ONE_RATER
    met = (~np.isnan(ratings.values)).sum(axis=1) > 1
    return "" if met.any() else table.NEVER_MEET


class _Written:
    """Values and draws as coefficients."""

    def __init__(self, statistics: CoefficientFunctions, resamples: int, seed: int) -> None:
        self._statistics, self._table = statistics, statistics.table
        self._resamples = resamples
        self._seed = seed
        self._found = resampled(statistics, resamples, seed)
        self._own: dict[tuple[int, int], dict[Key, ResampledCoefficient]] = {}

    def all(self, names: Sequence[str]) -> dict[str, Coefficient]:
        return {name: self._one(name) for name in names}

    def _one(self, name: str) -> Coefficient:
        if name in OF_NUMBERS and self._table.labelled:
            return Coefficient(None, note=table.LABELS)
        if name not in OF_TWO:
            return self._of_all(name)
        pairs = [self._pair(name, raters) for raters in self._statistics.pairs]
        if len(pairs) == 1:
            only = pairs[0]
            return Coefficient(only.value, only.low, only.high, only.note, only.units)
        return self._over_pairs(name, pairs)

    def _of_all(self, name: str) -> Coefficient:
        units = self._units(name)
        value, low, high, note = self._interval((name, *ALL), self._undefined(name, units), units)
        return Coefficient(value, low, high, note, units)

    def _pair(self, name: str, raters: tuple[int, int]) -> PairValue:
        units = self._statistics.pairs[raters].units
        why = self._undefined(name, units) if units else table.NEVER_MEET
        names = self._table.raters[raters[0]], self._table.raters[raters[1]]
        if not units or len(self._statistics.pairs) == 1:
            return PairValue(names, units, *self._interval((name, *raters), why, units))
        pair_estimate = self._of_pair(raters).get((name, 0, 1))
        value, low, high, note = self._bounds(pair_estimate, why, units)
        alone = bool(self._resamples) and len(self._statistics.pairs) > RESAMPLED_PAIRS
        return PairValue(names, units, value, low, high, table.MANY_PAIRS if alone and value is not None else note)

    def _of_pair(self, raters: tuple[int, int]) -> dict[Key, ResampledCoefficient]:
        """Resampled over the units that both have rated, as if there were no other raters."""
        if raters not in self._own:
            table = self._table.rated_by_all(raters)
            draws = self._resamples if len(self._statistics.pairs) <= RESAMPLED_PAIRS else 0
            self._own[raters] = resampled(
                CoefficientFunctions(table, self._statistics.wanted & set(OF_TWO)), draws, self._seed
            )
        return self._own[raters]

    def _over_pairs(self, name: str, pairs: Sequence[PairValue]) -> Coefficient:
        keys = [(name, *raters) for raters in self._statistics.pairs]
        estimates = [self._found[key] for key in keys if key in self._found]
        units = self._table.values.shape[0]
        if not estimates:
            return Coefficient(None, note=table.PAIRS, units=units, pairs=tuple(pairs))
        mean = mean_of(estimates)
        low, high = interval(mean) or (None, None)
        return Coefficient(None, None, None, table.PAIRS, units, tuple(pairs), mean.value, low, high)

    def _interval(self, key: Key, why: str, units: int) -> tuple[float | None, float | None, float | None, str]:
        """value, low, high, note; why: the note where there is no value."""
        return self._bounds(self._found.get(key), why, units)

    def _bounds(
        self, estimate: ResampledCoefficient | None, why: str, units: int
    ) -> tuple[float | None, float | None, float | None, str]:
        if estimate is None:
            return None, None, None, why
        if not self._resamples:
            return estimate.value, None, None, ""
        if units < 2 or self._statistics.found.clusters < 2:
            return estimate.value, None, None, table.FEW_UNITS
        bounds = interval(estimate)
        return (estimate.value, None, None, table.NO_INTERVAL) if bounds is None else (estimate.value, *bounds, "")

    def _units(self, name: str) -> int:
        rating_counts = (~np.isnan(self._table.values)).sum(axis=1)
        least = len(self._table.raters) if name in ("icc", "icc_k") else 2
        return int(np.count_nonzero(rating_counts >= least))

    def _undefined(self, name: str, units: int) -> str:
        if name == "krippendorff_alpha" and self._statistics.too_many_values:
            return table.MANY_VALUES
        if name in ("icc", "icc_k") and units < 2:
            return table.FEW_COMPLETE
        return table.CONSTANT if name in VARYING else table.ONE_CATEGORY


# JSON: coefficients and tables of counts, in the shape that scripts and reports rely on. Undefined values are None.


MOST_CATEGORIES = 50
MOST_TABLES = 200


def as_json(coefficient: Coefficient) -> dict[str, Any]:
    """value, low, high, note, units; where pairs are compared also `pairs`, `mean_over_pairs` and its interval."""
    document: dict[str, Any] = {name: getattr(coefficient, name) for name in ("value", "low", "high", "note", "units")}
    if coefficient.pairs:
        document["pairs"] = [asdict(pair) | {"raters": list(pair.raters)} for pair in coefficient.pairs]
        document |= {name: getattr(coefficient, name) for name in ("mean_over_pairs", "mean_low", "mean_high")}
    return document


def matrix(table: RatingTable) -> dict[str, Any] | None:
    """Contingency table: counts[i][j] units with value i by one rater and j by another.

    With two raters, rows are the first. With more, each pair is counted in both directions, so that the table is
    symmetric, and `pairs` has the table of each pair. None with too many categories to show.
    """
    q = len(table.categories)
    if q > MOST_CATEGORIES:
        return None
    tables = _tables(table)
    document: dict[str, Any] = {"categories": list(table.categories)}
    if len(table.raters) == 2:
        (raters,) = tables
        return document | {"raters": list(raters), "counts": _whole(tables[raters])}
    total = sum(tables.values(), np.zeros((q, q)))
    document["counts"] = _whole(total + total.T)
    if len(tables) <= MOST_TABLES:
        document["pairs"] = [{"raters": list(raters), "counts": _whole(counts)} for raters, counts in tables.items()]
    return document


def _tables(table: RatingTable) -> dict[tuple[str, str], Floats]:
    table_patterns, q = patterns(table.codes), len(table.categories)
    rater_pairs = list(combinations(range(len(table.raters)), 2))
    pairs = (
        RaterPair(table_patterns, *rater_pair, table.numbers, scale(table), only_kappa=True)
        for rater_pair in rater_pairs
    )
    return {
        (table.raters[left], table.raters[right]): pair.table(q)
        for (left, right), pair in zip(rater_pairs, pairs, strict=True)
    }


def _whole(counts: Floats) -> list[list[int]]:
    whole: list[list[int]] = counts.astype(int).tolist()
    return whole
