"""Rater errors by Dawid and Skene: each rater's confusion matrix and each unit's likeliest label, without gold labels.

The EM algorithm runs over distinct rows, for many weightings of the rows at once (as in a bootstrap). Ratings are a
sparse matrix: of a crowd of hundreds, a few rate each unit.
Source: Dawid and Skene, "Maximum likelihood estimation of observer error-rates using the EM algorithm" (Applied
Statistics, 1979). It assumes that raters err independently of each other given the true label. Raters who share a
mistake (two judges of one family, people who saw the same suggestion) seem right and make the others seem wrong.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib import progress
from lib.stats.averages import Floats, divided
from lib.stats.bootstrap import SEED
from lib.stats.figures import (
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
    Figure,
    drawn_figure,
    undefined,
)

Effort = tuple[int, float]  # most steps, and the change of the log-likelihood per unit that counts as converged
IN_FULL: Effort = (500, 1e-8)
FOR_DRAWS: Effort = (50, 1e-6)  # which start at the estimate of all units
TINY = 1e-12
AT_ONCE = 4_000_000  # numbers held at once


@dataclass(frozen=True)
class LabelPatterns:
    """Distinct rows of ratings. given: (patterns, raters × categories) ones; counts: (patterns,) units that have the
    row, 0 for the row without any rating; place: (units,) each unit's pattern."""

    given: Floats
    counts: Floats
    place: NDArray[np.intp]
    categories: int

    @classmethod
    def of(cls, values: Floats, categories: int) -> "LabelPatterns":
        codes = np.where(np.isnan(values), -1, values).astype(int)
        rows, pattern_index, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
        indicators = (rows[:, :, None] == np.arange(categories)).astype(float).reshape(len(rows), -1)
        return cls(
            indicators, np.where(indicators.any(axis=1), counts, 0).astype(float), pattern_index.ravel(), categories
        )

    @property
    def raters(self) -> int:
        return self.given.shape[1] // self.categories

    @property
    def units(self) -> int:
        """With a rating."""
        return int(self.counts.sum())

    @cached_property
    def sparse(self) -> Any:
        """given, as a matrix that holds its ones only."""
        from scipy.sparse import csr_array  # here: it takes long to load, and few processes need it

        return csr_array(self.given)

    @cached_property
    def sparse_turned(self) -> Any:
        """(raters × categories, patterns): the same transposed."""
        return self.sparse.T.tocsr()

    def labels_of(self, rater: int) -> Floats:
        """(patterns, categories): one where the rater gives the label."""
        labels: Floats = self.given[:, rater * self.categories : (rater + 1) * self.categories]
        return labels

    def rated_by(self, rater: int) -> NDArray[np.bool_]:
        """(patterns,): whether the rater rates there."""
        return np.asarray(self.labels_of(rater).any(axis=1))


@dataclass(frozen=True)
class ErrorFit:
    """Of each weighting: shares (weightings, labels); errors (weightings, raters, given, true), NaN where no unit has
    the label; posterior (weightings, patterns, labels); times as given."""

    shares: Floats
    errors: Floats
    posterior: Floats
    times: Floats
    log_likelihood: Floats
    steps: int
    converged: bool

    def right(self, rater: int, patterns: LabelPatterns) -> Floats:
        """(weightings,): share of the rater's labels that are right; NaN where the rater rated nothing."""
        rated = patterns.rated_by(rater)
        labels, times = patterns.labels_of(rater)[rated], self.times[:, rated]
        right = np.einsum("bp,bpk,pk->b", times, self.posterior[:, rated], labels)
        return divided(right, times @ labels.sum(axis=1))


