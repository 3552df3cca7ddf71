"""A ranking beside another list of scores, the win rates behind it, and what the side of an answer does."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lib.stats.averages import Floats, divided
from lib.stats.correlation import Correlation, kendall, pearson, spearman
from lib.stats.correlation_intervals import Interval, correlation_intervals
from lib.stats.figures import Figure, share_figure, undefined
from lib.stats.notes import ORDER_UNKNOWN, SOME_UNORDERED
from lib.stats.ranking.battles import Battles
from lib.stats.ranking.standings import Ranking

SHOWN = ("kendall", "spearman", "pearson")


@dataclass(frozen=True)
class Beside:
    """How far two lists order the same models alike, and how far their scores lie on a line.

    pearson: of the points on the Elo scale, which are logarithms of the Bradley–Terry strengths, with the other scores.
    only_here, only_there: models that just one of them ranks.
    """

    kendall: Correlation
    spearman: Correlation
    pearson: Correlation
    intervals: Mapping[str, Interval | None]
    models: tuple[str, ...]
    only_here: tuple[str, ...]
    only_there: tuple[str, ...]


def beside(ranking: Ranking, other_scores: Mapping[str, float]) -> Beside:
    """other_scores: name -> any score that is higher for the better. n counts models, which are few: the interval is
    over them, as if they had been drawn from many."""
    ranked_scores = scores(ranking)
    both = tuple(name for name in ranked_scores if name in other_scores)
    left, right = [ranked_scores[name] for name in both], [other_scores[name] for name in both]
    intervals = correlation_intervals(left, right)
    return Beside(
        kendall(left, right),
        spearman(left, right),
        pearson(left, right),
        {name: intervals[name] for name in SHOWN},
        both,
        tuple(name for name in ranked_scores if name not in other_scores),
        tuple(sorted(set(other_scores) - set(ranked_scores))),
    )


def scores(ranking: Ranking) -> dict[str, float]:
    """Model -> points on the Elo scale, of those that are ranked."""
    return {standing.name: standing.elo for standing in ranking.standings if standing.elo is not None}


def win_rates(battles: Battles) -> Floats:
    """(models, models): share of battles that the row won against the column, a tie being a half; NaN where two never
    met."""
    return divided(battles.wins + battles.ties / 2, battles.met.astype(float))


def left_side(battles: Battles) -> Figure:
    """Share of the decided battles that the left one won; one half where the side does not matter and chance put the
    models there. With Wilson's interval. Undefined, with the reason, where of no battle the order is known."""
    decided = battles.left_won + battles.right_won
    if battles.unordered and not decided:
        return undefined(ORDER_UNKNOWN)
    return share_figure(battles.left_won, decided, SOME_UNORDERED if battles.unordered else "")


def order(ranking: Ranking) -> list[int]:
    """Places of the battles' models in the order of the standings."""
    index_by_name = {name: number for number, name in enumerate(ranking.battles.names)}
    return [index_by_name[standing.name] for standing in ranking.standings]


def ordered_rates(ranking: Ranking) -> tuple[list[str], Floats]:
    """Names in the order of the standings, and their win rates in the same order."""
    indices = order(ranking)
    return [ranking.battles.names[index] for index in indices], win_rates(ranking.battles)[np.ix_(indices, indices)]
