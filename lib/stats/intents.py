"""Scores of use cases by their users' intents, as URS reports them: marks of the best means, biases, correlations.

Source: URS (arXiv 2404.13940), tables 4, 12 and 13 and its section on biases of judges.
"""

from collections.abc import Mapping

import numpy as np

from lib.stats.averages import AverageCell, Floats, Places, ScoreTable, divided
from lib.stats.bootstrap import DRAWS, SEED, draws
from lib.stats.correlation import clustered_pearson, correlation_intervals, pearson
from lib.stats.figures import FEW_INTENTS, NO_UNITS, Figure, drawn_figure, undefined

REFERENCE_SCORE = 8.0  # the score of the reference that judges are told
BEST = 3


def best_marked(values: Mapping[str, float | None], most: int = BEST) -> dict[str, int]:
    """author -> 1, 2 or 3 for the best means as printed with two decimals; equal means share a mark.

    The last author is never marked: with no more authors than marks, everybody would be, which means nothing.
    """
    rounded_means = {author: round(value, 2) for author, value in values.items() if value is not None}
    ranks = {
        author: 1 + sum(other_value > value for other_value in rounded_means.values())
        for author, value in rounded_means.items()
    }
    return {author: rank for author, rank in ranks.items() if rank <= min(most, len(rounded_means) - 1)}


def rating_bias(scores: Floats, *, count: int = DRAWS, seed: int = SEED) -> Figure:
    """Deviation of a judge from the given scale: the mean over authors B of its mean score for B's second answer, with
    B's first one as the 8-point reference, less 8. Above 0: too high. n counts answers.

    scores: (authors, cases), NaN where there is none; authors without any are left out. Assumes that an author's
    second answer is as good as its first. The interval resamples cases, the same ones for every author.
    """
    scores = scores[~np.isnan(scores).all(axis=1)] if scores.size else scores
    n = int((~np.isnan(scores)).sum())
    if not n:
        return undefined(NO_UNITS)
    means = np.nanmean(scores, axis=1)
    columns = scores.shape[1]
    table = ScoreTable([""] * len(scores), scores, np.zeros(columns, dtype=np.intp), [AverageCell("", "")])
    author_draws = draws(table, count=count, seed=seed)[..., 0]
    has = ~np.isnan(author_draws)
    over_authors = divided(np.nan_to_num(author_draws).sum(axis=0), has.sum(axis=0)) - REFERENCE_SCORE
    return drawn_figure(float(means.mean()) - REFERENCE_SCORE, n, over_authors)


def against_satisfaction(means: Mapping[str, float], satisfaction: Mapping[str, float]) -> Figure:
    """Pearson's r of intents' means with the satisfaction that users report for the same intents; n counts intents.

    The interval resamples intents and is wide, because there are only a few intents.
    """
    common = sorted(means.keys() & satisfaction.keys())
    left, right = [means[intent] for intent in common], [satisfaction[intent] for intent in common]
    correlation = pearson(left, right)
    if correlation.value is None:
        return undefined(NO_UNITS, correlation.n)
    low, high = correlation_intervals(left, right)["pearson"] or (None, None)
    return Figure(correlation.value, correlation.n, low, high, note="" if low is not None else FEW_INTENTS)


def criteria_correlations(
    scores: Floats, cases: Places | None = None, *, count: int = DRAWS, seed: int = SEED
) -> list[list[Figure]]:
    """(criteria, criteria) Pearson's r between the scores of each two criteria over the answers that have both.

    scores: (criteria, answers), NaN where there is none. cases: (answers,) the case of each; None: each its own.
    Intervals resample cases with all answers to them. Undefined where two criteria never occur together, such as
    those of different intents, or where one never varies.
    """
    case_numbers = np.arange(scores.shape[1]) if cases is None else cases
    clusters, cluster = np.unique(case_numbers, return_inverse=True)
    chances = np.full(clusters.size, 1 / max(clusters.size, 1))
    times = np.random.default_rng(seed).multinomial(clusters.size, chances, size=count).astype(float)
    figures = [[undefined(NO_UNITS)] * len(scores) for _criterion in scores]
    for row in range(len(scores)):
        for column in range(row, len(scores)):
            figures[row][column] = figures[column][row] = _correlated(scores[row], scores[column], cluster, times)
    return figures


def _correlated(first: Floats, second: Floats, cluster: Places, times: Floats) -> Figure:
    has = ~(np.isnan(first) | np.isnan(second))
    return clustered_pearson(first[has], second[has], cluster[has], times)