def fit(patterns: LabelPatterns, times: Floats, start: Floats | None = None, effort: Effort = IN_FULL) -> ErrorFit:
    """times: (weightings, patterns), how often each row counts. start: (patterns, labels); else shares of votes."""
    initial_posterior = _votes(patterns) if start is None else start
    size = max(1, AT_ONCE // initial_posterior.size)
    parts = [
        _fit(patterns, times[offset : offset + size], initial_posterior, effort)
        for offset in range(0, len(times), size)
    ]
    return ErrorFit(
        np.concatenate([part.shares for part in parts]),
        np.concatenate([part.errors for part in parts]),
        np.concatenate([part.posterior for part in parts]),
        times,
        np.concatenate([part.log_likelihood for part in parts]),
        max(part.steps for part in parts),
        all(part.converged for part in parts),
    )


def _votes(patterns: LabelPatterns) -> Floats:
    votes = patterns.given.reshape(len(patterns.given), -1, patterns.categories).sum(axis=1)
    shares = divided(votes, votes.sum(axis=1, keepdims=True))
    return np.where(np.isnan(shares), 1 / patterns.categories, shares)


def _fit(patterns: LabelPatterns, times: Floats, start: Floats, effort: Effort) -> ErrorFit:
    posterior = np.broadcast_to(start, (len(times), *start.shape))
    previous, step, converged = np.full(len(times), -np.inf), 0, False
    while not converged and step < effort[0]:
        step += 1
        progress.report(progress.RESAMPLING, step, effort[0])
        shares, errors = _most_likely(patterns, times, posterior)
        posterior, log_likelihood = _expected(patterns, times, shares, errors)
        converged = bool((log_likelihood - previous <= effort[1] * times.sum(axis=1)).all())
        previous = log_likelihood
    shaped = errors.reshape(len(times), patterns.raters, patterns.categories, patterns.categories)
    return ErrorFit(shares, shaped, posterior, times, previous, step, converged)


def _most_likely(patterns: LabelPatterns, times: Floats, posterior: Floats) -> tuple[Floats, Floats]:
    """Shares of labels, and errors (weightings, raters × given, true)."""
    weighted = times[:, :, None] * posterior
    shares = weighted.sum(axis=1) / times.sum(axis=1)[:, None]
    label_counts = _times_each(patterns.sparse_turned, weighted)
    by_rater = label_counts.reshape(len(times), patterns.raters, patterns.categories, -1)
    all_given = by_rater.sum(axis=2, keepdims=True)
    return shares, divided(by_rater, np.where(all_given > TINY, all_given, 0)).reshape(label_counts.shape)


def _expected(patterns: LabelPatterns, times: Floats, shares: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """Probabilities of each label for each row, and the log-likelihood. Unseen events have a probability near 0."""
    logs = np.log(np.maximum(np.nan_to_num(errors), TINY))
    joint = _times_each(patterns.sparse, logs) + np.log(np.maximum(shares, TINY))[:, None, :]
    highest = joint.max(axis=2, keepdims=True)
    chances = np.exp(joint - highest)
    total = chances.sum(axis=2, keepdims=True)
    likelihood: Floats = (times * (highest + np.log(total))[..., 0]).sum(axis=1)
    return chances / total, likelihood


def _times_each(sparse: Any, matrices: Floats) -> Floats:
    """A sparse matrix (m, n) times each of (weightings, n, labels): (weightings, m, labels)."""
    weightings, n, labels = matrices.shape
    side_by_side = sparse @ matrices.transpose(1, 0, 2).reshape(n, weightings * labels)
    products: Floats = side_by_side.reshape(-1, weightings, labels).transpose(1, 0, 2)
    return products


# The estimate with intervals and notes.


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
class ErrorEstimate:
    """raters: in the order of the table. shares: how common each label is. posterior: (units, labels) chances of the
    true label, NaN rows for units without a rating; labels: (units,) places of the likeliest, -1 where there is none.

    note: the reason if raters and shares are empty, or a caveat. converged, steps, log_likelihood: of the estimate.
    """

    raters: Sequence[RaterErrors]
    shares: Sequence[Figure]
    posterior: Floats
    labels: np.ndarray
    converged: bool
    steps: int
    log_likelihood: float | None
    note: str = ""


def rater_errors(values: Floats, categories: int, *, count: int = DRAWS, seed: int = SEED) -> ErrorEstimate:
    """values: (units, raters) indices of labels, 0 to categories - 1, NaN = no rating. Intervals resample units.

    A unit with one rating counts, with little effect. Undefined with a note: fewer than three raters who share units
    with others, a single label, no ratings. The start is the shares of votes; a label that nobody gives has no errors.
    Raises ValueError for values that are no indices of labels.
    """
    has_rating = np.asarray(~np.isnan(values))
    if not np.isin(values[has_rating], np.arange(categories)).all():
        raise ValueError(f"Labels are whole numbers from 0 to {categories - 1}.")
    meets = (has_rating & (has_rating.sum(axis=1) >= 2)[:, None]).any(axis=0)
    note = _reason(values[has_rating], int(meets.sum()))
    if note:
        return _nothing(values, categories, note)
    patterns = LabelPatterns.of(values, categories)
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
    return ErrorEstimate(
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


def _nothing(values: Floats, categories: int, note: str) -> ErrorEstimate:
    raters = [_unknown(categories, note) for _ in range(values.shape[1])]
    posterior = np.full((values.shape[0], categories), np.nan)
    return ErrorEstimate(raters, [], posterior, np.full(values.shape[0], -1), False, 0, None, note)


def _unknown(categories: int, note: str) -> RaterErrors:
    return RaterErrors(undefined(note), [[undefined(note)] * categories for _ in range(categories)])


def _drawn(patterns: LabelPatterns, estimate: ErrorFit, count: int, seed: int) -> ErrorFit:
    """The fits over resampled units; each starts at the estimate of all units, so that labels are not permuted."""
    rated = patterns.counts / patterns.counts.sum()
    times = np.random.default_rng(seed).multinomial(patterns.units, rated, size=count).astype(float)
    return fit(patterns, times, start=estimate.posterior[0], effort=FOR_DRAWS)


def _empty(estimate: ErrorFit, patterns: LabelPatterns) -> dict[int, str]:
    """Labels with almost no information -> the reason."""
    votes = (patterns.counts @ patterns.given).reshape(patterns.raters, -1).sum(axis=0)
    units = estimate.shares[0] * patterns.units
    few = np.flatnonzero(np.minimum(votes, units) < FEWEST_OF_A_LABEL).tolist()
    return {label: _why_empty(int(votes[label])) for label in few}


def _why_empty(votes: int) -> str:
    if votes >= FEWEST_OF_A_LABEL:
        return FEW_TRUE
    return FEW_VOTES if votes else NO_VOTES


def _rater(
    estimate: ErrorFit, draw_fits: ErrorFit, patterns: LabelPatterns, rater: int, empty: Mapping[int, str]
) -> RaterErrors:
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


def _cell(estimate: ErrorFit, draw_fits: ErrorFit, rater: int, true: int, given_label: int, units: float) -> Figure:
    value = estimate.errors[0, rater, given_label, true]
    if np.isnan(value) or round(units) == 0:
        return undefined(NEVER_TRUE)
    if round(units) < FEWEST_OF_A_LABEL:
        return undefined(FEW_TRUE, round(units))
    return drawn_figure(float(value), round(units), draw_fits.errors[:, rater, given_label, true])


def _doubt(estimate: ErrorFit, empty: Mapping[int, str]) -> str:
    """A true label for which raters together give another label more often was probably swapped with it.

    Labels that almost nobody gives are not checked.
    """
    confusion = np.nansum(estimate.errors[0], axis=0)
    used = np.array([label not in empty for label in range(len(confusion))])
    if (confusion.argmax(axis=0) != np.arange(len(used)))[used].any():
        return AGAINST_OTHERS
    if not estimate.converged:
        return NOT_SETTLED
    return EMPTY_LABELS if empty else ""
