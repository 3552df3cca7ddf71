"""Pearson's r between scores that come in clusters, such as several answers to one case: clusters are drawn again."""

import numpy as np

from lib.stats.averages import Floats, Places, divided
from lib.stats.correlation import pearson
from lib.stats.figures import Figure, drawn_figure, undefined
from lib.stats.notes import NO_UNITS


def clustered_pearson(first: Floats, second: Floats, cluster: Places, times: Floats) -> Figure:
    """first, second: (units,) without NaN; cluster: (units,) the place of each unit's cluster.

    times: (draws, clusters), how often each cluster is in each draw. n: units. Undefined for less than two units and
    where one side does not vary. Sums by cluster are drawn, so that many thousand units take a moment.
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
