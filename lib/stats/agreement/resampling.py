"""Every coefficient of a table, of its resamples, and of the table with one unit less."""

from collections.abc import Iterable

import numpy as np

from lib.stats.agreement.intervals import Resampled
from lib.stats.agreement.statistics import Key, Statistics
from lib.stats.agreement.table import Floats

# With more clusters the skewness that leaving one out shows is nothing beside the bias correction: it falls with the
# root of their number.
MOST_LEFT_OUT = 1000  # clusters


def resampled(statistics: Statistics, resamples: int, seed: int) -> dict[Key, Resampled]:
    """Only those that the data have a value of."""
    patterns = statistics.found
    values = {key: float(value[0]) for key, value in statistics.of(patterns.counts[None]).items()}
    draws_by_key = _together(statistics, patterns.draws(resamples, seed))
    jackknife_by_key = _together(
        statistics, patterns.without_one() if resamples and patterns.clusters <= MOST_LEFT_OUT else ()
    )
    none = np.zeros(0)
    return {
        key: Resampled(
            value, draws_by_key.get(key, none), jackknife_by_key.get(key, none), patterns.alike, patterns.plain
        )
        for key, value in values.items()
        if not np.isnan(value)
    }


def _together(statistics: Statistics, blocks: Iterable[Floats]) -> dict[Key, Floats]:
    """Blocks (draws, patterns) -> (all draws,) for every coefficient."""
    parts = [statistics.of(times) for times in blocks]
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]} if parts else {}
