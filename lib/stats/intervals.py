"""95 % confidence intervals of a share, a mean and a median. Pure; numpy only."""

from collections.abc import Sequence
from math import comb, sqrt
from typing import NamedTuple

import numpy as np

Z95 = 1.959963984540054  # 95 % of a normal distribution lie within this many deviations
DRAWS = 2000
DRAWN_UP_TO = 1000  # values; the mean of more is nearly normal, and resampling costs time


class Interval(NamedTuple):
    """From low to high, both included."""

    low: float
    high: float


def wilson(hits: float, n: float) -> Interval | None:
    """95 % interval of a share by Wilson's score, without continuity correction; None when n is 0.

    hits: 0..n; n need not be whole, such as items divided by a design effect. Stays within 0..1 and is never empty,
    also where hits is 0 or n.
    Source: E. B. Wilson, Probable inference, JASA 22 (1927).
    """
    if not n:
        return None
    share, spread = hits / n, Z95 * Z95 / n
    middle = (share + spread / 2) / (1 + spread)
    half = Z95 * sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    # At the ends the bound is exactly 0 or 1, without rounding errors.
    low, high = max(middle - half, 0.0), min(middle + half, 1.0)
    return Interval(0.0 if hits == 0 else low, 1.0 if hits == n else high)


def mean_interval(values: Sequence[float], *, seed: int = 0) -> Interval | None:
    """95 % interval of a mean; None with fewer than two values.

    Percentile bootstrap over the values up to DRAWN_UP_TO of them, the normal approximation beyond.
    """
    if len(values) < 2:
        return None
    data = np.asarray(values, dtype=float)
    if len(data) > DRAWN_UP_TO:
        mean, half = float(data.mean()), Z95 * float(data.std(ddof=1)) / sqrt(len(data))
        return Interval(mean - half, mean + half)
    draws = np.random.default_rng(seed).integers(0, len(data), size=(DRAWS, len(data)))
    low, high = np.percentile(data[draws].mean(axis=1), [2.5, 97.5])
    return Interval(float(low), float(high))


def median_interval(values: Sequence[float]) -> Interval | None:
    """At least 95 % interval of a median, between two of the values; None with fewer than six, where there is none.

    Assumes nothing about the distribution: the number of values below the median is binomial with 1/2.
    Source: Conover, Practical Nonparametric Statistics, chapter 3.2; beyond DRAWN_UP_TO values by the normal.
    """
    n = len(values)
    if n < 6:
        return None
    ordered = sorted(values)
    below = _below(n) if n <= DRAWN_UP_TO else int((n - Z95 * sqrt(n)) / 2) - 1
    return Interval(float(ordered[below]), float(ordered[n - 1 - below]))


def _below(n: int) -> int:
    """How many values may be cut off at each end: the largest k with P(Bin(n, 1/2) < k) at most 2.5 %."""
    cut, total = 0, 0
    while (total + comb(n, cut)) * 40 <= 2**n:
        total += comb(n, cut)
        cut += 1
    return cut - 1 if cut else 0
