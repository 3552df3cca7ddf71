"""Strengths by Bradley-Terry out of counts; all draws of a bootstrap are fitted at once.

A model i beats j with probability s(i) / (s(i) + s(j)). A tie is half a win of each.
Source: Bradley and Terry, "Rank analysis of incomplete block designs" (Biometrika, 1952); that there is exactly one
solution where the graph of wins is strongly connected: Ford, "Solution of a ranking problem from binary comparisons"
(American Mathematical Monthly, 1957).
"""

import numpy as np
from scipy.special import expit

from lib.stats.averages import Floats
from lib.stats.ranking.battles import Battles

STEPS, SETTLED, ROUGHLY = 200, 1e-12, 1e-6


class NotSettled(ArithmeticError):
    """The strengths did not come to rest: some are without bounds."""


def halves(battles: Battles) -> Floats:
    """(models, models): wins of the row over the column, with a half of each tie."""
    half_wins: Floats = battles.wins + battles.ties / 2
    return half_wins


def log_strengths(won: Floats, start: Floats | None = None) -> Floats:
    """(…, models, models) wins of the row over the column -> (…, models) logarithms of strengths, with mean 0.

    Each graph must be strongly connected: see groups.py. start: (models,) from where to search. Newton's method, with
    steps so short that each comes closer (Bach, "Self-concordant analysis for logistic regression", 2010).
    Raises NotSettled.
    """
    met = won + np.swapaxes(won, -1, -2)
    wins = won.sum(axis=-1)
    logs = np.zeros(wins.shape) if start is None else np.broadcast_to(start, wins.shape).copy()
    for _step in range(STEPS):
        chance = expit(logs[..., :, None] - logs[..., None, :])
        expected = met * chance
        step = _solved(expected * (1 - chance), wins - expected.sum(axis=-1))
        reach = np.ptp(step, axis=-1, keepdims=True)
        if reach.max(initial=0) < SETTLED:
            break
        step *= np.where(reach > 1e-4, np.log1p(reach) / np.maximum(reach, 1e-300), 1)
        logs += step
    if reach.max(initial=0) > ROUGHLY:
        raise NotSettled
    return logs - logs.mean(axis=-1, keepdims=True)


def _solved(weights: Floats, slope: Floats) -> Floats:
    """(…, models) x with L x = slope and mean 0; L: the Laplacian of the graph with these weights, (…, models, models).

    Conjugate gradients, for all draws at once and without the linear algebra library, whose threads wait for each other
    on a busy machine: a hundred models then take a thousand times as long.
    """
    degree = weights.sum(axis=-1)
    solution, rest = np.zeros_like(slope), slope - slope.mean(axis=-1, keepdims=True)
    scaled = rest / degree
    along, size = scaled.copy(), (rest * scaled).sum(axis=-1, keepdims=True)
    enough = size * 1e-20 + 1e-300
    for _step in range(4 * slope.shape[-1]):
        across = degree * along - np.einsum("...ij,...j->...i", weights, along)
        curved = (along * across).sum(axis=-1, keepdims=True)
        going = (size > enough) & (curved > 0)
        if not going.any():
            break
        length = np.where(going, size / np.where(going, curved, 1), 0)
        solution += length * along
        rest -= length * across
        scaled = rest / degree
        previous_size, size = size, (rest * scaled).sum(axis=-1, keepdims=True)
        along = scaled + size / np.maximum(previous_size, 1e-300) * along
    return solution - solution.mean(axis=-1, keepdims=True)


def shares(logs: Floats) -> Floats:
    """(…, models) logarithms -> strengths that sum to 1."""
    raised = np.exp(logs - logs.max(axis=-1, keepdims=True))
    strengths: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return strengths
