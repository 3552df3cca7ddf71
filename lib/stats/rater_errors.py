"""Who errs how: each rater's errors and each unit's likeliest label, estimated together without knowing the truth.

Source: Dawid and Skene, "Maximum likelihood estimation of observer error-rates using the EM algorithm" (Applied
Statistics, 1979). It assumes that raters err independently of each other once the true label is known: raters who share
a mistake (two judges of one family, people who saw the same suggestion) look right and make the others look wrong.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lib.stats.averages import Floats
from lib.stats.bootstrap import SEED
from lib.stats.expectation import FOR_DRAWS, Fit, Patterns, fit
from lib.stats.figures import Figure, drawn_figure, undefined
from lib.stats.notes import (
    AGAINST_OTHERS,
    EMPTY_LABELS,
    FEW_TRUE,
    FEW_VOTES,
    NEVER_TRUE,
    NO_UNITS,
    NO_VOTES,
    NOBODY_MEETS,
    NOT_SETTLED,
    ONE_LABEL,
    TOO_FEW_RATERS,
)

DRAWS = 200
FEWEST_RATERS = 3
FEWEST_OF_A_LABEL = 5  # votes that give it, and units that seem to have it


@dataclass(frozen=True)
class RaterErrors:
    """accuracy: share of labels that are right. errors: (true label, given label) shares, each row one true label;
    n of a cell: units that seem to have that label and that the rater rated, rounded. A row has no values,
    and a note in each cell, where the label is hardly ever given, or hardly ever seems right where the rater rated."""

    accuracy: Figure
    errors: Sequence[Sequence[Figure]]


@dataclass(frozen=True)
class Estimate:
    """raters: in the order of the table. shares: how common each label is. posterior: (units, labels) chances of the
    true label, NaN rows for units without a rating; labels: (units,) places of the likeliest, -1 where there is none.

    note: why there is nothing, where raters and shares are empty, or what to doubt. converged, steps, log_likelihood:
    of the estimate.
    """

    raters: Sequence[RaterErrors]
    shares: Sequence[Figure]
    posterior: Floats
    labels: np.ndarray
    converged: bool
    steps: int
    log_likelihood: float | None
    note: str = ""


def rater_errors(values: Floats, categories: int, *, count: int = DRAWS, seed: int = SEED) -> Estimate:
    """values: (units, raters) places of labels, 0 to categories - 1, NaN = no rating. Intervals: units drawn again.

    A unit with one rating counts, and says little. Undefined with a note: fewer than three raters who meet somebody,
    one label only, nothing. Starts at the shares of votes; a label that nobody gives has no errors.
    Raises ValueError for values that are no places of labels.
    """
    has_rating = np.asarray(~np.isnan(values))
    if not np.isin(values[has_rating], np.arange(categories)).all():
        raise ValueError(f"Labels are whole numbers from 0 to {categories - 1}.")
    meets = (has_rating & (has_rating.sum(axis=1) >= 2)[:, None]).any(axis=0)
    note = _reason(values[has_rating], int(meets.sum()))
    if note:
        return _nothing(values, categories, note)
    patterns = Patterns.of(values, categories)
    estimate = fit(patterns, patterns.counts[None])
    draw_fits = _drawn(patterns, estimate, count, seed)
    empty = _empty(estimate, patterns)
    raters = [
        _rater(estimate, draw_fits, patterns, rater, empty) if meets[rater] else _unknown(categories, NOBODY_MEETS)
        for rater in range(values.shape[1])
    ]
    shares = [
        drawn_figure(float(share), patterns.units, draw_fits.shares[:, label])
        for label, share in enumerate(estimate.shares[0])
    ]
    rated, chances = np.asarray(has_rating.any(axis=1)), estimate.posterior[0][patterns.place]
    posterior = np.where(rated[:, None], chances, np.nan)
    labels = np.where(rated, chances.argmax(axis=1), -1)
    return Estimate(
        raters,
        shares,
        posterior,
        labels,
        estimate.converged,
        estimate.steps,
        float(estimate.log_likelihood[0]),
        _doubt(estimate, empty),
    )


def _reason(labels: Floats, meeting: int) -> str:
    if not labels.size:
        return NO_UNITS
    if np.ptp(labels) == 0:
        return ONE_LABEL
    return TOO_FEW_RATERS if meeting < FEWEST_RATERS else ""


def _nothing(values: Floats, categories: int, note: str) -> Estimate:
    raters = [_unknown(categories, note) for _ in range(values.shape[1])]
    posterior = np.full((values.shape[0], categories), np.nan)
    return Estimate(raters, [], posterior, np.full(values.shape[0], -1), False, 0, None, note)


def _unknown(categories: int, note: str) -> RaterErrors:
    return RaterErrors(undefined(note), [[undefined(note)] * categories for _ in range(categories)])


def _drawn(patterns: Patterns, estimate: Fit, count: int, seed: int) -> Fit:
    """The same over units drawn again; each starts where all units ended, so that labels keep their places."""
    rated = patterns.counts / patterns.counts.sum()
    times = np.random.default_rng(seed).multinomial(patterns.units, rated, size=count).astype(float)
    return fit(patterns, times, start=estimate.posterior[0], effort=FOR_DRAWS)


def _empty(estimate: Fit, patterns: Patterns) -> dict[int, str]:
    """Labels about which the estimate knows next to nothing -> why."""
    votes = (patterns.counts @ patterns.given).reshape(patterns.raters, -1).sum(axis=0)
    units = estimate.shares[0] * patterns.units
    few = np.flatnonzero(np.minimum(votes, units) < FEWEST_OF_A_LABEL).tolist()
    return {label: _why_empty(int(votes[label])) for label in few}


def _why_empty(votes: int) -> str:
    if votes >= FEWEST_OF_A_LABEL:
        return FEW_TRUE
    return FEW_VOTES if votes else NO_VOTES


def _rater(estimate: Fit, draw_fits: Fit, patterns: Patterns, rater: int, empty: Mapping[int, str]) -> RaterErrors:
    rated = patterns.rated_by(rater)
    weights = (estimate.posterior[0] * patterns.counts[:, None])[rated]
    units = weights.sum(axis=0)
    right = float(estimate.right(rater, patterns)[0])
    accuracy = drawn_figure(right, round(float(units.sum())), draw_fits.right(rater, patterns))
    errors = [
        [
            undefined(empty[true], round(float(units[true])))
            if true in empty
            else _cell(estimate, draw_fits, rater, true, given_label, float(units[true]))
            for given_label in range(patterns.categories)
        ]
        for true in range(patterns.categories)
    ]
    return RaterErrors(accuracy, errors)


def _cell(estimate: Fit, draw_fits: Fit, rater: int, true: int, given_label: int, units: float) -> Figure:
    value = estimate.errors[0, rater, given_label, true]
    if np.isnan(value) or round(units) == 0:
        return undefined(NEVER_TRUE)
    if round(units) < FEWEST_OF_A_LABEL:
        return undefined(FEW_TRUE, round(units))
    return drawn_figure(float(value), round(units), draw_fits.errors[:, rater, given_label, true])


def _doubt(estimate: Fit, empty: Mapping[int, str]) -> str:
    """A true label under which raters together give another one more often has probably changed places with it.

    Of a label that almost nobody gives this says nothing.
    """
    confusion = np.nansum(estimate.errors[0], axis=0)
    used = np.array([label not in empty for label in range(len(confusion))])
    if (confusion.argmax(axis=0) != np.arange(len(used)))[used].any():
        return AGAINST_OTHERS
    if not estimate.converged:
        return NOT_SETTLED
    return EMPTY_LABELS if empty else ""
