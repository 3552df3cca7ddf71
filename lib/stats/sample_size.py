"""Non-inferiority tests over wins, losses and ties, and the number of items or votes that a test needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10, sqrt

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from lib.stats.averages import Floats, Places


@dataclass(frozen=True)
class Outcomes:
    """Counts of items: the person was closer, the judge was closer, and all.

    clusters: how many groups of items are independent of each other. design_effect: 1 or more, by how much items of one
    cluster resemble each other: the variance of the mean over clusters, as a multiple of that over so many independent
    items.
    """

    person: int
    judge: int
    n: int
    clusters: int | None = None  # None: each item is one
    design_effect: float = 1.0

    @classmethod
    def of(cls, differences: Floats, clusters: Places | None = None) -> "Outcomes":
        """differences: 1 for the person, -1 for the judge, 0 for neither. clusters: the number of each item's."""
        counts = int((differences > 0).sum()), int((differences < 0).sum()), differences.size
        if clusters is None or not differences.size:
            return cls(*counts)
        return cls(*counts, len(np.unique(clusters)), _design_effect(differences, clusters))

    @property
    def size(self) -> float:
        """The independent items that these are worth."""
        return self.n / self.design_effect

    @property
    def freedom(self) -> int:
        return (self.n if self.clusters is None else self.clusters) - 1

    @property
    def mean(self) -> float:
        """By how much the judge is worse, as a share of the items."""
        return (self.person - self.judge) / self.n

    @property
    def variance(self) -> float:
        """Of the differences, with n - 1; 0 for a single one."""
        squares = self.person + self.judge - self.n * self.mean**2
        return max(squares, 0.0) / max(self.n - 1, 1)

    def spread_at(self, margin: float) -> float:
        """Standard deviation of the differences if the judge were worse by exactly the margin (maximum likelihood)."""
        # With q = P(judge closer) and P(person closer) = q + margin, the likelihood's derivative is a parabola in q.
        slope = self.person * (1 + margin) + self.judge * (1 - margin) - 2 * self.n * margin
        root = sqrt(slope**2 + 8 * self.n * self.judge * margin * (1 - margin))
        q = min(max((slope + root) / (4 * self.n), 0.0), (1 - margin) / 2)
        return sqrt(max(2 * q + margin - margin**2, 0.0))


def _design_effect(differences: Floats, clusters: Places) -> float:
    """Never below 1, so that clusters make no test more certain. Where no item differs from another, nothing says how
    much those of a cluster resemble each other; then each cluster counts as one item.

    Source: Rao and Scott, "A simple method for the analysis of clustered binary data" (Biometrics, 1992), who divide
    counts by it.
    """
    away = differences - differences.mean()
    _names, places = np.unique(clusters, return_inverse=True)
    sums, number = np.bincount(places, weights=away), int(places.max()) + 1
    independent = float((away**2).sum()) * differences.size / max(differences.size - 1, 1)
    if number < 2 or not independent:
        return differences.size / number
    return max(1.0, float((sums**2).sum()) * number / (number - 1) / independent)


def t_p(outcomes: Outcomes, margin: float) -> float:
    """p of the one-sided t test against a mean difference of the margin or more; small: the judge is less worse.

    Where all differences are equal, p is the limit: 0 below the margin and 1 otherwise. Needs two items.
    """
    below = margin - outcomes.mean
    if not outcomes.variance:
        return float(below <= 0)
    return float(stdtr(outcomes.freedom, -below / sqrt(outcomes.variance / outcomes.size)))


def score_p(outcomes: Outcomes, margin: float) -> float:
    """p of the score test, which uses the spread of a judge who is worse by exactly the margin.

    Source: Nam, "Establishing equivalence of two treatments and sample size requirements in matched-pairs design"
    (Biometrics, 1997); Tango (Statistics in Medicine, 1998). 1 where nothing ever differs and the margin is 0.
    """
    spread = outcomes.spread_at(margin)
    if not spread:
        return 1.0
    return float(ndtr((outcomes.mean - margin) * sqrt(outcomes.size) / spread))


