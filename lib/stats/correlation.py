"""How far two lists of scores go together: Pearson, Spearman, Kendall's tau-b.

Each leaves out pairs of which one value is missing (NaN) and counts them. With fewer than two pairs, or where one list
never varies, there is no value.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lib.stats.averages import Floats


@dataclass(frozen=True)
class Correlation:
    """value in -1..1, or None; n: pairs that were compared; skipped: pairs with a missing value."""

    value: float | None
    n: int
    skipped: int = 0


def pearson(left: Sequence[float], right: Sequence[float]) -> Correlation:
    """Product-moment correlation of the values themselves."""
    return _of(left, right, _pearson)


def spearman(left: Sequence[float], right: Sequence[float]) -> Correlation:
    """Pearson's correlation of the ranks; equal values share the mean of their ranks."""
    return _of(left, right, lambda first, second: _pearson(mean_ranks(first), mean_ranks(second)))


def kendall(left: Sequence[float], right: Sequence[float]) -> Correlation:
    """Tau-b: (concordant − discordant pairs) / √(pairs untied on the left × pairs untied on the right).

    Source: Kendall, "The treatment of ties in ranking problems" (Biometrika, 1945). n² steps.
    """
    return _of(left, right, _kendall)


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


def _pearson(first: Floats, second: Floats) -> float:
    first, second = _spread(first), _spread(second)
    return float(first @ second / np.sqrt((first @ first) * (second @ second)))


def _spread(values: Floats) -> Floats:
    """Deviations from the mean as shares of the largest, so that squares of tiny ones are not rounded to 0."""
    deviations: Floats = values / np.abs(values).max()
    deviations = deviations - deviations.mean()
    return deviations / np.abs(deviations).max()


def _kendall(first: Floats, second: Floats) -> float:
    agreeing = untied_left = untied_right = 0.0
    for index in range(1, first.size):
        left, right = np.sign(first[index] - first[:index]), np.sign(second[index] - second[:index])
        agreeing += left @ right
        untied_left += np.abs(left).sum()
        untied_right += np.abs(right).sum()
    return float(agreeing / np.sqrt(untied_left * untied_right))
