"""Correlations of two lists of scores: Pearson, Spearman, Kendall's tau-b, with bootstrap intervals.

Pairs with a missing value (NaN) are left out and counted. With fewer than two pairs, or where one list never varies,
there is no value.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lib.stats.averages import Floats, Places, divided
from lib.stats.bootstrap import DRAWS, LEVEL, SEED
from lib.stats.figures import NO_UNITS, Figure, bounds_of, drawn_figure, undefined


@dataclass(frozen=True)
class Correlation:
    """value in -1..1, or None; n: pairs that were compared; skipped: pairs with a missing value."""

    value: float | None
    n: int
    skipped: int = 0


def pearson(left: Sequence[float], right: Sequence[float]) -> Correlation:
    """Product-moment correlation of the values themselves."""
    return _of(left, right, _pearson_of_pair)


def spearman(left: Sequence[float], right: Sequence[float]) -> Correlation:
    """Pearson's correlation of the ranks; equal values share the mean of their ranks."""
    return _of(left, right, lambda first, second: _pearson_of_pair(mean_ranks(first), mean_ranks(second)))


def kendall(left: Sequence[float], right: Sequence[float]) -> Correlation:
    """Tau-b: (concordant − discordant pairs) / √(pairs untied on the left × pairs untied on the right).

    Source: Kendall, "The treatment of ties in ranking problems" (Biometrika, 1945). n² steps.
    """
    return _of(left, right, _kendall_of_pair)


COEFFICIENTS: Mapping[str, Callable[[Sequence[float], Sequence[float]], Correlation]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}


def mean_ranks(values: Floats) -> Floats:
    """Ranks from 1 for the smallest; equal values share the mean of the ranks that they take together."""
    _distinct, group, counts = np.unique(values, return_inverse=True, return_counts=True)
    last_ranks = np.cumsum(counts)
    shared: Floats = (last_ranks - (counts - 1) / 2)[group]
    return shared


def _of(left: Sequence[float], right: Sequence[float], coefficient: Callable[[Floats, Floats], float]) -> Correlation:
    first, second = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    if first.shape != second.shape:
        raise ValueError(f"{first.size} values cannot be paired with {second.size}.")
    has = ~(np.isnan(first) | np.isnan(second))
    first, second = first[has], second[has]
    skipped = int(has.size - first.size)
    if first.size < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return Correlation(None, int(first.size), skipped)
    return Correlation(float(np.clip(coefficient(first, second), -1, 1)), int(first.size), skipped)


def _pearson_of_pair(first: Floats, second: Floats) -> float:
    first, second = _spread(first), _spread(second)
    return float(first @ second / np.sqrt((first @ first) * (second @ second)))


def _spread(values: Floats) -> Floats:
    """Deviations from the mean relative to the largest, so that squares of tiny ones are not rounded to 0."""
    deviations: Floats = values / np.abs(values).max()
    deviations = deviations - deviations.mean()
    return deviations / np.abs(deviations).max()


def _kendall_of_pair(first: Floats, second: Floats) -> float:
    agreeing = untied_left = untied_right = 0.0
    for index in range(1, first.size):
        left, right = np.sign(first[index] - first[:index]), np.sign(second[index] - second[:index])
        agreeing += left @ right
        untied_left += np.abs(left).sum()
        untied_right += np.abs(right).sum()
    return float(agreeing / np.sqrt(untied_left * untied_right))


# Bootstrap intervals: pairs are resampled with a fixed seed.
#
# A resample is stored as the count of each pair in it, so that a thousand resamples are a few matrix products.


Interval = tuple[float, float]
FEWEST = 3  # pairs; with fewer, nearly every resample has one distinct pair only


def correlation_intervals(
    left: Sequence[float], right: Sequence[float], *, count: int = DRAWS, seed: int = SEED, level: float = LEVEL
) -> dict[str, Interval | None]:
    """Name of each coefficient -> percentile interval over the pairs without a missing value.

    None with fewer than FEWEST pairs, or where most draws have no value because one side does not vary in them.
    Memory grows with the square of the pairs.
    """
    first, second = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    has = ~(np.isnan(first) | np.isnan(second))
    pairs = int(has.sum())
    if pairs < FEWEST:
        return dict.fromkeys(COEFFICIENTS)
    times = np.random.default_rng(seed).multinomial(pairs, np.full(pairs, 1 / pairs), size=count).astype(float)
    draws_by_name = drawn_correlations(first[has], second[has], times)
    return {name: _interval(values, level) for name, values in draws_by_name.items()}


def drawn_correlations(first: Floats, second: Floats, times: Floats) -> Mapping[str, Floats]:
    """Name -> coefficient in each draw, NaN where it has none. times: (draws, pairs), how often each pair is in it."""
    return {
        "pearson": _weighted_pearson(first[None], second[None], times),
        "spearman": _weighted_pearson(_mean_ranks(first, times), _mean_ranks(second, times), times),
        "kendall": _weighted_kendall(first, second, times),
    }


