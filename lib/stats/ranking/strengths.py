"""Bradley-Terry strengths from counts, and Davidson's model of ties; all draws of a bootstrap are fitted at once.

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
    """The fit did not converge: some strengths are unbounded."""


def halves(battles: Battles) -> Floats:
    """(models, models): wins of the row over the column, with a half of each tie."""
    half_wins: Floats = battles.wins + battles.ties / 2
    return half_wins


def log_strengths(won: Floats, start: Floats | None = None) -> Floats:
    """(…, models, models) wins of the row over the column -> (…, models) logarithms of strengths, with mean 0.

    Each graph must be strongly connected: see `battles.groups`. start: (models,) the starting point. Newton's method
    with damped steps, each of which improves the fit (Bach, "Self-concordant analysis for logistic regression", 2010).
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


# Ties as an outcome of their own: Davidson's extension of Bradley-Terry.
#
# P(i wins) = s(i) / d, P(tie) = nu sqrt(s(i) s(j)) / d, d = s(i) + s(j) + nu sqrt(s(i) s(j)): the nearer two are, the
# more often they tie. Source: Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison
# experiments" (Journal of the American Statistical Association, 1970).


def with_ties(wins: Floats, ties: Floats, start: Floats | None = None) -> tuple[Floats, float]:
    """(models,) logarithms of strengths with mean 0, and nu.

    wins, ties: (models, models), ties symmetric; start: (models,) from where to search. There must be wins and ties,
    and the graph of both be strongly connected. Newton's method with shortened steps. Raises NotSettled, also where
    all that is not enough to tell nu.
    """
    models = len(wins)
    met, halves = wins + wins.T + ties, wins + ties / 2
    tied = float(np.triu(ties).sum())
    if not tied or not wins.any():
        raise NotSettled
    logs, tendency = (np.zeros(models) if start is None else start - start.mean()), 0.0
    for _step in range(STEPS):
        beats, ties_too = _chances(logs, tendency)
        slope = np.append(halves.sum(axis=1) - (met * (beats + ties_too / 2)).sum(axis=1), 0.0)
        slope[-1] = tied - (np.triu(met, 1) * ties_too).sum()
        try:
            step = np.linalg.solve(_curve(met, beats, ties_too), slope)
        except np.linalg.LinAlgError as singular:
            raise NotSettled from singular
        reach = float(np.ptp(step[:-1]) + abs(step[-1]))
        if reach < SETTLED:
            return logs - logs.mean(), float(np.exp(tendency))
        step *= np.log1p(reach) / reach if reach > 1e-4 else 1
        logs, tendency = logs + step[:-1], tendency + step[-1]
    raise NotSettled


def _chances(logs: Floats, tendency: float) -> tuple[Floats, Floats]:
    """(models, models) each: that the row wins, that neither does."""
    half = (logs[:, None] - logs[None, :]) / 2
    top = np.maximum(np.abs(half), tendency)
    win, lose, tie = np.exp(half - top), np.exp(-half - top), np.exp(tendency - top)
    whole = win + lose + tie
    return win / whole, tie / whole


def _curve(met: Floats, beats: Floats, tie: Floats) -> Floats:
    """(models + 1, models + 1): variances of the scores of the models (win 1, tie ½), then of the count of ties."""
    models = len(met)
    mean = beats + tie / 2
    variance = met * (beats + tie / 4 - mean**2)
    curve = np.zeros((models + 1, models + 1))
    curve[:models, :models] = np.diag(variance.sum(axis=1)) - variance
    curve[:models, :models] += variance.sum() / models**2  # only differences of strengths mean something
    curve[:models, -1] = curve[-1, :models] = (met * tie * (0.5 - mean)).sum(axis=1)
    curve[-1, -1] = (np.triu(met, 1) * tie * (1 - tie)).sum()
    return curve
