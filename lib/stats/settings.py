"""Comparison of settings of judge and reference: differences of authors' means, and correlation of their rankings.

Cases are resampled, the same ones for both settings and for every author, so that differences are paired.
Source: the cross-validation of URS (arXiv 2404.13940) over the same 200 cases.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lib.stats.averages import Floats, divided
from lib.stats.bootstrap import DRAWS, SEED
from lib.stats.correlation import clustered_pearson, kendall, spearman
from lib.stats.figures import NO_COMMON_ITEM, ONE_AUTHOR, SAME_ORDER, Figure, drawn_figure, undefined

Values: TypeAlias = NDArray[np.float64]  # (settings, authors, cases), NaN where there is no score


@dataclass(frozen=True)
class SettingPair:
    """Two settings, by index. by_author: difference of means, second less first, over the cases of both.

    mean: of these differences over the authors. spearman, kendall: of authors' means, whose n counts authors. answers:
    Pearson's r between the scores of the same answers, whose n counts answers.
    """

    first: int
    second: int
    by_author: list[Figure]
    mean: Figure
    spearman: Figure
    kendall: Figure
    answers: Figure


def pairs(values: Values, *, count: int = DRAWS, seed: int = SEED) -> list[SettingPair]:
    """Each two settings."""
    settings, _authors, cases = values.shape
    times = np.random.default_rng(seed).multinomial(cases, np.full(cases, 1 / cases), size=count).astype(float)
    return [_pair(values, first, second, times) for first in range(settings) for second in range(first + 1, settings)]


def _pair(values: Values, first: int, second: int, times: Floats) -> SettingPair:
    both = ~(np.isnan(values[first]) | np.isnan(values[second]))
    left, right = (np.where(both, values[index], 0.0) for index in (first, second))
    counts = both @ times.T  # (authors, draws)
    draw_means = [divided(side @ times.T, counts) for side in (left, right)]
    means = [divided(side.sum(axis=1), both.sum(axis=1)) for side in (left, right)]
    has = both.any(axis=1)
    differences, drawn_differences = means[1] - means[0], draw_means[1] - draw_means[0]
    return SettingPair(
        first,
        second,
        [_difference(*row) for row in zip(differences, both.sum(axis=1), drawn_differences, strict=True)],
        _mean(differences[has], int(both.sum()), drawn_differences[has]),
        _ranked("spearman", means[0][has], means[1][has], draw_means[0][has], draw_means[1][has]),
        _ranked("kendall", means[0][has], means[1][has], draw_means[0][has], draw_means[1][has]),
        _answers(left, right, both, times),
    )


def _difference(value: float, n: int, draws: Floats) -> Figure:
    return drawn_figure(float(value), int(n), draws) if n else undefined(NO_COMMON_ITEM)


def _mean(differences: Floats, n: int, draws: Floats) -> Figure:
    return drawn_figure(float(differences.mean()), n, draws.mean(axis=0)) if n else undefined(NO_COMMON_ITEM)


def _ranked(name: str, first_means: Floats, second_means: Floats, drawn_one: Floats, drawn_other: Floats) -> Figure:
    """A coefficient over authors with its interval over resampled cases."""
    correlation = (spearman if name == "spearman" else kendall)(first_means.tolist(), second_means.tolist())
    if correlation.value is None:
        return undefined(ONE_AUTHOR, correlation.n)
    draws = (_spearman if name == "spearman" else _kendall)(drawn_one, drawn_other)
    figure = drawn_figure(correlation.value, correlation.n, draws)
    return figure if not figure.note else Figure(correlation.value, correlation.n, note=SAME_ORDER)


def _spearman(first: Floats, second: Floats) -> Floats:
    """(authors, draws) twice -> (draws,); NaN where one side does not vary."""
    from scipy.stats import rankdata  # here: it takes long to load, and few processes need it

    left, right = (rankdata(side, axis=0) - (len(side) + 1) / 2 for side in (first, second))
    return divided((left * right).sum(axis=0), np.sqrt((left**2).sum(axis=0) * (right**2).sum(axis=0)))


def _kendall(first: Floats, second: Floats) -> Floats:
    """The same of tau-b."""
    left, right = (np.sign(side[:, None] - side[None]) for side in (first, second))
    untied = np.sqrt((np.abs(left)).sum(axis=(0, 1)) * np.abs(right).sum(axis=(0, 1)))
    return divided((left * right).sum(axis=(0, 1)), untied)


def _answers(left: Floats, right: Floats, both: NDArray[np.bool_], times: Floats) -> Figure:
    cases = np.broadcast_to(np.arange(both.shape[1]), both.shape)[both]
    return clustered_pearson(left[both], right[both], cases, times)
