"""The EM algorithm of Dawid and Skene over distinct rows, for many weightings of the rows at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lib.stats.averages import Floats, divided

Effort = tuple[int, float]  # most steps, and a change of the log-likelihood a unit that is none
IN_FULL: Effort = (500, 1e-8)
FOR_DRAWS: Effort = (50, 1e-6)  # which start where all units ended
TINY = 1e-12
AT_ONCE = 4_000_000  # numbers held at once


@dataclass(frozen=True)
class Patterns:
    """Distinct rows of ratings. given: (patterns, raters × categories) ones; counts: (patterns,) units that have the
    row, 0 for the row without any rating; place: (units,) each unit's pattern."""

    given: Floats
    counts: Floats
    place: NDArray[np.intp]
    categories: int

    @classmethod
    def of(cls, values: Floats, categories: int) -> "Patterns":
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

    def labels_of(self, rater: int) -> Floats:
        """(patterns, categories): one where the rater gives the label."""
        labels: Floats = self.given[:, rater * self.categories : (rater + 1) * self.categories]
        return labels

    def rated_by(self, rater: int) -> NDArray[np.bool_]:
        """(patterns,): whether the rater rates there."""
        return np.asarray(self.labels_of(rater).any(axis=1))


@dataclass(frozen=True)
class Fit:
    """Of each weighting: shares (weightings, labels); errors (weightings, raters, given, true), NaN where no unit has
    the label; posterior (weightings, patterns, labels); times as given."""

    shares: Floats
    errors: Floats
    posterior: Floats
    times: Floats
    log_likelihood: Floats
    steps: int
    converged: bool

    def right(self, rater: int, patterns: Patterns) -> Floats:
        """(weightings,): share of the rater's labels that are right; NaN where they rated nothing."""
        labels = patterns.labels_of(rater)
        right = np.einsum("bp,bpk,pk->b", self.times, self.posterior, labels)
        return divided(right, self.times @ labels.sum(axis=1))


def fit(patterns: Patterns, times: Floats, start: Floats | None = None, effort: Effort = IN_FULL) -> Fit:
    """times: (weightings, patterns), how often each row counts. start: (patterns, labels); else shares of votes."""
    initial_posterior = _votes(patterns) if start is None else start
    size = max(1, AT_ONCE // initial_posterior.size)
    parts = [
        _fit(patterns, times[offset : offset + size], initial_posterior, effort)
        for offset in range(0, len(times), size)
    ]
    return Fit(
        np.concatenate([part.shares for part in parts]),
        np.concatenate([part.errors for part in parts]),
        np.concatenate([part.posterior for part in parts]),
        times,
        np.concatenate([part.log_likelihood for part in parts]),
        max(part.steps for part in parts),
        all(part.converged for part in parts),
    )


def _votes(patterns: Patterns) -> Floats:
    votes = patterns.given.reshape(len(patterns.given), -1, patterns.categories).sum(axis=1)
    shares = divided(votes, votes.sum(axis=1, keepdims=True))
    return np.where(np.isnan(shares), 1 / patterns.categories, shares)


def _fit(patterns: Patterns, times: Floats, start: Floats, effort: Effort) -> Fit:
    posterior = np.broadcast_to(start, (len(times), *start.shape))
    previous, step, converged = np.full(len(times), -np.inf), 0, False
    while not converged and step < effort[0]:
        step += 1
        shares, errors = _most_likely(patterns, times, posterior)
        posterior, log_likelihood = _expected(patterns, times, shares, errors)
        converged = bool((log_likelihood - previous <= effort[1] * times.sum(axis=1)).all())
        previous = log_likelihood
    shaped = errors.reshape(len(times), patterns.raters, patterns.categories, patterns.categories)
    return Fit(shares, shaped, posterior, times, previous, step, converged)


def _most_likely(patterns: Patterns, times: Floats, posterior: Floats) -> tuple[Floats, Floats]:
    """Shares of labels, and errors (weightings, raters × given, true)."""
    weighted = times[:, :, None] * posterior
    shares = weighted.sum(axis=1) / times.sum(axis=1)[:, None]
    label_counts = patterns.given.T @ weighted
    all_given = label_counts.reshape(len(times), patterns.raters, patterns.categories, -1).sum(axis=2)
    return shares, divided(
        label_counts, np.repeat(np.where(all_given > TINY, all_given, 0), patterns.categories, axis=1)
    )


def _expected(patterns: Patterns, times: Floats, shares: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """Chances of each label for each row, and the log-likelihood. What was never seen has a chance of next to 0."""
    logs = np.log(np.maximum(np.nan_to_num(errors), TINY))
    joint = patterns.given @ logs + np.log(np.maximum(shares, TINY))[:, None, :]
    highest = joint.max(axis=2, keepdims=True)
    chances = np.exp(joint - highest)
    total = chances.sum(axis=2, keepdims=True)
    likelihood: Floats = (times * (highest + np.log(total))[..., 0]).sum(axis=1)
    return chances / total, likelihood
