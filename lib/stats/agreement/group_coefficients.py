"""Agreement of any number of raters with missing ratings: alpha, percent, Fleiss, Gwet, Brennan–Prediger, ICC.

Krippendorff's alpha is computed from coincidences, at every level of measurement:
α = 1 − (n − 1) Σ o(c,k) δ²(c,k) / Σ n(c) n(k) δ²(c,k), over units with two ratings or more; o counts each pair of
ratings of a unit with m of them by 1 / (m − 1). Units with one rating are left out.
Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011).
"""

from collections.abc import Mapping

import numpy as np

from lib.stats.agreement.patterns import PatternSums, RatingPatterns, divided
from lib.stats.agreement.table import Codes, Floats, Level

MOST_AT_RATIO = 2000  # categories; each is compared with each


class Alpha:
    """Alpha of one set of patterns, under any number of times that each was drawn."""

    def __init__(self, patterns: RatingPatterns, numbers: Floats, level: Level) -> None:
        codes, q = patterns.codes, numbers.size
        rating_counts = (codes >= 0).sum(axis=1)
        pattern, rater = np.nonzero((codes >= 0) & (rating_counts > 1)[:, None])
        ones = np.ones(pattern.size)
        self._used = PatternSums(pattern, codes[pattern, rater], ones, (rating_counts.size, q))
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
    """The numbers centred at 0 and at most 1 in size, so that squares lose no precision."""
    centred = numbers - numbers.mean() if numbers.size else numbers
    scaled: Floats = centred / (np.abs(centred).max(initial=0) or 1.0)
    return scaled


def _coincidences(codes: Codes, rating_counts: Codes, q: int) -> tuple[PatternSums, Codes, Codes]:
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
        return PatternSums(none, none, np.zeros(0), (codes.shape[0], 0)), none, none
    distinct, cell = np.unique(np.concatenate(cells), return_inverse=True)
    entries = np.concatenate(shared_rows), cell, np.concatenate(weights)
    return PatternSums(*entries, (codes.shape[0], distinct.size)), distinct // q, distinct % q


# Percent agreement, Fleiss, Gwet, Brennan–Prediger.
#
# Missing ratings are handled as by Gwet: observed agreement is the mean, over units with two ratings or more, of the
# share of their pairs that agree; the frequency of a category is the mean over all units of its share in the unit.
# Source: Gwet, "Handbook of Inter-Rater Reliability" (4th edition, 2014), chapters 2 to 4; without gaps, Fleiss (1971).


class Crowd:
    """The four coefficients of one set of patterns, under any number of times that each was drawn."""

    def __init__(self, patterns: RatingPatterns, scale: Floats, *, weighted: bool) -> None:
        """scale: (categories,), where each lies. weighted: AC2 with quadratic weights of these, otherwise AC1."""
        codes, q = patterns.codes, scale.size
        has_rating = codes >= 0
        rating_counts = has_rating.sum(axis=1).astype(float)
        pairs = rating_counts * (rating_counts - 1)
        pattern, rater = np.nonzero(has_rating)
        category = codes[pattern, rater]
        self._used = PatternSums(pattern, category, 1 / rating_counts[pattern], (rating_counts.size, q))
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
    """Agreement beyond chance, as a share of the possible; NaN where chance agreement is 1."""
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


# Intraclass correlations (two-way random effects, absolute agreement) of one rater, and of the mean of all.
#
# Only units with a rating of every rater count. Source: Shrout & Fleiss, "Intraclass correlations" (1979), ICC(2,1) and
# ICC(2,k).


LEAST = 1e-12  # of the largest deviation, squared: less is rounding


class Intraclass:
    """Both coefficients of one set of patterns, under any number of times that each was drawn."""

    def __init__(self, patterns: RatingPatterns, numbers: Floats) -> None:
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
