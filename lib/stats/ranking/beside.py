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


def beside(found: Ranking, other: Mapping[str, float]) -> Beside:
    """other: name -> any score that is higher for the better. n counts models, which are few: the interval is over
    them, as if they had been drawn from many."""
    here = scores(found)
    both = tuple(name for name in here if name in other)
    left, right = [here[name] for name in both], [other[name] for name in both]
    intervals = correlation_intervals(left, right)
    return Beside(
        kendall(left, right),
        spearman(left, right),
        pearson(left, right),
        {name: intervals[name] for name in SHOWN},
        both,
        tuple(name for name in here if name not in other),
        tuple(sorted(set(other) - set(here))),
    )


def scores(found: Ranking) -> dict[str, float]:
    """Model -> points on the Elo scale, of those that are ranked."""
    return {each.name: each.elo for each in found.standings if each.elo is not None}


def win_rates(given: Battles) -> Floats:
    """(models, models): share of battles that the row won against the column, a tie being a half; NaN where two never
    met."""
    return divided(given.wins + given.ties / 2, given.met.astype(float))


def left_side(given: Battles) -> Figure:
    """Share of the decided battles that the left one won; one half where the side does not matter and chance put the
    models there. With Wilson's interval. Undefined, with the reason, where of no battle the order is known."""
    decided = given.left_won + given.right_won
    if given.unordered and not decided:
        return undefined(ORDER_UNKNOWN)
    return share_figure(given.left_won, decided, SOME_UNORDERED if given.unordered else "")


def order(found: Ranking) -> list[int]:
    """Places of the battles' models in the order of the standings."""
    place = {name: number for number, name in enumerate(found.battles.names)}
    return [place[each.name] for each in found.standings]


def ordered_rates(found: Ranking) -> tuple[list[str], Floats]:
    """Names in the order of the standings, and their win rates in the same order."""
    places = order(found)
    return [found.battles.names[place] for place in places], win_rates(found.battles)[np.ix_(places, places)]
