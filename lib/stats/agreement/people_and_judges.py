"""Means over pairs of raters on the same units: people with people against people with judges.

A coefficient of three raters is not comparable with one of two; the coefficients of pairs and their plain means are.
All pairs are computed on the same resamples, so that the difference of two means has an interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lib.stats.agreement.coefficients import nothing_to_compare
from lib.stats.agreement.group_coefficients import Alpha, Crowd, Intraclass
from lib.stats.agreement.pair import RaterPair
from lib.stats.agreement.patterns import patterns
from lib.stats.agreement.resampling import MOST_LEFT_OUT, ResampledCoefficient, Statistic, interval, mean_of, scale
from lib.stats.agreement.table import (
    CONSTANT,
    FEW_UNITS,
    LABELS,
    NEVER_MEET,
    NO_INTERVAL,
    OF_NUMBERS,
    OF_TWO,
    ONE_CATEGORY,
    RESAMPLES,
    SEED,
    VARYING,
    Floats,
    RatingTable,
)

Two = tuple[str, str]


@dataclass(frozen=True)
class Mean:
    """Mean over pairs. value: None where no pair has one, and `note` says why; otherwise the note is empty or says why
    there is no interval. pairs: those that have a value; undefined: those that meet and have none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    pairs: int = 0
    undefined: int = 0


@dataclass(frozen=True)
class PeopleAndJudge:
    """difference: the other mean less the one, over the same draws."""

    one: Mean
    other: Mean
    difference: Mean


def beside(
    table: RatingTable,
    name: str,
    first_pairs: Sequence[Two],
    second_pairs: Sequence[Two],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> PeopleAndJudge:
    """first_pairs, second_pairs: pairs of raters of the table; pairs who share no unit are passed over.

    Every pair is counted over the units that both have rated; categories are those of the whole table.
    """
    if note := nothing_to_compare(table):
        return PeopleAndJudge(Mean(None, note=note), Mean(None, note=note), Mean(None, note=note))
    draws = _Draws(table, name, resamples, seed)
    left, right = draws.mean(first_pairs), draws.mean(second_pairs)
    return PeopleAndJudge(left.mean, right.mean, draws.difference(left, right))


@dataclass(frozen=True)
class _Found:
    mean: Mean
    drawn: ResampledCoefficient | None


class _Draws:
    """One coefficient of any two raters of a table, over one set of draws."""

    def __init__(self, table: RatingTable, name: str, resamples: int, seed: int) -> None:
        self._table, self._name = table, name
        self._found = patterns(table.codes, table.resampled)
        has_rating = (self._found.codes >= 0).astype(float)
        self._met = has_rating.T @ has_rating > 0  # (raters, raters): who shares a unit with whom
        self._places = {rater: index for index, rater in enumerate(table.raters)}
        self._draws = list(self._found.draws(resamples, seed)) if resamples else []
        few = resamples and self._found.clusters <= MOST_LEFT_OUT
        self._without = list(self._found.without_one()) if few else []

    def mean(self, pairs: Sequence[Two]) -> _Found:
        if self._name in OF_NUMBERS and self._table.labelled:
            return _Found(Mean(None, note=LABELS), None)
        met = [pair for pair in pairs if self._meet(pair)]
        if not met:
            return _Found(Mean(None, note=NEVER_MEET), None)
        estimates = [self._pair(pair) for pair in met]
        defined_estimates = [estimate for estimate in estimates if not np.isnan(estimate.value)]
        without = len(estimates) - len(defined_estimates)
        if not defined_estimates:
            return _Found(Mean(None, note=CONSTANT if self._name in VARYING else ONE_CATEGORY, undefined=without), None)
        mean = mean_of(defined_estimates)
        return _Found(self._told(mean, len(defined_estimates), without), mean)

    def difference(self, first: _Found, second: _Found) -> Mean:
        if first.drawn is None or second.drawn is None:
            return Mean(None, note=first.mean.note or second.mean.note)
        less = ResampledCoefficient(
            second.drawn.value - first.drawn.value,
            second.drawn.drawn - first.drawn.drawn,
            second.drawn.left_out - first.drawn.left_out,
            first.drawn.counts,
            first.drawn.plain,
        )
        return self._told(less, 0, 0)

    def _told(self, estimate: ResampledCoefficient, pairs: int, undefined: int) -> Mean:
        if not self._draws:
            return Mean(estimate.value, pairs=pairs, undefined=undefined)
        if self._found.clusters < 2:
            return Mean(estimate.value, note=FEW_UNITS, pairs=pairs, undefined=undefined)
        bounds = interval(estimate)
        if bounds is None:
            return Mean(estimate.value, note=NO_INTERVAL, pairs=pairs, undefined=undefined)
        return Mean(estimate.value, *bounds, pairs=pairs, undefined=undefined)

    def _meet(self, pair: Two) -> bool:
        indices = self._places
        return set(pair) <= indices.keys() and bool(self._met[indices[pair[0]], indices[pair[1]]])

    def _pair(self, pair: Two) -> ResampledCoefficient:
        statistic = self._statistic(self._places[pair[0]], self._places[pair[1]])

        def of(times: Floats) -> Floats:
            values: Floats = statistic.of(times)[self._name]
            return values

        none = np.zeros(0)
        return ResampledCoefficient(
            float(of(self._found.counts[None])[0]),
            np.concatenate([of(times) for times in self._draws]) if self._draws else none,
            np.concatenate([of(times) for times in self._without]) if self._without else none,
            self._found.alike,
            self._found.plain,
        )

    def _statistic(self, left: int, right: int) -> Statistic:
        table, name = self._table, self._name
        if name in OF_TWO:
            only_kappa = table.labelled or name not in OF_NUMBERS
            return RaterPair(self._found, left, right, table.numbers, scale(table), only_kappa=only_kappa)
        codes = self._found.codes[:, [left, right]]
        met = np.repeat((codes >= 0).all(axis=1), 2).reshape(codes.shape)
        both = replace(self._found, codes=np.where(met, codes, -1))
        if name == "krippendorff_alpha":
            return Alpha(both, table.numbers, table.level)
        if name in ("icc", "icc_k"):
            return Intraclass(both, table.numbers)
        return Crowd(both, scale(table), weighted=table.level != "nominal")
