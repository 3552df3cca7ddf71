"""Ties as an outcome of their own: Davidson's extension of Bradley-Terry.

P(i wins) = s(i) / d, P(tie) = nu sqrt(s(i) s(j)) / d, d = s(i) + s(j) + nu sqrt(s(i) s(j)): the nearer two are, the
more often they tie. Source: Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison
experiments" (Journal of the American Statistical Association, 1970).
"""

import numpy as np

from lib.stats.averages import Floats
from lib.stats.ranking.strengths import SETTLED, STEPS, NotSettled


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
