"""Prediction-powered inference: means of people's labels, from a judge's verdicts on all items and some labels.

The estimates are valid whatever the quality of the judge: labels correct its mean, and a bad judge only makes intervals
wider. The labelled items must be drawn at random (within each task): items chosen because they looked odd give a wrong
correction.

Sources: Angelopoulos, Bates, Fannjiang, Jordan, Zrnic, "Prediction-powered inference" (Science, 2023); power tuning:
Angelopoulos, Duchi, Zrnic, "PPI++" (arXiv 2311.01453); within strata: Fisch et al. (arXiv 2406.04291).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import stdtrit

from lib.stats.averages import OVERALL, AverageCell, Floats, Places, columns
from lib.stats.bootstrap import LEVEL
from lib.stats.figures import (
    ALL_LABELLED,
    FEW_DIFFERENCES,
    NO_SPREAD,
    NO_UNITS,
    THIN_TASK,
    TOO_FEW_LABELS,
    Figure,
    undefined,
)

NEAR = 1e-9
Parts = Sequence[tuple[float, int]]  # variance, degrees of freedom


@dataclass(frozen=True)
class Doubt:
    """Assumed items on which people and judge differ by their whole ranges, which few labels may have missed.

    items: how many; labels, judged: the two ranges. Half of an item is on either side of the middle.
    """

    items: float
    labels: float
    judged: float

    def part(self, share: float) -> "Doubt":
        return Doubt(self.items * share, self.labels, self.judged)

    @property
    def product(self) -> float:
        """The amount to subtract from the sum of products of label and verdict."""
        return self.items * self.labels * self.judged / 4

    def squares(self, weight: float) -> float:
        """The amount to add to the sum of squares of label - weight × verdict."""
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
        """The covariance of label and verdict over the labelled items; 0 where all items are labelled."""
        return float(np.cov(self.labels, self.beside)[0, 1]) - doubt.product / (self.n - 1) if self.rest else 0.0

    @property
    def judged_variance(self) -> float:
        """Of the verdicts, over all items."""
        return _variance(self._verdicts)

    @property
    def judged_share(self) -> float:
        """1 / labelled + 1 / others: the factor of the judge's variance if the judge is used in full."""
        return 1 / self.n + 1 / self.rest if self.rest else 0.0

    @property
    def labelled_only(self) -> tuple[float, Parts]:
        return float(self.labels.mean()), [_part(self.labels)]

    @property
    def judged_only(self) -> tuple[float, Parts]:
        return float(self._verdicts.mean()), [_part(self._verdicts)]

    def corrected(self, weight: float, fitted: float, doubt: Doubt) -> tuple[float, Parts]:
        """weight × mean of the judge on the others + mean of (label - weight × verdict) on the labelled items.

        fitted: the factor by which the residual spread is underestimated, because λ was fitted to it.
        Where every item is labelled, the mean is that of the labels.
        """
        if not self.rest:
            return self.labelled_only
        residuals = self.labels - weight * self.beside
        value = weight * float(self.others.mean()) + float(residuals.mean())
        # The variance of verdicts is estimated from all items, because labelled items were drawn at random.
        carried = weight**2 * self.judged_variance / self.rest, self.n + self.rest - 1
        variance, freedom = _part(residuals)
        unseen = doubt.squares(weight) / freedom / self.n if freedom else 0.0
        return value, [(fitted * (variance + unseen), freedom), carried]

    @property
    def _verdicts(self) -> Floats:
        return np.concatenate([self.beside, self.others])


def _part(values: Floats) -> tuple[float, int]:
    """Variance of the mean, with its degrees of freedom; a single value has none and an unknown variance."""
    if values.size < 2:
        return 1.0, 0
    return _variance(values) / values.size, values.size - 1


def _variance(values: Floats) -> float:
    """The variance with n - 1; exactly 0 where all values are equal, without rounding errors."""
    return float(values.var(ddof=1)) if values.size > 1 and np.ptp(values) > NEAR else 0.0


# Corrected means and leaderboards.


FEWEST_LABELS = 10
FEWEST_IN_A_TASK = 2
FEW = 5
HALF_AN_ITEM = 0.5
Estimate = tuple[float, Parts]


@dataclass(frozen=True)
class CorrectedMean:
    """One mean, estimated in three ways. The n of each figure counts the items it is based on.

    corrected: people's mean, estimated from both. labelled_only: from labels alone. judged_only: the judge's mean,
    whose interval ignores its errors. weight: λ, 0 = the judge is not used, 1 = used in full. worth: the number of
    labels that would be as precise alone, as a multiple of the existing ones; None without intervals.
    """

    corrected: Figure
    labelled_only: Figure
    judged_only: Figure
    weight: float
    worth: float | None


@dataclass(frozen=True)
class LabelledRow:
    """One author of the corrected leaderboard: column -> means. skipped: labelled items that the judge left out."""

    author: str
    columns: dict[str, CorrectedMean]
    skipped: int


