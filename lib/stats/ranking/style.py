"""What would remain of a ranking if all answers were as long and as formatted as each other.

A logistic regression on who fought and on differences of style: log-odds that the left one wins = strength of the left
less that of the right + Σ weight × (style of the left less that of the right).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from lib.stats.averages import Floats
from lib.stats.bootstrap import DRAWS, SEED
from lib.stats.figures import Figure
from lib.stats.ranking.battles import LEFT, TIE, Codes
from lib.stats.ranking.standings import Fit
from lib.stats.ranking.strengths import SETTLED, STEPS, NotSettled

Z95 = 1.959963984540054


@dataclass(frozen=True)
class Styled:
    """fit: of the models, with style held constant; drawn: out of the normal distribution that the battles leave.

    weights: name of a feature -> by how much the log-odds of winning grow when its difference grows by one standard
    deviation, with a 95 % interval.
    """

    fit: Fit
    weights: dict[str, Figure]


@dataclass(frozen=True)
class Fought:
    """Single battles. left, right: (battles,) places in names; outcome: LEFT, RIGHT, TIE; features: (battles,
    features) of the left answer less the right one's, on any scale."""

    names: tuple[str, ...]
    left: Codes
    right: Codes
    outcome: Codes
    features: Floats


def style_controlled(given: Fought, named: Sequence[str], *, count: int = DRAWS, seed: int = SEED) -> Styled:
    """named: what the features are called; one that never differs has no weight. A tie is half a win of each.

    The models must be those that can be ranked without style (groups.py). Raises NotSettled where style alone tells
    the winners. Variances hold for battles that are independent, also where ties make them smaller than a coin's
    (White, "A heteroskedasticity-consistent covariance matrix estimator", 1980).
    """
    spread = given.features.std(axis=0)
    used = np.flatnonzero(spread > 0)
    style = given.features[:, used] / spread[used]
    score = np.where(given.outcome == TIE, 0.5, (given.outcome == LEFT).astype(float))
    logs, weights = _settled(given, style, score)
    chance = expit(logs[given.left] - logs[given.right] + style @ weights)
    bread = np.linalg.pinv(_products(given, style, chance * (1 - chance)), hermitian=True)
    covariance = bread @ _products(given, style, (score - chance) ** 2) @ bread
    models = len(given.names)
    drawn = np.random.default_rng(seed).multivariate_normal(
        np.append(logs, weights), covariance, size=count, method="eigh", check_valid="ignore"
    )[:, :models]
    variances = np.diag(covariance)[models:].clip(min=0)  # one that is zero may come out just below it
    halves = Z95 * np.sqrt(variances)
    figures = {
        named[int(place)]: Figure(float(weight), len(score), float(weight - half), float(weight + half))
        for place, weight, half in zip(used, weights, halves, strict=True)
    }
    return Styled(Fit(given.names, logs, drawn - drawn.mean(axis=1, keepdims=True)), figures)


def _settled(given: Fought, style: Floats, score: Floats) -> tuple[Floats, Floats]:
    """(models,) logarithms of strengths with mean 0, (features,) weights. Newton's method with shortened steps."""
    models = len(given.names)
    found = np.zeros(models + style.shape[1])
    for _step in range(STEPS):
        logs, weights = found[:models], found[models:]
        chance = expit(logs[given.left] - logs[given.right] + style @ weights)
        left_over = score - chance
        slope = np.bincount(given.left, left_over, models) - np.bincount(given.right, left_over, models)
        slope = np.append(slope, style.T @ left_over)
        step = np.linalg.lstsq(_products(given, style, chance * (1 - chance)), slope, rcond=1e-12)[0]
        reach = float(np.abs(step[given.left] - step[given.right] + style @ step[models:]).max(initial=0))
        if reach < SETTLED * 100:
            return logs - logs.mean(), weights
        found = found + step * (np.log1p(reach) / reach if reach > 1e-4 else 1)
    raise NotSettled


def _products(given: Fought, style: Floats, weight: Floats) -> Floats:
    """(models + features)²: Σ weight × x xᵀ over battles, x being +1 on the left, -1 on the right, then the style."""
    models = len(given.names)
    met = np.bincount(given.left * models + given.right, weight, models**2).reshape(models, models)
    met = met + met.T
    across = np.empty((models, style.shape[1]))
    for place, column in enumerate(style.T):
        weighted = weight * column
        across[:, place] = np.bincount(given.left, weighted, models) - np.bincount(given.right, weighted, models)
    found: Floats = np.block(
        [[np.diag(met.sum(axis=1)) - met, across], [across.T, style.T @ (style * weight[:, None])]]
    )
    return found
