"""Style control: the ranking that would remain if all answers had the same length and formatting.

A logistic regression on the models and on differences of style: log-odds that the left one wins = strength of the left
less that of the right + Σ weight × (style of the left less that of the right).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from lib.stats.averages import Floats
from lib.stats.bootstrap import DRAWS, SEED
from lib.stats.figures import Figure
from lib.stats.intervals import Z95
from lib.stats.ranking.battles import LEFT, TIE, Codes
from lib.stats.ranking.standings import RankingFit
from lib.stats.ranking.strengths import SETTLED, STEPS, NotSettled


@dataclass(frozen=True)
class Styled:
    """fit: of the models, with style held constant; its draws are from the estimated normal distribution.

    weights: name of a feature -> by how much the log-odds of winning grow when its difference grows by one standard
    deviation, with a 95 % interval.
    """

    fit: RankingFit
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


def style_controlled(battles: Fought, feature_names: Sequence[str], *, count: int = DRAWS, seed: int = SEED) -> Styled:
    """feature_names: what the features are called; one that never differs has no weight. A tie is half a win of each.

    The models must be those that can be ranked without style (`battles.groups`). Raises NotSettled where style alone
    determines the winners. Variances hold for independent battles, also where ties make them smaller than a coin's
    (White, "A heteroskedasticity-consistent covariance matrix estimator", 1980).
    """
    spread = battles.features.std(axis=0)
    used = np.flatnonzero(spread > 0)
    style = battles.features[:, used] / spread[used]
    score = np.where(battles.outcome == TIE, 0.5, (battles.outcome == LEFT).astype(float))
    logs, weights = _settled(battles, style, score)
    chance = expit(logs[battles.left] - logs[battles.right] + style @ weights)
    bread = np.linalg.pinv(_products(battles, style, chance * (1 - chance)), hermitian=True)
    covariance = bread @ _products(battles, style, (score - chance) ** 2) @ bread
    models = len(battles.names)
    draws = np.random.default_rng(seed).multivariate_normal(
        np.append(logs, weights), covariance, size=count, method="eigh", check_valid="ignore"
    )[:, :models]
    variances = np.diag(covariance)[models:].clip(min=0)  # one that is zero may come out just below it
    halves = Z95 * np.sqrt(variances)
    figures = {
        feature_names[int(index)]: Figure(float(weight), len(score), float(weight - half), float(weight + half))
        for index, weight, half in zip(used, weights, halves, strict=True)
    }
    return Styled(RankingFit(battles.names, logs, draws - draws.mean(axis=1, keepdims=True)), figures)


def _settled(battles: Fought, style: Floats, score: Floats) -> tuple[Floats, Floats]:
    """(models,) logarithms of strengths with mean 0, (features,) weights. Newton's method with shortened steps."""
    models = len(battles.names)
    parameters = np.zeros(models + style.shape[1])
    for _step in range(STEPS):
        logs, weights = parameters[:models], parameters[models:]
        chance = expit(logs[battles.left] - logs[battles.right] + style @ weights)
        left_over = score - chance
        slope = np.bincount(battles.left, left_over, models) - np.bincount(battles.right, left_over, models)
        slope = np.append(slope, style.T @ left_over)
        step = np.linalg.lstsq(_products(battles, style, chance * (1 - chance)), slope, rcond=1e-12)[0]
        reach = float(np.abs(step[battles.left] - step[battles.right] + style @ step[models:]).max(initial=0))
        if reach < SETTLED * 100:
            return logs - logs.mean(), weights
        parameters = parameters + step * (np.log1p(reach) / reach if reach > 1e-4 else 1)
    raise NotSettled


def _products(battles: Fought, style: Floats, weight: Floats) -> Floats:
    """(models + features)²: Σ weight × x xᵀ over battles, x being +1 on the left, -1 on the right, then the style."""
    models = len(battles.names)
    met = np.bincount(battles.left * models + battles.right, weight, models**2).reshape(models, models)
    met = met + met.T
    across = np.empty((models, style.shape[1]))
    for index, column in enumerate(style.T):
        weighted = weight * column
        across[:, index] = np.bincount(battles.left, weighted, models) - np.bincount(battles.right, weighted, models)
    products: Floats = np.block(
        [[np.diag(met.sum(axis=1)) - met, across], [across.T, style.T @ (style * weight[:, None])]]
    )
    return products
