"""95 % intervals out of resamples."""

import numpy as np

from judging.metrics.agreement.table import Floats

LEVEL = 0.95


def percentile(drawn: Floats) -> tuple[float, float] | None:
    """Of the draws that have a value; None where most have none."""
    there = drawn[~np.isnan(drawn)]
    if 2 * there.size <= drawn.size:
        return None
    low, high = np.quantile(there, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
