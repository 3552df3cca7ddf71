"""Sampling designs: at random, balanced over pairs of authors and groups, and adaptive by expected information."""

import random
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from lib.stats.averages import Floats
from lib.stats.ranking.strengths import log_strengths


@dataclass(frozen=True, slots=True)
class PairCandidate:
    """A possible question. shown: the authors whose answers it shows, in any order."""

    item: Hashable
    stratum: str
    shown: frozenset[Hashable]


def at_random(candidates: Sequence[PairCandidate], count: int, chance: random.Random, per_item: int = 0) -> list[int]:
    """Indices of a simple random sample without replacement, ascending; all if there are no more than `count`.

    per_item: the most per item, chosen at random. 0: any number, so that an item can be asked about with every pair.
    """
    if not per_item:
        return sorted(chance.sample(range(len(candidates)), min(count, len(candidates))))
    by_item, positions = Counter[Hashable](), list[int]()
    for position in chance.sample(range(len(candidates)), len(candidates)):
        if len(positions) < count and by_item[candidates[position].item] < per_item:
            by_item[candidates[position].item] += 1
            positions.append(position)
    return sorted(positions)


def balanced(candidates: Sequence[PairCandidate], count: int, chance: random.Random) -> list[int]:
    """Indices, ascending, of `count` candidates, balanced over sets of authors, within them groups, and over items.

    Greedy: the next candidate is always of the authors asked about least so far; among their groups the one least used
    with them, then the one least used at all; within it an item used least. Ties are broken at random. So the counts
    of two sets of authors, and of two groups of one set, differ by at most one while there is enough of each.
    """
    cells: dict[tuple[frozenset[Hashable], str], list[int]] = {}
    for position in chance.sample(range(len(candidates)), len(candidates)):
        cells.setdefault((candidates[position].shown, candidates[position].stratum), []).append(position)
    by_set, by_cell, by_stratum, by_item = Counter[Hashable](), Counter[Hashable](), Counter[str](), Counter[Hashable]()

    def rank(cell: tuple[frozenset[Hashable], str]) -> tuple[int, int, int, float]:
        return by_set[cell[0]], by_cell[cell], by_stratum[cell[1]], chance.random()

    heap = [(rank(cell), number) for number, cell in enumerate(cells)]
    names, positions = list(cells), list[int]()
    heapify(heap)
    while heap and len(positions) < count:
        old_rank, number = heappop(heap)
        cell = names[number]
        now = rank(cell)
        if now[:3] > old_rank[:3]:  # ranks only grow: a first entry that is still right is the smallest
            heappush(heap, (now, number))
            continue
        position = min(cells[cell], key=lambda index: by_item[candidates[index].item])
        cells[cell].remove(position)
        positions.append(position)
        for counts, key in (
            (by_set, cell[0]),
            (by_cell, cell),
            (by_stratum, cell[1]),
            (by_item, candidates[position].item),
        ):
            counts[key] += 1  # type: ignore[index]
        if cells[cell]:
            heappush(heap, (rank(cell), number))
    return sorted(positions)


# The adaptive design: the next pairs are those whose vote gives most information about differences of strengths.
#
# Before each wave the votes so far give strengths and their covariances (Bradley-Terry, a tie being half a win of each,
# with one tie added to every pair so that all strengths are bounded). A difference is weighted by the doubt about its
# sign: the probability that the two authors are in the other order. The next pair is the one whose vote is expected to
# reduce the variances of these differences most; it then counts as asked, and the next one is chosen (greedy).
#
# A share of each wave, the floor, goes to the pairs that have met least, whatever the votes, so that an early accident
# cannot keep two authors from ever meeting again.
# Source: Chaloner and Verdinelli, "Bayesian experimental design: a review" (Statistical Science, 1995), 2.2.


FLOOR = 0.2
ADDED = 0.5  # wins of each over each, at the start
Places = NDArray[np.intp]


def pairs_of(models: int) -> tuple[Places, Places]:
    """(pairs,) first and second of every pair, in the numbering of `next_pairs`."""
    first, second = np.triu_indices(models, 1)
    return first, second


def next_pairs(
    won: Floats, met: Floats, count: int, chance: np.random.Generator, *, each: int = 1, floor: float = FLOOR
) -> Places:
    """(…, count) numbers of the pairs to ask about next.

    won: (…, models, models) wins of the row over the column, a tie being a half, so far; met: (…, models, models) how
    often two were asked about, which may be more while votes are pending; each: votes per further question.
    Leading axes are independent studies. Raises ValueError for a floor outside 0..1.
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
    """(…, pairs): the weighted reduction of the variances of all differences by one more question about each pair.

    variance: (…, pairs, pairs) covariances of the differences; information: (…, pairs) Fisher information of one
    question about its own difference; doubt: (…, pairs) weights of the differences.
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
    """p (1 - p): the information of one vote about a difference."""
    slope: Floats = 1 / (2 + 2 * np.cosh(ahead))
    return slope


def _best(worth: Floats, chance: np.random.Generator) -> Places:
    """(…,) index of the largest value of each row; ties are broken at random."""
    largest = worth.max(axis=-1, keepdims=True)
    equal = worth >= largest - 1e-9 * np.abs(largest)
    pair_numbers: Places = np.where(equal, chance.random(worth.shape), -1.0).argmax(axis=-1)
    return pair_numbers


def _asked(
    ask_counts: Floats, variance: Floats, information: Floats, pair: Places, votes: int
) -> tuple[Floats, Floats]:
    """Updated question counts and covariances, as if this pair had been answered."""
    pair_index = np.expand_dims(pair, -1)
    row = np.take_along_axis(variance, pair_index[..., None], axis=-2)[..., 0, :]
    own_variance, telling = (np.take_along_axis(array, pair_index, axis=-1)[..., 0] for array in (row, information))
    shrunk = (telling / (1 + telling * own_variance))[..., None, None] * row[..., :, None] * row[..., None, :]
    more = np.zeros_like(ask_counts)
    np.put_along_axis(more, pair_index, float(votes), axis=-1)
    return ask_counts + more, variance - shrunk
