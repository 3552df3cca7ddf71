"""Lengths of texts: summary statistics and histogram ranges."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]
BINS = 20
ROUND = (1, 2, 5)


@dataclass(frozen=True)
class Summary:
    """Summary of n lengths; all other fields are None where n is 0. p95: the 95th percentile (linear interpolation)."""

    n: int
    mean: float | None = None
    median: float | None = None
    p95: float | None = None
    shortest: int | None = None
    longest: int | None = None


@dataclass(frozen=True)
class LengthRange:
    """Lengths from low to below high; high None: low and more."""

    low: int
    high: int | None
    count: int


def summary(lengths: Whole) -> Summary:
    if not lengths.size:
        return Summary(0)
    median, p95 = np.percentile(lengths, [50, 95])
    return Summary(
        n=int(lengths.size),
        mean=float(lengths.mean()),
        median=float(median),
        p95=float(p95),
        shortest=int(lengths.min()),
        longest=int(lengths.max()),
    )


def ranges(lengths: Whole, most: int = BINS) -> Sequence[LengthRange]:
    """At most `most` ranges of one round width from 0 to the 99th percentile, then one for all longer texts.

    Counts add up to the number of lengths. Empty where there are none.
    """
    if not lengths.size:
        return []
    width = _round(max(float(np.percentile(lengths, 99)), 1.0) / most)
    number = min(int(lengths.max()) // width + 1, most)
    counts = np.bincount(np.minimum(lengths // width, number), minlength=number + 1)
    length_ranges = [LengthRange(index * width, (index + 1) * width, int(counts[index])) for index in range(number)]
    return [*length_ranges, LengthRange(number * width, None, int(counts[number]))] if counts[number] else length_ranges


def _round(least: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50, … that is at least `least`."""
    power = 1
    while True:
        for factor in ROUND:
            if factor * power >= least:
                return factor * power
        power *= 10