def worse_p(outcomes: Outcomes, margin: float, *, guarded: bool = True) -> float:
    """p of the opposite question; small: the judge is worse by more than the margin. Needs two items.

    guarded: the larger one of the t test's and the score test's, else of the t test alone.
    """
    above = outcomes.mean - margin
    by_t = float(above <= 0)
    if outcomes.variance:
        by_t = float(stdtr(outcomes.freedom, -above / sqrt(outcomes.variance / outcomes.size)))
    spread = outcomes.spread_at(margin)
    by_score = float(ndtr(-above * sqrt(outcomes.size) / spread)) if spread else 1.0
    return max(by_t, by_score) if guarded else by_t


# Needed numbers of items or votes, with two significant digits and a range: a plan, not a measurement.


HALF, POWER = 0.5, 0.8
WITHIN = 1.2815515655446004  # 80 % of a normal distribution lie within this many deviations
NEAR = 0.5  # standard errors; closer to the margin than that, the truth may well be on the other side


@dataclass(frozen=True)
class Need:
    """value: how many more; None where no number would help. low, high: its 80 % range, due to the sampling error of
    the estimates it is based on; high is None where it may be unbounded.

    near: the difference is too close to the margin for a meaningful number; value is None then.
    """

    value: int | None = None
    low: int | None = None
    high: int | None = None
    near: bool = False


def two_digits(number: float) -> int:
    """Rounded to two significant digits: 12434 is 12000, 35 is 35."""
    whole = round(number)
    if abs(whole) < 100:
        return whole
    step = 10 ** (floor(log10(abs(whole))) - 1)
    return round(whole / step) * step


def needed(value: float | None, low: float | None, high: float | None) -> str:
    """The number as text: "110 (62–240)", "12000 (5300 or more)"; "" without a value."""
    if value is None:
        return ""
    if low is None:
        return str(two_digits(value))
    return f"{two_digits(value)} ({two_digits(low)}{' or more' if high is None else f'–{two_digits(high)}'})"


class ItemNeeds:
    """How many items a test needs for the judge to win against half of the people, if the observed rates are true.

    outcomes: of everybody who is tested. Raises nothing; without outcomes every need is unknown.
    """

    def __init__(self, outcomes: Sequence[Outcomes], epsilon: float, alpha: float, fewest: int, guarded: bool) -> None:
        people = max(len(outcomes), 1)
        self.half = ceil(people * HALF)
        # The share of alpha for the half-th smallest p (Benjamini–Yekutieli).
        share = self.half / people / sum(1 / rank for rank in range(1, people + 1))
        self.critical, self.power = ndtri(1 - alpha * share), ndtri(POWER)
        self.epsilon, self.fewest, self.guarded = epsilon, fewest, guarded

    def of(self, outcomes: Outcomes) -> Need:
        """Further items; no value where the judge seems ε worse or more, or is too near to ε."""
        if not outcomes.n:
            return Need()
        error = max(outcomes.spread_at(self.epsilon), sqrt(outcomes.variance)) / sqrt(outcomes.size)
        if abs(self.epsilon - outcomes.mean) < NEAR * error:
            return Need(near=True)
        more = self._more(outcomes, outcomes.mean)
        if more is None:
            return Need()
        low, high = (self._more(outcomes, outcomes.mean + sign * WITHIN * error) for sign in (-1, 1))
        return Need(more, low, high)

    def _more(self, outcomes: Outcomes, mean: float) -> int | None:
        """If the mean difference is this; None where no number of items is enough."""
        if mean >= self.epsilon:
            return None
        spread = sqrt(outcomes.variance)
        under_margin = max(outcomes.spread_at(self.epsilon), spread) if self.guarded else spread
        root = (self.critical * under_margin + self.power * spread) / (self.epsilon - mean)
        items = root**2 * outcomes.design_effect
        needed = max(ceil(items), self.fewest, 2) if items > outcomes.n else max(self.fewest, outcomes.n)
        return needed - outcomes.n
