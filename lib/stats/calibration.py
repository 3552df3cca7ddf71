"""Calibration of a judge: its scores against the share of people who said yes.

People's rate of a unit is the mean of their answers, 0..1; the judge's score is converted to the same scale.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lib.stats.averages import Floats, divided
from lib.stats.bootstrap import DRAWS, SEED
from lib.stats.figures import (
    FEW_UNITS,
    GAPS_ADD_UP,
    SCORE_CONSTANT,
    Figure,
    drawn_figure,
    drawn_means,
    share_figure,
    undefined,
)

BINS = 10
FEWEST_UNITS = 10


@dataclass(frozen=True)
class CalibrationBin:
    """Scores from low to below high (the last to 1 itself). score: the judge's mean; rate: people's, with Wilson's
    interval; both None in an empty bin. units: indices of the units in it."""

    low: float
    high: float
    score: float | None
    rate: Figure
    units: tuple[int, ...]


@dataclass(frozen=True)
class Calibration:
    """gap: mean distance between score and rate over the bins, weighted by their units (expected calibration error).
    bias: mean score less mean rate: above 0 the judge is too lenient. slope, intercept: of the line rate = intercept +
    slope × score; 1 and 0 for a calibrated judge, a slope below 1 for one that exaggerates.
    skipped: units without a value on one side."""

    bins: Sequence[CalibrationBin]
    gap: Figure
    bias: Figure
    slope: Figure
    intercept: Figure
    skipped: int


def on_scale(scores: Floats, lowest: float, highest: float) -> Floats:
    """Scores of a scale converted to 0..1. Raises ValueError for scores outside it."""
    known_scores = scores[~np.isnan(scores)]
    if not lowest < highest or (known_scores.size and (known_scores.min() < lowest or known_scores.max() > highest)):
        raise ValueError(f"Scores from {lowest} to {highest} are needed.")
    return (scores - lowest) / (highest - lowest)


def calibration(
    scores: Floats, rates: Floats, *, bins: int = BINS, count: int = DRAWS, seed: int = SEED
) -> Calibration:
    """scores: (units,) of the judge, rates: (units,) of people, both 0..1, NaN where there is nothing.

    bins: of equal width. Intervals other than those of the bins are percentiles over resampled units. Undefined below
    ten units; slope and intercept also where the judge's score never varies. Raises ValueError for numbers outside
    0..1.
    """
    scores, rates = on_scale(scores, 0, 1), on_scale(rates, 0, 1)
    both = ~(np.isnan(scores) | np.isnan(rates))
    score, rate, indices = scores[both], rates[both], np.flatnonzero(both)
    bin_of = np.minimum((score * bins).astype(int), bins - 1)
    score_bins = [_bin(number, bins, score, rate, indices, bin_of == number) for number in range(bins)]
    return Calibration(score_bins, *_figures(score, rate, bin_of, bins, count, seed), int((~both).sum()))


def _bin(
    number: int, bins: int, score: Floats, rate: Floats, indices: np.ndarray, inside: np.ndarray
) -> CalibrationBin:
    n = int(inside.sum())
    mean = float(score[inside].mean()) if n else None
    people = share_figure(float(rate[inside].sum()), n)
    return CalibrationBin(number / bins, (number + 1) / bins, mean, people, tuple(indices[inside].tolist()))


def _figures(
    score: Floats, rate: Floats, bin_of: np.ndarray, bins: int, count: int, seed: int
) -> tuple[Figure, Figure, Figure, Figure]:
    n = score.size
    if n < FEWEST_UNITS:
        few = undefined(FEW_UNITS, n)
        return few, few, few, few
    # All figures are functions of means over units, so resampled means give resampled figures.
    gaps = (score - rate) * (bin_of == np.arange(bins)[:, None])
    rows = [score, rate, score**2, score * rate, *gaps]
    values, draws_by_figure = (
        _made_of(np.array(rows).mean(axis=1)[:, None]),
        _made_of(drawn_means(rows, count=count, seed=seed)),
    )
    notes = (GAPS_ADD_UP, "", "", "")
    gap, bias, slope, intercept = (
        drawn_figure(float(value[0]), n, draws, note) if not np.isnan(value[0]) else undefined(SCORE_CONSTANT, n)
        for value, draws, note in zip(values, draws_by_figure, notes, strict=True)
    )
    return gap, bias, slope, intercept


def _made_of(means: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Gap, bias, slope and intercept out of (rows, draws)."""
    score, rate, square, product = means[:4]
    spread = square - score**2
    slope = divided(product - score * rate, np.where(spread > 1e-12, spread, 0))
    return np.abs(means[4:]).sum(axis=0), score - rate, slope, rate - slope * score
