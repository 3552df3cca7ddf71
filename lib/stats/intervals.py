"""95 % confidence intervals of a share, a mean and a median. Pure; numpy only."""

from collections.abc import Sequence
from math import comb, sqrt
from typing import NamedTuple

import numpy as np

Z = 1.959964  # 95 % of a normal distribution lie within this many deviations
DRAWS = 2000
DRAWN_UP_TO = 1000  # values; the mean of more is nearly normal, and resampling costs time


class Interval(NamedTuple):
    """From low to high, both included."""

    low: float
    high: float


def share_interval(hits: int, n: int) -> Interval | None:
    """95 % interval of a share by Wilson's score; None when n is 0.

    hits: 0..n. Stays within 0..1 and is never empty, also where hits is 0 or n.
    Source: E. B. Wilson, Probable inference, JASA 22 (1927).
    """
    if n == 0:
        return None
    share, z2 = hits / n, Z * Z
    centre = share + z2 / (2 * n)
    spread = Z * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # A bound that is exactly 0 or 1 must not get a rounding error.
    low = 0.0 if hits == 0 else (centre - spread) / (1 + z2 / n)
    high = 1.0 if hits == n else (centre + spread) / (1 + z2 / n)
    return Interval(low, high)


def mean_interval(values: Sequence[float], *, seed: int = 0) -> Interval | None:
    """95 % interval of a mean; None with fewer than two values.

    Percentile bootstrap over the values up to DRAWN_UP_TO of them, the normal approximation beyond.
    """
    if len(values) < 2:
        return None
    data = np.asarray(values, dtype=float)
    if len(data) > DRAWN_UP_TO:
        mean, half = float(data.mean()), Z * float(data.std(ddof=1)) / sqrt(len(data))
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
    below = _below(n) if n <= DRAWN_UP_TO else int((n - Z * sqrt(n)) / 2) - 1
    return Interval(float(ordered[below]), float(ordered[n - 1 - below]))


def _below(n: int) -> int:
    """How many values may be cut off at each end: the largest k with P(Bin(n, 1/2) < k) at most 2.5 %."""
    cut, total = 0, 0
    while (total + comb(n, cut)) * 40 <= 2**n:
        total += comb(n, cut)
        cut += 1
    return cut - 1 if cut else 0
