"""Kendall's tau-b of two raters, for many resamples at once.

τ-b = (concordant − discordant pairs) / √(pairs untied on the left × pairs untied on the right).
"""

from typing import Protocol

import numpy as np

from lib.stats.agreement.patterns import CELLS, divided
from lib.stats.agreement.table import Codes, Floats

MOST_CELLS = 40_000  # of the table left × right, up to which every resample is counted out


class Tau(Protocol):
    def of(self, draw_counts: Floats, n: Floats, lefts: Floats, rights: Floats) -> Floats:
        """draw_counts: (draws, entries); lefts, rights: (draws, values), how often each is drawn -> (draws,)."""
        ...


def tau_of(left: Codes, right: Codes, counts: Floats) -> Tau:
    """left, right: (entries,) places of values in order; counts: (entries,), how many units have both."""
    if (int(left.max()) + 1) * (int(right.max()) + 1) <= MOST_CELLS:
        return Counted(left, right)
    return Linear(left, right, counts)


class Counted:
    """Out of the table of both, by sums of everything above and to the left."""

    def __init__(self, left: Codes, right: Codes) -> None:
        self._shape = int(left.max()) + 1, int(right.max()) + 1
        self._places = left, right

    def of(self, draw_counts: Floats, n: Floats, lefts: Floats, rights: Floats) -> Floats:
        block = max(1, CELLS // (self._shape[0] * self._shape[1]))
        parts = [
            self._concordance(draw_counts[start : start + block]) for start in range(0, draw_counts.shape[0], block)
        ]
        return normed(2 * np.concatenate(parts), n, lefts, rights)

    def _concordance(self, draw_counts: Floats) -> Floats:
        table = np.zeros((draw_counts.shape[0], *self._shape))
        table[:, *self._places] = draw_counts
        above = np.cumsum(table, axis=1) - table  # smaller on the left, same on the right
        cumulative = np.cumsum(above, axis=2)
        less = cumulative - above
        more = cumulative[:, :, -1:] - cumulative
        total: Floats = (table * (less - more)).sum(axis=(1, 2))
        return total


class Linear:
    """For more values: what each entry adds to the concordance, once; a resample is its first order in the draws.

    Exact for the data themselves; of a resample it leaves out what two entries drawn together add, which is of the
    order of 1 / units beside the spread of the resamples.
    """

    def __init__(self, left: Codes, right: Codes, counts: Floats) -> None:
        self._counts = counts
        self._adds = (
            below(left, right, counts)
            + below(-left, -right, counts)
            - below(left, -right, counts)
            - below(-left, right, counts)
        )

    def of(self, draw_counts: Floats, n: Floats, lefts: Floats, rights: Floats) -> Floats:
        concordance = 2 * (draw_counts @ self._adds) - self._counts @ self._adds
        return normed(concordance, n, lefts, rights)


def normed(concordance: Floats, n: Floats, lefts: Floats, rights: Floats) -> Floats:
    """concordance: over ordered pairs, so twice concordant − discordant."""
    untied = np.sqrt((n**2 - (lefts**2).sum(axis=1)) * (n**2 - (rights**2).sum(axis=1)))
    return np.clip(divided(concordance, untied), -1, 1)


def below(left: Codes, right: Codes, weight: Floats) -> Floats:
    """(entries,): the weight of all entries that are smaller on both sides. n (log n)² steps.

    By halves: in order of the left, whatever is in the right half of a block counts the smaller ones of the left half.
    """
    right = right - right.min()
    order = np.lexsort((-right, left))  # equal on the left: the larger first, so that none of them counts another
    right, weight, span = right[order], weight[order], int(right.max()) + 1
    position, total = np.arange(order.size), np.zeros(order.size)
    for size in range(max(order.size - 1, 0).bit_length()):
        block = position >> (size + 1)
        late = (position >> size) & 1 == 1
        key = block * span + right
        by_key = np.argsort(key, kind="stable")
        sums = np.concatenate([[0.0], np.cumsum(np.where(late, 0, weight)[by_key])])
        bounds = np.searchsorted(key[by_key], [key[late], block[late] * span])
        total[late] += sums[bounds[0]] - sums[bounds[1]]
    result = np.empty(order.size)
    result[order] = total
    return result
