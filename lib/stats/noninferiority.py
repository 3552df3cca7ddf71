"""Is one of two, item by item, worse than the other by less than a margin? Two tests over wins, losses and ties."""

from dataclasses import dataclass
from math import sqrt

from scipy.stats import norm
from scipy.stats import t as student

from lib.stats.averages import Floats


@dataclass(frozen=True)
class Outcomes:
    """Items on which the person was closer, on which the judge was, and all."""

    person: int
    judge: int
    n: int

    @classmethod
    def of(cls, differences: Floats) -> "Outcomes":
        """differences: 1 for the person, -1 for the judge, 0 for neither."""
        return cls(int((differences > 0).sum()), int((differences < 0).sum()), differences.size)

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


def t_p(outcomes: Outcomes, margin: float) -> float:
    """p of the one-sided t test of a mean difference of the margin or more; small: the judge is not that much worse.

    Where all differences are alike, the limit: 0 below the margin and 1 otherwise. Needs two items.
    """
    below = margin - outcomes.mean
    if not outcomes.variance:
        return float(below <= 0)
    return float(student.sf(below / sqrt(outcomes.variance / outcomes.n), outcomes.n - 1))


def score_p(outcomes: Outcomes, margin: float) -> float:
    """The same by the score test, whose spread is that of a judge who is worse by exactly the margin.

    Source: Nam, "Establishing equivalence of two treatments and sample size requirements in matched-pairs design"
    (Biometrics, 1997); Tango (Statistics in Medicine, 1998). 1 where nothing ever differs and the margin is 0.
    """
    spread = outcomes.spread_at(margin)
    if not spread:
        return 1.0
    return float(norm.sf((margin - outcomes.mean) * sqrt(outcomes.n) / spread))


def worse_p(outcomes: Outcomes, margin: float, *, guarded: bool = True) -> float:
    """p of the opposite question; small: the judge is worse by more than the margin. Needs two items.

    guarded: the larger one of the t test's and the score test's, else of the t test alone.
    """
    above = outcomes.mean - margin
    by_t = float(above <= 0)
    if outcomes.variance:
        by_t = float(student.sf(above / sqrt(outcomes.variance / outcomes.n), outcomes.n - 1))
    spread = outcomes.spread_at(margin)
    by_score = float(norm.sf(above * sqrt(outcomes.n) / spread)) if spread else 1.0
    return max(by_t, by_score) if guarded else by_t
