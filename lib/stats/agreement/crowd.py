"""Agreement of any number of raters, gaps allowed: percent, Fleiss, Gwet, Brennan–Prediger.

Gaps as Gwet handles them: observed agreement is the mean over units with two ratings or more of the share of their
pairs that agree; how often each category is used is the mean over all units of its share in the unit.
Source: Gwet, "Handbook of Inter-Rater Reliability" (4th edition, 2014), chapters 2 to 4; without gaps, Fleiss (1971).
"""

from collections.abc import Mapping

import numpy as np

from lib.stats.agreement.patterns import Patterns, Sums, divided
from lib.stats.agreement.table import Floats


class Crowd:
    """The four coefficients of one set of patterns, under any number of times that each was drawn."""

    def __init__(self, patterns: Patterns, scale: Floats, *, weighted: bool) -> None:
        """scale: (categories,), where each lies. weighted: AC2 with quadratic weights of these, otherwise AC1."""
        codes, q = patterns.codes, scale.size
        has_rating = codes >= 0
        rating_counts = has_rating.sum(axis=1).astype(float)
        pairs = rating_counts * (rating_counts - 1)
        pattern, rater = np.nonzero(has_rating)
        category = codes[pattern, rater]
        self._used = Sums(pattern, category, 1 / rating_counts[pattern], (rating_counts.size, q))
        positions = _relative(scale)
        agreeing = divided(_same_pairs(codes), pairs)
        near = 1 - divided(_squares(positions, codes, has_rating), pairs) if weighted else agreeing
        met = pairs > 0
        self._linear = np.column_stack([rating_counts > 0, met, np.where(met, agreeing, 0), np.where(met, near, 0)])
        self._categories = q
        # The sum of all weights, each category with each: of 1 − (x − y)² without a table of all with all.
        self._weights = q * q - 2 * (q * (positions @ positions) - positions.sum() ** 2) if weighted else float(q)

    def of(self, times: Floats) -> Mapping[str, Floats]:
        """(draws, patterns) -> name -> (draws,), NaN where undefined."""
        units, met, agreeing, near = (times @ self._linear).T
        used = divided(self._used.of(times), units[:, None])
        percent, several = divided(agreeing, met), (used > 0).sum(axis=1) > 1
        uniform = np.full(percent.shape, 1 / self._categories)
        return {
            "percent": percent,
            "fleiss_kappa": beyond(percent, np.where(several, (used**2).sum(axis=1), 1)),
            "gwet_ac": beyond(divided(near, met), self._by_chance(used)),
            "brennan_prediger": beyond(percent, uniform),
        }

    def _by_chance(self, used: Floats) -> Floats:
        q = self._categories
        if q < 2:
            return np.ones(used.shape[0])
        chance: Floats = self._weights / (q * (q - 1)) * (used * (1 - used)).sum(axis=1)
        return chance


def beyond(observed: Floats, chance: Floats) -> Floats:
    """Agreement beyond chance, as a share of what was possible; NaN where chance agrees always."""
    return divided(observed - chance, 1 - chance)


def _relative(scale: Floats) -> Floats:
    """Places from 0 to 1."""
    return (scale - scale.min()) / (np.ptp(scale) or 1.0) if scale.size else scale


def _same_pairs(codes: np.ndarray) -> Floats:
    """(patterns,): ordered pairs of raters who gave the same category."""
    total = np.zeros(codes.shape[0])
    for rater in range(1, codes.shape[1]):
        rater_codes = codes[:, rater, None]
        total += 2 * ((codes[:, :rater] == rater_codes) & (rater_codes >= 0)).sum(axis=1)
    return total


def _squares(positions: Floats, codes: np.ndarray, has_rating: np.ndarray) -> Floats:
    """(patterns,): the squared distances of all ordered pairs, summed: 2 (n Σx² − (Σx)²)."""
    x = np.where(has_rating, positions[codes], 0)
    total: Floats = 2 * (has_rating.sum(axis=1) * (x**2).sum(axis=1) - x.sum(axis=1) ** 2)
    return total