def _weighted_pearson(first: Floats, second: Floats, times: Floats) -> Floats:
    """first, second: (draws or 1, pairs)."""
    first, second = _deviations(first, times), _deviations(second, times)
    spread = np.sqrt((times * first**2).sum(axis=1) * (times * second**2).sum(axis=1))
    return divided((times * first * second).sum(axis=1), np.where(spread > 1e-12, spread, 0))


def _deviations(values: Floats, times: Floats) -> Floats:
    deviations: Floats = values - divided((times * values).sum(axis=1), times.sum(axis=1))[:, None]
    return deviations


def _mean_ranks(values: Floats, times: Floats) -> Floats:
    """(draws, pairs): the rank that each value has in each draw; equal ones share their mean."""
    smaller = np.less.outer(values, values).astype(float)
    equal = np.equal.outer(values, values).astype(float)
    ranks: Floats = times @ smaller + (times @ equal + 1) / 2
    return ranks


def _weighted_kendall(first: Floats, second: Floats, times: Floats) -> Floats:
    left, right = (np.sign(np.subtract.outer(values, values)) for values in (first, second))
    agreeing = _over_pairs(left * right, times)
    return divided(agreeing, np.sqrt(_over_pairs(np.abs(left), times) * _over_pairs(np.abs(right), times)))


def _over_pairs(matrix: Floats, times: Floats) -> Floats:
    """The sum over all pairs of what is in a draw."""
    total: Floats = ((times @ matrix) * times).sum(axis=1)
    return total


def _interval(values: Floats, level: float) -> Interval | None:
    valid_values = values[~np.isnan(values)]
    if 2 * valid_values.size <= values.size:
        return None
    low, high = np.percentile(valid_values, [100 * (1 - level) / 2, 100 * (1 + level) / 2])
    return float(low), float(high)


# Pearson's r of clustered scores, such as several answers to one case: clusters are resampled.


def clustered_pearson(first: Floats, second: Floats, cluster: Places, times: Floats) -> Figure:
    """first, second: (units,) without NaN; cluster: (units,) the index of each unit's cluster.

    times: (draws, clusters), how often each cluster is in each resample. n counts units. Undefined for less than two
    units and where one side does not vary. Sums by cluster are resampled, so that many thousand units are fast.
    """
    correlation = pearson(first.tolist(), second.tolist())
    if correlation.value is None:
        return undefined(NO_UNITS, correlation.n)
    left, right = first - first.mean(), second - second.mean()
    moments = [np.ones_like(left), left, right, left * left, right * right, left * right]
    sums = np.array([np.bincount(cluster, weights=moment, minlength=times.shape[1]) for moment in moments])
    n, x, y, xx, yy, xy = sums @ times.T
    spread = np.sqrt(np.maximum(n * xx - x * x, 0) * np.maximum(n * yy - y * y, 0))
    draws = divided(n * xy - x * y, np.where(spread > 1e-9, spread, 0))
    return drawn_figure(correlation.value, correlation.n, np.clip(draws, -1, 1))


# Correlations of two rankings of the same authors, for many resamples of the items at once.


def intervals(left: Floats, right: Floats) -> Mapping[str, tuple[float, float] | None]:
    """left, right: (draws, authors), means of each author in each resample -> 95 % interval by coefficient.

    None where most resamples have no value, because all authors are equal in them.
    """
    left_signs, right_signs = _signs(left), _signs(right)
    values = {
        "kendall": divided((left_signs * right_signs).sum(axis=(1, 2)), _untied(left_signs) * _untied(right_signs)),
        "spearman": _pearson_by_row(
            left_signs.sum(axis=2), right_signs.sum(axis=2)
        ),  # as ranks, up to a shift and a half
        "pearson": _pearson_by_row(left, right),
    }
    return {name: _bounds(draws) for name, draws in values.items()}


def _signs(values: Floats) -> Floats:
    """(draws, authors, authors): who is ahead of whom."""
    return np.sign(values[:, :, None] - values[:, None, :])


def _untied(signs: Floats) -> Floats:
    return np.sqrt(np.abs(signs).sum(axis=(1, 2)))


def _pearson_by_row(left: Floats, right: Floats) -> Floats:
    left_deviations, right_deviations = (
        left - left.mean(axis=1, keepdims=True),
        right - right.mean(axis=1, keepdims=True),
    )
    return divided(
        (left_deviations * right_deviations).sum(axis=1),
        np.sqrt((left_deviations**2).sum(axis=1) * (right_deviations**2).sum(axis=1)),
    )


def _bounds(draws: Floats) -> tuple[float, float] | None:
    low, high = bounds_of(np.clip(draws, -1, 1))
    return None if low is None or high is None else (low, high)
