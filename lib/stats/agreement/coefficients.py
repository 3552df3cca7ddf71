"""All coefficients of a table of ratings, each with its interval over units."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from lib.stats.agreement import notes
from lib.stats.agreement.intervals import Resampled, interval, mean_of
from lib.stats.agreement.names import NAMES, OF_NUMBERS, OF_TWO, RESAMPLED_PAIRS, RESAMPLES, SEED, VARYING
from lib.stats.agreement.resampling import resampled
from lib.stats.agreement.statistics import ALL, Key, Statistics
from lib.stats.agreement.table import Ratings


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
    ratings: Ratings, *, resamples: int = RESAMPLES, seed: int = SEED, names: Collection[str] = NAMES
) -> dict[str, Coefficient]:
    """Name -> coefficient, in the order of NAMES; the same numbers for the same ratings, resamples and seed.

    resamples: 0 leaves all intervals out. names: only these. Raises KeyError for a name that there is not.
    """
    if unknown := set(names) - set(NAMES):
        raise KeyError(f"There is no coefficient {sorted(unknown)[0]!r}; names: {', '.join(NAMES)}.")
    ordered_names = [name for name in NAMES if name in names]
    if note := nothing_to_compare(ratings):
        return {name: Coefficient(None, note=note) for name in ordered_names}
    return _Written(Statistics(ratings, ordered_names), resamples, seed).all(ordered_names)


def nothing_to_compare(ratings: Ratings) -> str:
    """Why no coefficient has a value; "" where two raters have met."""
    if not ratings.raters:
        return notes.NO_RATINGS
    if len(ratings.raters) == 1:
        return notes.ONE_RATER
    met = (~np.isnan(ratings.values)).sum(axis=1) > 1
    return "" if met.any() else notes.NEVER_MEET


class _Written:
    """Values and draws as coefficients."""

    def __init__(self, statistics: Statistics, resamples: int, seed: int) -> None:
        self._statistics, self._table = statistics, statistics.table
        self._resamples = resamples
        self._seed = seed
        self._found = resampled(statistics, resamples, seed)
        self._own: dict[tuple[int, int], dict[Key, Resampled]] = {}

    def all(self, names: Sequence[str]) -> dict[str, Coefficient]:
        return {name: self._one(name) for name in names}

    def _one(self, name: str) -> Coefficient:
        if name in OF_NUMBERS and self._table.labelled:
            return Coefficient(None, note=notes.LABELS)
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
        why = self._undefined(name, units) if units else notes.NEVER_MEET
        names = self._table.raters[raters[0]], self._table.raters[raters[1]]
        if not units or len(self._statistics.pairs) == 1:
            return PairValue(names, units, *self._interval((name, *raters), why, units))
        pair_estimate = self._of_pair(raters).get((name, 0, 1))
        value, low, high, note = self._bounds(pair_estimate, why, units)
        alone = bool(self._resamples) and len(self._statistics.pairs) > RESAMPLED_PAIRS
        return PairValue(names, units, value, low, high, notes.MANY_PAIRS if alone and value is not None else note)

    def _of_pair(self, raters: tuple[int, int]) -> dict[Key, Resampled]:
        """Resampled over the units that both have rated, as if there were no other raters."""
        if raters not in self._own:
            table = self._table.rated_by_all(raters)
            draws = self._resamples if len(self._statistics.pairs) <= RESAMPLED_PAIRS else 0
            self._own[raters] = resampled(Statistics(table, self._statistics.wanted & set(OF_TWO)), draws, self._seed)
        return self._own[raters]

    def _over_pairs(self, name: str, pairs: Sequence[PairValue]) -> Coefficient:
        keys = [(name, *raters) for raters in self._statistics.pairs]
        estimates = [self._found[key] for key in keys if key in self._found]
        units = self._table.values.shape[0]
        if not estimates:
            return Coefficient(None, note=notes.PAIRS, units=units, pairs=tuple(pairs))
        mean = mean_of(estimates)
        low, high = interval(mean) or (None, None)
        return Coefficient(None, None, None, notes.PAIRS, units, tuple(pairs), mean.value, low, high)

    def _interval(self, key: Key, why: str, units: int) -> tuple[float | None, float | None, float | None, str]:
        """value, low, high, note; why: the note where there is no value."""
        return self._bounds(self._found.get(key), why, units)

    def _bounds(
        self, estimate: Resampled | None, why: str, units: int
    ) -> tuple[float | None, float | None, float | None, str]:
        if estimate is None:
            return None, None, None, why
        if not self._resamples:
            return estimate.value, None, None, ""
        if units < 2 or self._statistics.found.clusters < 2:
            return estimate.value, None, None, notes.FEW_UNITS
        bounds = interval(estimate)
        return (estimate.value, None, None, notes.NO_INTERVAL) if bounds is None else (estimate.value, *bounds, "")

    def _units(self, name: str) -> int:
        rating_counts = (~np.isnan(self._table.values)).sum(axis=1)
        least = len(self._table.raters) if name in ("icc", "icc_k") else 2
        return int(np.count_nonzero(rating_counts >= least))

    def _undefined(self, name: str, units: int) -> str:
        if name == "krippendorff_alpha" and self._statistics.too_many_values:
            return notes.MANY_VALUES
        if name in ("icc", "icc_k") and units < 2:
            return notes.FEW_COMPLETE
        return notes.CONSTANT if name in VARYING else notes.ONE_CATEGORY
