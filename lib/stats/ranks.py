"""Between which ranks each author stands, for all authors at once.

A range comes from differences between authors, not from intervals that overlap or not: two intervals may overlap
although the difference between the two authors is certain.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lib.stats.averages import Floats

LEVEL = 0.95
TINY = 1e-12  # a spread below this is a difference of which every draw says the same


def rank_ranges(estimates: Floats, draws: Floats, level: float = LEVEL) -> NDArray[np.intp]:
    """(authors, 2): best and worst rank, 1 for the highest; with probability `level` all ranges hold together.

    estimates: (authors,) averages; drawn: (authors, draws) the same over resampled items, paired by draw. Neither may
    hold NaN: leave out authors without an average. Two authors are told apart where |difference| exceeds
    critical × its spread over the draws; critical: the `level` quantile of the largest |deviation| / spread among all
    pairs in a draw (max-statistic). Best rank = 1 + those certainly above; worst = authors − those certainly below.

    Source: Mogstad, Romano, Shaikh, Wilhelm, "Inference for ranks" (Review of Economic Studies, 2024).
    """
    critical = _critical_value(estimates, draws, level)
    ranges = np.empty((len(estimates), 2), dtype=np.intp)
    for author, (difference, _deviation, spread) in enumerate(_pairs(estimates, draws)):
        certain = np.abs(difference) > np.maximum(critical * spread, TINY)
        ranges[author, 0] = 1 + np.count_nonzero(certain & (difference < 0))
        ranges[author, 1] = len(estimates) - np.count_nonzero(certain & (difference > 0))
    return ranges


def _critical_value(estimates: Floats, draws: Floats, level: float) -> float:
    largest = np.zeros(draws.shape[1])
    for _difference, deviation, spread in _pairs(estimates, draws):
        varies = spread > TINY
        if varies.any():
            largest = np.maximum(largest, (np.abs(deviation[varies]) / spread[varies, None]).max(axis=0))
    return float(np.quantile(largest, level)) if largest.size else 0.0


def _pairs(estimates: Floats, draws: Floats) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Of each author less every other: difference (authors,), deviations of the draws (authors, draws), spread."""
    for author in range(len(estimates)):
        difference = estimates[author] - estimates
        deviation = (draws[author] - draws) - difference[:, None]
        yield difference, deviation, np.sqrt((deviation**2).mean(axis=1))
