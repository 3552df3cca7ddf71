"""One task of a corrected average: what people said of some of its items, and a judge of all."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lib.stats.averages import Floats

NEAR = 1e-9
Parts = Sequence[tuple[float, int]]  # variance, degrees of freedom


@dataclass(frozen=True)
class Doubt:
    """Items on which people and judge differ by their whole ranges, as so few labels may just not have shown any.

    items: how many; labels, judged: the two ranges. Half of an item lies on either side of the middle.
    """

    items: float
    labels: float
    judged: float

    def part(self, share: float) -> "Doubt":
        return Doubt(self.items * share, self.labels, self.judged)

    @property
    def product(self) -> float:
        """What it takes from the sum of products of label and verdict."""
        return self.items * self.labels * self.judged / 4

    def squares(self, weight: float) -> float:
        """What it adds to the sum of squares of label - weight × verdict."""
        return self.items * (self.labels + weight * self.judged) ** 2 / 4 if weight else 0.0


NO_DOUBT = Doubt(0, 0, 0)


@dataclass(frozen=True)
class Stratum:
    """labels, beside: people's label and the judge's verdict of each labelled item; others: verdicts of the rest."""

    labels: Floats
    beside: Floats
    others: Floats

    @classmethod
    def of(cls, labels: Floats, judged: Floats) -> "Stratum":
        """labels: (items,), NaN where people gave none; judged: (items,) without NaN."""
        has = ~np.isnan(labels)
        return cls(labels[has], judged[has], judged[~has])

    @property
    def n(self) -> int:
        return self.labels.size

    @property
    def rest(self) -> int:
        return self.others.size

    @property
    def differing(self) -> int:
        """Labelled items on which the judge says something else."""
        return int((np.abs(self.labels - self.beside) > NEAR).sum())

    def covariance(self, doubt: Doubt) -> float:
        """Of label and verdict, over the labelled items; 0 where there is nothing to carry over."""
        return float(np.cov(self.labels, self.beside)[0, 1]) - doubt.product / (self.n - 1) if self.rest else 0.0

    @property
    def judged_variance(self) -> float:
        """Of the verdicts, over all items."""
        return _variance(self._verdicts)

    @property
    def judged_share(self) -> float:
        """1 / labelled + 1 / others: by so much the judge's variance enters where it is used in full."""
        return 1 / self.n + 1 / self.rest if self.rest else 0.0

    @property
    def labelled_only(self) -> tuple[float, Parts]:
        return float(self.labels.mean()), [_part(self.labels)]

    @property
    def judged_only(self) -> tuple[float, Parts]:
        return float(self._verdicts.mean()), [_part(self._verdicts)]

    def corrected(self, weight: float, fitted: float, doubt: Doubt) -> tuple[float, Parts]:
        """weight × mean of the judge on the others + mean of (label - weight × verdict) on the labelled items.

        fitted: by how much the spread of what is left is larger than it looks, because λ was fitted to it.
        Where every item is labelled there is nothing to carry over, and the mean is that of the labels.
        """
        if not self.rest:
            return self.labelled_only
        residuals = self.labels - weight * self.beside
        value = weight * float(self.others.mean()) + float(residuals.mean())
        # How much verdicts vary is taken from all of them: labelled items were drawn at random.
        carried = weight**2 * self.judged_variance / self.rest, self.n + self.rest - 1
        variance, freedom = _part(residuals)
        unseen = doubt.squares(weight) / freedom / self.n if freedom else 0.0
        return value, [(fitted * (variance + unseen), freedom), carried]

    @property
    def _verdicts(self) -> Floats:
        return np.concatenate([self.beside, self.others])


def _part(values: Floats) -> tuple[float, int]:
    """Variance of the mean, with its degrees of freedom: none of a single value, whose variance nobody knows."""
    if values.size < 2:
        return 1.0, 0
    return _variance(values) / values.size, values.size - 1


def _variance(values: Floats) -> float:
    """With n - 1; 0 where all are alike, without what rounding leaves."""
    return float(values.var(ddof=1)) if values.size > 1 and np.ptp(values) > NEAR else 0.0