def corrected_leaderboard(
    authors: Sequence[str],
    labels: Floats,
    judged: Floats,
    cell: Places,
    cells: Sequence[AverageCell],
    *,
    tuned: bool = True,
    guarded: bool = True,
) -> list[LabelledRow]:
    """Every author's averages, items within tasks as the published averaging does, corrected by people's labels.

    labels, judged: (authors, items), NaN where there is nothing; a failed call is 0 and no gap. cell: (items,), places
    in `cells`. An average is undefined where its tasks have fewer than ten labels, or one of them fewer than two. A
    labelled item without a verdict is left out and counted.
    tuned: λ within 0..1 minimises the interval; otherwise λ is 1.
    guarded: matters where tuned. It accounts for the fitting of λ, and for half an item on which people and judge
    differ by the whole range. Otherwise intervals of few labels are too short: with 20 or 30 labels and a good judge
    they covered the truth in 92 to 93 of 100 studies instead of 95. False is the variance as published.
    """
    return [
        LabelledRow(
            author, _columns(author_labels, verdicts, cell, cells, (tuned, guarded)), _skipped(author_labels, verdicts)
        )
        for author, author_labels, verdicts in zip(authors, labels, judged, strict=True)
    ]


def _skipped(labels: Floats, judged: Floats) -> int:
    return int((~np.isnan(labels) & np.isnan(judged)).sum())


def _columns(
    labels: Floats, judged: Floats, cell: Places, cells: Sequence[AverageCell], how: tuple[bool, bool]
) -> dict[str, CorrectedMean]:
    """One λ for all columns, so that the overall average is that of the tasks it consists of. how: tuned, guarded."""
    has_verdict = ~np.isnan(judged)
    parts = {
        cell_index: Stratum.of(labels[has_verdict & (cell == cell_index)], judged[has_verdict & (cell == cell_index)])
        for cell_index in np.unique(cell[has_verdict]).tolist()
    }
    tuned, guarded = how
    doubt = _doubt(labels[has_verdict], judged[has_verdict]) if tuned and guarded else NO_DOUBT
    weight = _weight(list(parts.values()), doubt) if tuned else 1.0
    return {
        column: _corrected(
            [part for cell_index, part in parts.items() if column in (OVERALL, cells[cell_index].scenario)],
            weight,
            doubt,
        )
        for column in columns(cells)
    }


def _doubt(labels: Floats, judged: Floats) -> Doubt:
    known_labels = labels[~np.isnan(labels)]
    return Doubt(HALF_AN_ITEM, float(np.ptp(known_labels)), float(np.ptp(judged))) if known_labels.size else NO_DOUBT


def _weight(parts: Sequence[Stratum], doubt: Doubt) -> float:
    """λ with the least variance of the plain mean over strata, within 0..1; 0 where the judge never varies."""
    large_parts = [part for part in parts if part.n >= FEWEST_IN_A_TASK]
    below, n = (
        sum(part.judged_variance * part.judged_share for part in large_parts),
        sum(part.n for part in large_parts),
    )
    above = sum(part.covariance(doubt.part(part.n / n)) / part.n for part in large_parts)
    return min(max(above / below, 0.0), 1.0) if below else 0.0


def _corrected(parts: Sequence[Stratum], weight: float, doubt: Doubt) -> CorrectedMean:
    n, judged = sum(part.n for part in parts), sum(part.n + part.rest for part in parts)
    judged_only = _mean([part.judged_only for part in parts], judged)
    short = (
        TOO_FEW_LABELS if n < FEWEST_LABELS else THIN_TASK if min(part.n for part in parts) < FEWEST_IN_A_TASK else ""
    )
    if short:
        return CorrectedMean(undefined(short, n), undefined(short, n), judged_only, weight, None)
    labelled = _mean([part.labelled_only for part in parts], n)
    note = ALL_LABELLED if n == judged else FEW_DIFFERENCES if sum(part.differing for part in parts) < FEW else ""
    freedom = n - len(parts)
    # λ was fitted to the same labels, which costs a degree of freedom, like a slope in a regression.
    fitted = freedom / (freedom - 1) if doubt.items and 0 < weight < 1 else 1.0
    corrected = _mean([part.corrected(weight, fitted, doubt.part(part.n / n)) for part in parts], n, note)
    return CorrectedMean(corrected, labelled, judged_only, weight, _worth(corrected, labelled))


def _mean(estimates: Sequence[Estimate], n: int, note: str = "") -> Figure:
    """Plain mean over strata of estimates with (variance, degrees of freedom) parts; Student's interval with the
    degrees of freedom of Welch and Satterthwaite."""
    if not estimates:
        return undefined(NO_UNITS)
    mean = float(np.mean([value for value, _ in estimates]))
    parts = [(variance / len(estimates) ** 2, freedom) for _, terms in estimates for variance, freedom in terms]
    variance = sum(part for part, _ in parts)
    if not variance or any(part and not freedom for part, freedom in parts):
        return Figure(mean, n, note=NO_SPREAD)
    freedom = variance**2 / sum(part**2 / degrees for part, degrees in parts if part)
    half = float(stdtrit(freedom, (1 + LEVEL) / 2)) * sqrt(variance)
    return Figure(mean, n, mean - half, mean + half, note)


def _worth(corrected: Figure, labelled: Figure) -> float | None:
    if corrected.low is None or corrected.high is None or labelled.low is None or labelled.high is None:
        return None
    return ((labelled.high - labelled.low) / (corrected.high - corrected.low)) ** 2
