"""Who errs how, as far as raters can tell on each other (Dawid and Skene)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from judging.services.trust.tables import Rated
from lib.stats.figures import Figure
from lib.stats.notes import gettext_noop
from lib.stats.rater_errors import rater_errors

TOO_MANY_LABELS = gettext_noop("With more than ten different scores, errors between each two of them say nothing.")


@dataclass(frozen=True)
class Errs:
    """One rater. errors: by true label and given label. units: that they have rated; differing: those of them where
    they say something else than seems true."""

    rater: str
    accuracy: Figure
    errors: Sequence[Sequence[Figure]]
    units: Sequence[str]
    differing: Sequence[str]


@dataclass(frozen=True)
class Erring:
    """raters: empty where nothing can be said, and note says why. labels: what rows and columns of errors stand for."""

    raters: Sequence[Errs] = ()
    labels: Sequence[float | str] = ()
    shares: Sequence[Figure] = field(default_factory=tuple)
    note: str = ""


def erring(ratings: Rated) -> Erring:
    """ratings: codes of labels."""
    if not ratings.units:
        return Erring(note=TOO_MANY_LABELS)
    estimate = rater_errors(ratings.values, len(ratings.labels))
    if not estimate.shares:
        return Erring(note=estimate.note)
    raters = [
        Errs(key, rater.accuracy, rater.errors, _given(ratings, column), _differing(ratings, column, estimate.labels))
        for column, (key, rater) in enumerate(zip(ratings.raters, estimate.raters, strict=True))
    ]
    return Erring(raters, ratings.labels, estimate.shares, estimate.note)


def _given(ratings: Rated, column: int) -> list[str]:
    return [ratings.units[row] for row in np.flatnonzero(~np.isnan(ratings.values[:, column])).tolist()]


def _differing(ratings: Rated, column: int, true: np.ndarray) -> list[str]:
    labels = ratings.values[:, column]
    return [ratings.units[row] for row in np.flatnonzero(~np.isnan(labels) & (labels != true)).tolist()]
