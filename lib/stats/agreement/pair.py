"""Coefficients of two raters for many resamples at once: kappas, correlations, mean absolute difference.

Kendall's τ-b = (concordant − discordant pairs) / √(pairs untied on the left × pairs untied on the right).
"""

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from lib.stats.agreement.group_coefficients import beyond, mid_ranks
from lib.stats.agreement.patterns import CELLS, PatternSums, RatingPatterns, divided, grouped
from lib.stats.agreement.table import Codes, Flags, Floats

MOST_CELLS = 40_000  # of the table left × right, up to which every resample is counted out


class Tau(Protocol):
    def of(self, draw_counts: Floats, n: Floats, lefts: Floats, rights: Floats) -> Floats:
        """draw_counts: (draws, entries); lefts, rights: (draws, values), how often each is drawn -> (draws,)."""
        ...


def tau_of(left: Codes, right: Codes, counts: Floats) -> Tau:
    """left, right: (entries,) places of values in order; counts: (entries,), how many units have both."""
    if (int(left.max()) + 1) * (int(right.max()) + 1) <= MOST_CELLS:
        return TauCounts(left, right)
    return Linear(left, right, counts)


class TauCounts:
    """Tau from the contingency table, by cumulative sums."""

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
    """For more values: a first-order approximation of resamples from each entry's contribution to the concordance.

    It is exact for the data themselves. For a resample it leaves out second-order terms, which are of the order of
    1 / units relative to the spread of the resamples.
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

    Merge-sort counting: ordered by the left, entries in the right half of a block count the smaller ones of its left
    half.
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


# All coefficients of two raters, over the units that both have rated.
#
# Sources: Cohen (1960, 1968), with quadratic weights as in scikit-learn; Kendall's tau-b (1945).


class RaterPair:
    """Coefficients of the raters `left` and `right`, under any number of times that each pattern was drawn."""

    def __init__(
        self, patterns: RatingPatterns, left: int, right: int, numbers: Floats, scale: Floats, *, only_kappa: bool
    ) -> None:
        """numbers: (categories,) what they say; scale: where they lie for quadratic weights. only_kappa: nothing but
        Cohen's kappa, which labels have too."""
        left_codes, right_codes = patterns.codes[:, left], patterns.codes[:, right]
        both = np.flatnonzero((left_codes >= 0) & (right_codes >= 0))
        q, self._only_kappa = max(numbers.size, 1), only_kappa
        distinct, cell = np.unique(left_codes[both] * q + right_codes[both], return_inverse=True)
        self._both = both
        self._sums = PatternSums(np.arange(both.size), cell, np.ones(both.size), (both.size, distinct.size))
        self.units = int(patterns.counts[both].sum())
        self._given = distinct // q, distinct % q
        self.counts = grouped(patterns.counts[both][None], cell, distinct.size)[0]
        # Only the categories that each of the two has used.
        (self._lefts, self._left), (self._rights, self._right) = (
            np.unique(codes, return_inverse=True) for codes in self._given
        )
        self._numbers, self._scale = _around_zero(numbers), _around_zero(scale)
        self._unit = float(np.ptp(numbers)) if numbers.size else 0.0
        self._tau = tau_of(self._left, self._right, self.counts) if not only_kappa and distinct.size else None

    def table(self, categories: int) -> Floats:
        """(categories, categories): units by what the left one (rows) and the right one (columns) said."""
        counts = np.zeros((categories, categories))
        counts[self._given] = self.counts
        return counts

    def of(self, times: Floats) -> Mapping[str, Floats]:
        """(draws, patterns) -> name -> (draws,), NaN where undefined."""
        draw_counts = self._sums.of(times[:, self._both])
        n = draw_counts.sum(axis=1)
        lefts, rights = self._margins(draw_counts)
        coefficients = {"cohen_kappa": self._cohen(draw_counts, n, lefts, rights)}
        if self._only_kappa:
            return coefficients
        varied = ((lefts > 0).sum(axis=1) > 1) & ((rights > 0).sum(axis=1) > 1)
        x, y = (self._numbers[codes][None] for codes in self._given)
        coefficients["weighted_kappa"] = self._weighted(draw_counts, n, lefts, rights)
        coefficients["pearson"] = np.where(varied, correlation(draw_counts, n, x, y), np.nan)
        ranks = mid_ranks(lefts)[:, self._left], mid_ranks(rights)[:, self._right]
        coefficients["spearman"] = np.where(varied, correlation(draw_counts, n, *ranks), np.nan)
        coefficients["kendall"] = (
            np.full(n.shape, np.nan) if self._tau is None else self._tau.of(draw_counts, n, lefts, rights)
        )
        coefficients["mae"] = divided(draw_counts @ np.abs(x - y)[0] * self._unit, n)
        return coefficients

    def _margins(self, draw_counts: Floats) -> tuple[Floats, Floats]:
        return (
            grouped(draw_counts, self._left, self._lefts.size),
            grouped(draw_counts, self._right, self._rights.size),
        )

    def _cohen(self, draw_counts: Floats, n: Floats, lefts: Floats, rights: Floats) -> Floats:
        same = self._given[0] == self._given[1]
        _both, left, right = np.intersect1d(self._lefts, self._rights, return_indices=True)
        by_chance = divided((lefts[:, left] * rights[:, right]).sum(axis=1), n**2)
        return beyond(divided(draw_counts[:, same].sum(axis=1), n), by_chance)

    def _weighted(self, draw_counts: Floats, n: Floats, lefts: Floats, rights: Floats) -> Floats:
        """1 − observed / expected mean square of the difference."""
        x, y = self._scale[self._lefts], self._scale[self._rights]
        observed = draw_counts @ (self._scale[self._given[0]] - self._scale[self._given[1]]) ** 2
        expected = lefts @ x**2 + rights @ y**2 - divided(2 * (lefts @ x) * (rights @ y), n)
        alike = self._only_one_category(lefts, rights)
        return 1 - divided(observed, expected, ~alike)

    def _only_one_category(self, lefts: Floats, rights: Floats) -> Flags:
        """(draws,): whether both have used the same one category and no other."""
        single = ((lefts > 0).sum(axis=1) == 1) & ((rights > 0).sum(axis=1) == 1)
        if not lefts.size or not rights.size:
            return np.full(lefts.shape[0], True)
        same = self._lefts[lefts.argmax(axis=1)] == self._rights[rights.argmax(axis=1)]
        both: Flags = single & same
        return both


def correlation(draw_counts: Floats, n: Floats, x: Floats, y: Floats) -> Floats:
    """Pearson's, of x and y (draws or 1, entries) where each entry is drawn so often."""
    x = x - divided((draw_counts * x).sum(axis=1), n)[:, None]
    y = y - divided((draw_counts * y).sum(axis=1), n)[:, None]
    spread = np.sqrt((draw_counts * x**2).sum(axis=1) * (draw_counts * y**2).sum(axis=1))
    return np.clip(divided((draw_counts * x * y).sum(axis=1), spread), -1, 1)


def _around_zero(numbers: Floats) -> Floats:
    """The numbers centred at 0 with a range of 1, so that squares lose no precision."""
    spread = np.ptp(numbers) if numbers.size else 0
    return (numbers - numbers.mean()) / spread if spread else np.zeros(numbers.size)
