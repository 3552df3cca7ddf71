"""The next pairs where the ranking is uncertain: by what another vote would tell about the differences of strengths.

Before each wave the votes so far give strengths and how certain they are (Bradley-Terry, a tie being half a win of
each, with one tie added to every pair so that nobody is without bounds). A difference counts as much as its sign is in
doubt: the probability that two authors stand the other way round. The next pair is the one whose vote is expected to
shrink the variances of these differences most; it is then taken as asked, and the next one is found (greedy).

A share of each wave, the floor, goes to the pairs that have met least, whatever the votes say, so that an early
accident cannot keep two authors from ever meeting again.
Source: Chaloner and Verdinelli, "Bayesian experimental design: a review" (Statistical Science, 1995), 2.2.
"""

from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from lib.stats.averages import Floats
from lib.stats.ranking.strengths import log_strengths

FLOOR = 0.2
ADDED = 0.5  # wins of each over each, at the start
Places = NDArray[np.intp]


def pairs_of(models: int) -> tuple[Places, Places]:
    """(pairs,) first and second of every pair, in the order in which `next_pairs` numbers them."""
    first, second = np.triu_indices(models, 1)
    return first, second


def next_pairs(
    won: Floats, met: Floats, count: int, chance: np.random.Generator, *, each: int = 1, floor: float = FLOOR
) -> Places:
    """(…, count) numbers of the pairs to ask about next.

    won: (…, models, models) wins of the row over the column, a tie being a half, so far; met: (…, models, models) how
    often two were asked about, which may be more where votes are still out; each: votes that one further asking brings.
    Leading axes are studies beside each other. Raises ValueError for a floor outside 0..1.
    """
    if not 0 <= floor <= 1:
        raise ValueError("The share for the pairs that met least lies between 0 and 1.")
    first, second = pairs_of(won.shape[-1])
    logs, spread = _spread(won, met)
    variance = _of_pairs(spread, first, second)
    ahead = logs[..., first] - logs[..., second]
    doubt = ndtr(-np.abs(ahead) / np.sqrt(np.diagonal(variance, axis1=-2, axis2=-1)))
    information = each * _slope(ahead)
    ask_counts = met[..., first, second].astype(float)
    pair_numbers = np.empty((*ask_counts.shape[:-1], count), dtype=np.intp)
    for turn in range(count):
        worth = -ask_counts if turn < ceil(floor * count) else gains(variance, information, doubt)
        pair_numbers[..., turn] = _best(worth, chance)
        ask_counts, variance = _asked(ask_counts, variance, information, pair_numbers[..., turn], each)
    return pair_numbers


def gains(variance: Floats, information: Floats, doubt: Floats) -> Floats:
    """(…, pairs): by how much one more asking about each pair shrinks the variances of all differences, weighed.

    variance: (…, pairs, pairs) covariances of the differences; told: (…, pairs) what one asking tells of its own
    difference (Fisher's information); doubt: (…, pairs) weights of the differences.
    """
    own_variance = np.diagonal(variance, axis1=-2, axis2=-1)
    gain: Floats = information / (1 + information * own_variance) * np.einsum("...d,...dp->...p", doubt, variance**2)
    return gain


def _spread(won: Floats, met: Floats) -> tuple[Floats, Floats]:
    """(…, models) logarithms of strengths with mean 0, and (…, models, models) their covariances."""
    models = won.shape[-1]
    off_diagonal = 1 - np.eye(models)
    logs = log_strengths(won + ADDED * off_diagonal)
    weights = (met + 2 * ADDED * off_diagonal) * _slope(logs[..., :, None] - logs[..., None, :])
    information = np.einsum("...ij,ik->...ik", weights, np.eye(models)) - weights * off_diagonal
    return logs, np.linalg.inv(information + 1 / models) - 1 / models


def _of_pairs(spread: Floats, first: Places, second: Places) -> Floats:
    """(…, pairs, pairs) covariances of the differences."""
    rows = spread[..., first, :] - spread[..., second, :]
    covariances: Floats = rows[..., first] - rows[..., second]
    return covariances


def _slope(ahead: Floats) -> Floats:
    """p (1 - p): what one vote tells of a difference."""
    slope: Floats = 1 / (2 + 2 * np.cosh(ahead))
    return slope


def _best(worth: Floats, chance: np.random.Generator) -> Places:
    """(…,) where each row is largest; chance decides between equals."""
    largest = worth.max(axis=-1, keepdims=True)
    equal = worth >= largest - 1e-9 * np.abs(largest)
    pair_numbers: Places = np.where(equal, chance.random(worth.shape), -1.0).argmax(axis=-1)
    return pair_numbers


def _asked(
    ask_counts: Floats, variance: Floats, information: Floats, pair: Places, votes: int
) -> tuple[Floats, Floats]:
    """How often pairs were asked about, and covariances, as if the votes about this one were in."""
    pair_index = np.expand_dims(pair, -1)
    row = np.take_along_axis(variance, pair_index[..., None], axis=-2)[..., 0, :]
    own_variance, telling = (np.take_along_axis(array, pair_index, axis=-1)[..., 0] for array in (row, information))
    shrunk = (telling / (1 + telling * own_variance))[..., None, None] * row[..., :, None] * row[..., None, :]
    more = np.zeros_like(ask_counts)
    np.put_along_axis(more, pair_index, float(votes), axis=-1)
    return ask_counts + more, variance - shrunk
