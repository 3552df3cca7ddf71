"""Krippendorff's alpha out of coincidences, at every level, with missing ratings.

α = 1 − (n − 1) Σ o(c,k) δ²(c,k) / Σ n(c) n(k) δ²(c,k), over units with two ratings or more; o counts each pair of
ratings of a unit with m of them by 1 / (m − 1). Units with one rating say nothing.
Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011).
"""

from collections.abc import Mapping

import numpy as np

from lib.stats.agreement.patterns import Patterns, Sums, divided
from lib.stats.agreement.table import Codes, Floats, Level

MOST_AT_RATIO = 2000  # categories; each is compared with each


class Alpha:
    """Alpha of one set of patterns, under any number of times that each was drawn."""

    def __init__(self, patterns: Patterns, numbers: Floats, level: Level) -> None:
        codes, q = patterns.codes, numbers.size
        rating_counts = (codes >= 0).sum(axis=1)
        pattern, rater = np.nonzero((codes >= 0) & (rating_counts > 1)[:, None])
        ones = np.ones(pattern.size)
        self._used = Sums(pattern, codes[pattern, rater], ones, (rating_counts.size, q))
        self._level, self._numbers = level, _scaled(numbers)
        self._pairs, self._low, self._high = _coincidences(codes, rating_counts, q)
        if level == "ratio":
            self._numbers = numbers

    def of(self, times: Floats) -> Mapping[str, Floats]:
        """(draws, patterns) -> name -> (draws,), NaN where undefined."""
        used, pairs = self._used.of(times), self._pairs.of(times)
        n = used.sum(axis=1)
        observed, expected = self._disagreements(used, pairs, n)
        several = (used > 0).sum(axis=1) > 1
        return {"krippendorff_alpha": 1 - divided((n - 1) * observed, expected, several)}

    def _disagreements(self, used: Floats, pairs: Floats, n: Floats) -> tuple[Floats, Floats]:
        if self._level == "nominal":
            return pairs.sum(axis=1), n**2 - (used**2).sum(axis=1)
        if self._level == "ratio":
            distances = ratio(self._numbers[:, None], self._numbers)
            return pairs @ ratio(self._numbers[self._low], self._numbers[self._high]), (used @ distances * used).sum(1)
        # The ordinal distance of two categories is that of their mean ranks: half of each and all between them.
        positions = mid_ranks(used) if self._level == "ordinal" else self._numbers[None]
        observed = (pairs * (positions[:, self._low] - positions[:, self._high]) ** 2).sum(axis=1)
        return observed, 2 * (n * (used * positions**2).sum(axis=1) - (used * positions).sum(axis=1) ** 2)


def mid_ranks(used: Floats) -> Floats:
    """(draws, categories), how often each was used -> its mean rank as a share, from -1/2 to 1/2; order is kept."""
    total = used.sum(axis=1, keepdims=True)
    ranks: Floats = np.nan_to_num(divided(np.cumsum(used, axis=1) - used / 2, total)) - 0.5
    return ranks


def ratio(first: Floats, second: Floats) -> Floats:
    """((c − k) / (c + k))², 0 for two zeros."""
    total = first + second
    return np.divide(first - second, total, out=np.zeros(np.shape(total)), where=total > 0) ** 2


def _scaled(numbers: Floats) -> Floats:
    """Around 0 and at most 1, so that squares lose nothing by rounding."""
    centred = numbers - numbers.mean() if numbers.size else numbers
    scaled: Floats = centred / (np.abs(centred).max(initial=0) or 1.0)
    return scaled


def _coincidences(codes: Codes, rating_counts: Codes, q: int) -> tuple[Sums, Codes, Codes]:
    """How to sum pairs of different categories: the map, and the two categories of each of its cells."""
    cells, shared_rows, weights = [], [], []
    for rater in range(1, codes.shape[1]):
        for other_rater in range(rater):
            rater_codes, two = codes[:, rater], codes[:, other_rater]
            rows = np.flatnonzero((rater_codes >= 0) & (two >= 0) & (rater_codes != two))
            cells.append(np.minimum(rater_codes[rows], two[rows]) * q + np.maximum(rater_codes[rows], two[rows]))
            shared_rows.append(rows)
            weights.append(2 / (rating_counts[rows] - 1))
    if not cells:
        none = np.zeros(0, dtype=np.intp)
        return Sums(none, none, np.zeros(0), (codes.shape[0], 0)), none, none
    distinct, cell = np.unique(np.concatenate(cells), return_inverse=True)
    entries = np.concatenate(shared_rows), cell, np.concatenate(weights)
    return Sums(*entries, (codes.shape[0], distinct.size)), distinct // q, distinct % q
