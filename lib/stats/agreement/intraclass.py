"""Intraclass correlations of two-way random effects, absolute agreement: of one rater, and of the mean of all.

Only units with a rating of every rater count. Source: Shrout & Fleiss, "Intraclass correlations" (1979), ICC(2,1) and
ICC(2,k).
"""

from collections.abc import Mapping

import numpy as np

from lib.stats.agreement.patterns import Patterns, divided
from lib.stats.agreement.table import Floats

LEAST = 1e-12  # of the largest deviation, squared: less is rounding


class Intraclass:
    """Both coefficients of one set of patterns, under any number of times that each was drawn."""

    def __init__(self, patterns: Patterns, numbers: Floats) -> None:
        self._complete = (patterns.codes >= 0).all(axis=1)
        self.units = int(patterns.counts[self._complete].sum())
        scores = numbers[patterns.codes[self._complete]]
        scores = scores - (scores.mean() if scores.size else 0)
        self._scores = scores / (np.abs(scores).max(initial=0) or 1.0)

    def of(self, times: Floats) -> Mapping[str, Floats]:
        """(draws, patterns) -> name -> (draws,), NaN where undefined."""
        draw_counts, scores, k = times[:, self._complete], self._scores, self._scores.shape[1]
        n, row_sums = draw_counts.sum(axis=1), scores.sum(axis=1)
        middle = divided((draw_counts @ row_sums) ** 2, n * k)
        rows = draw_counts @ row_sums**2 / k - middle
        columns = divided(((draw_counts @ scores) ** 2).sum(axis=1), n) - middle
        all_in_all = draw_counts @ (scores**2).sum(axis=1) - middle
        between, raters = divided(rows, n - 1), columns / max(k - 1, 1)
        rest = divided(all_in_all - rows - columns, (n - 1) * max(k - 1, 1))
        varied = (n > 1) & (all_in_all > LEAST)
        raters_apart = divided(raters - rest, n)
        single = between + (k - 1) * rest + k * raters_apart
        mean = between + raters_apart
        return {
            "icc": divided(between - rest, single, varied & (np.abs(single) > LEAST)),
            "icc_k": divided(between - rest, mean, varied & (np.abs(mean) > LEAST)),
        }
