"""Two raters over the units that both have rated: kappas, correlations, mean absolute difference.

Sources: Cohen (1960, 1968), with quadratic weights as scikit-learn has them; Kendall's tau-b (1945).
"""

from collections.abc import Mapping

import numpy as np

from lib.stats.agreement.alpha import mid_ranks
from lib.stats.agreement.crowd import beyond
from lib.stats.agreement.patterns import Patterns, Sums, divided, grouped
from lib.stats.agreement.table import Flags, Floats
from lib.stats.agreement.tau import tau_of


class Pair:
    """Coefficients of the raters `left` and `right`, under any number of times that each pattern was drawn."""

    def __init__(
        self, found: Patterns, left: int, right: int, numbers: Floats, scale: Floats, *, only_kappa: bool
    ) -> None:
        """numbers: (categories,) what they say; scale: where they lie for quadratic weights. only_kappa: nothing but
        Cohen's kappa, which labels have too."""
        one, other = found.codes[:, left], found.codes[:, right]
        both = np.flatnonzero((one >= 0) & (other >= 0))
        q, self._only_kappa = max(numbers.size, 1), only_kappa
        distinct, cell = np.unique(one[both] * q + other[both], return_inverse=True)
        self._both = both
        self._sums = Sums(np.arange(both.size), cell, np.ones(both.size), (both.size, distinct.size))
        self.units = int(found.counts[both].sum())
        self._given = distinct // q, distinct % q
        self.counts = grouped(found.counts[both][None], cell, distinct.size)[0]
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
        drawn = self._sums.of(times[:, self._both])
        n = drawn.sum(axis=1)
        lefts, rights = self._margins(drawn)
        found = {"cohen_kappa": self._cohen(drawn, n, lefts, rights)}
        if self._only_kappa:
            return found
        varied = ((lefts > 0).sum(axis=1) > 1) & ((rights > 0).sum(axis=1) > 1)
        x, y = (self._numbers[codes][None] for codes in self._given)
        found["weighted_kappa"] = self._weighted(drawn, n, lefts, rights)
        found["pearson"] = np.where(varied, correlation(drawn, n, x, y), np.nan)
        ranks = mid_ranks(lefts)[:, self._left], mid_ranks(rights)[:, self._right]
        found["spearman"] = np.where(varied, correlation(drawn, n, *ranks), np.nan)
        found["kendall"] = np.full(n.shape, np.nan) if self._tau is None else self._tau.of(drawn, n, lefts, rights)
        found["mae"] = divided(drawn @ np.abs(x - y)[0] * self._unit, n)
        return found

    def _margins(self, drawn: Floats) -> tuple[Floats, Floats]:
        return (
            grouped(drawn, self._left, self._lefts.size),
            grouped(drawn, self._right, self._rights.size),
        )

    def _cohen(self, drawn: Floats, n: Floats, lefts: Floats, rights: Floats) -> Floats:
        same = self._given[0] == self._given[1]
        _both, left, right = np.intersect1d(self._lefts, self._rights, return_indices=True)
        by_chance = divided((lefts[:, left] * rights[:, right]).sum(axis=1), n**2)
        return beyond(divided(drawn[:, same].sum(axis=1), n), by_chance)

    def _weighted(self, drawn: Floats, n: Floats, lefts: Floats, rights: Floats) -> Floats:
        """1 − observed / expected mean square of the difference."""
        x, y = self._scale[self._lefts], self._scale[self._rights]
        observed = drawn @ (self._scale[self._given[0]] - self._scale[self._given[1]]) ** 2
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


def correlation(drawn: Floats, n: Floats, x: Floats, y: Floats) -> Floats:
    """Pearson's, of x and y (draws or 1, entries) where each entry is drawn so often."""
    x = x - divided((drawn * x).sum(axis=1), n)[:, None]
    y = y - divided((drawn * y).sum(axis=1), n)[:, None]
    spread = np.sqrt((drawn * x**2).sum(axis=1) * (drawn * y**2).sum(axis=1))
    return np.clip(divided((drawn * x * y).sum(axis=1), spread), -1, 1)


def _around_zero(numbers: Floats) -> Floats:
    """Around 0 with a range of 1, so that squares lose nothing by rounding."""
    spread = np.ptp(numbers) if numbers.size else 0
    return (numbers - numbers.mean()) / spread if spread else np.zeros(numbers.size)
