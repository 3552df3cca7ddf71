"""Pearson's r between scores that come in clusters, such as several answers to one case: clusters are drawn again."""

import numpy as np

from lib.stats.averages import Floats, Places, divided
from lib.stats.correlation import pearson
from lib.stats.figures import Figure, drawn_figure, undefined
from lib.stats.notes import NO_UNITS


def clustered_pearson(one: Floats, other: Floats, cluster: Places, times: Floats) -> Figure:
    """one, other: (units,) without NaN; cluster: (units,) the place of each unit's cluster.

    times: (draws, clusters), how often each cluster is in each draw. n: units. Undefined for less than two units and
    where one side does not vary. Sums by cluster are drawn, so that many thousand units take a moment.
    """
    found = pearson(one.tolist(), other.tolist())
    if found.value is None:
        return undefined(NO_UNITS, found.n)
    left, right = one - one.mean(), other - other.mean()
    moments = [np.ones_like(left), left, right, left * left, right * right, left * right]
    sums = np.array([np.bincount(cluster, weights=each, minlength=times.shape[1]) for each in moments])
    n, x, y, xx, yy, xy = sums @ times.T
    spread = np.sqrt(np.maximum(n * xx - x * x, 0) * np.maximum(n * yy - y * y, 0))
    drawn = divided(n * xy - x * y, np.where(spread > 1e-9, spread, 0))
    return drawn_figure(found.value, found.n, np.clip(drawn, -1, 1))
