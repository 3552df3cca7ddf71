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
    return _of(left, right, lambda one, other: _pearson(mean_ranks(one), mean_ranks(other)))


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
    _distinct, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    shared: Floats = (last - (counts - 1) / 2)[place]
    return shared


def _of(left: Sequence[float], right: Sequence[float], coefficient: Callable[[Floats, Floats], float]) -> Correlation:
    one, other = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    if one.shape != other.shape:
        raise ValueError(f"{one.size} values cannot be paired with {other.size}.")
    has = ~(np.isnan(one) | np.isnan(other))
    one, other = one[has], other[has]
    skipped = int(has.size - one.size)
    if one.size < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return Correlation(None, int(one.size), skipped)
    return Correlation(float(np.clip(coefficient(one, other), -1, 1)), int(one.size), skipped)


def _pearson(one: Floats, other: Floats) -> float:
    one, other = _spread(one), _spread(other)
    return float(one @ other / np.sqrt((one @ one) * (other @ other)))


def _spread(values: Floats) -> Floats:
    """Deviations from the mean as shares of the largest, so that squares of tiny ones are not rounded to 0."""
    deviations: Floats = values / np.abs(values).max()
    deviations = deviations - deviations.mean()
    return deviations / np.abs(deviations).max()


def _kendall(one: Floats, other: Floats) -> float:
    agreeing = untied_left = untied_right = 0.0
    for place in range(1, one.size):
        left, right = np.sign(one[place] - one[:place]), np.sign(other[place] - other[:place])
        agreeing += left @ right
        untied_left += np.abs(left).sum()
        untied_right += np.abs(right).sum()
    return float(agreeing / np.sqrt(untied_left * untied_right))
