"""Reports of a ranking: comparison with other scores, win rates, effect of the side, votes needed, and JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np

from lib.stats.averages import Floats, divided
from lib.stats.correlation import Correlation, Interval, correlation_intervals, kendall, pearson, spearman
from lib.stats.figures import ORDER_UNKNOWN, SOME_UNORDERED, Figure, share_figure, undefined
from lib.stats.ranking.battles import Battles
from lib.stats.ranking.standings import ModelRanking, RankedModel
from lib.stats.sample_size import NEAR, WITHIN, two_digits

# A ranking against another list of scores, its win rates, and the effect of the side of an answer.


SHOWN = ("kendall", "spearman", "pearson")


@dataclass(frozen=True)
class RankingComparison:
    """Rank correlation of two lists of the same models, and linear correlation of their scores.

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


def beside(ranking: ModelRanking, other_scores: Mapping[str, float]) -> RankingComparison:
    """other_scores: name -> any score that is higher for the better. n counts models, which are few: the interval is
    over them, as if they had been drawn from many."""
    ranked_scores = scores(ranking)
    both = tuple(name for name in ranked_scores if name in other_scores)
    left, right = [ranked_scores[name] for name in both], [other_scores[name] for name in both]
    intervals = correlation_intervals(left, right)
    return RankingComparison(
        kendall(left, right),
        spearman(left, right),
        pearson(left, right),
        {name: intervals[name] for name in SHOWN},
        both,
        tuple(name for name in ranked_scores if name not in other_scores),
        tuple(sorted(set(other_scores) - set(ranked_scores))),
    )


def scores(ranking: ModelRanking) -> dict[str, float]:
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


def order(ranking: ModelRanking) -> list[int]:
    """Places of the battles' models in the order of the standings."""
    index_by_name = {name: number for number, name in enumerate(ranking.battles.names)}
    return [index_by_name[standing.name] for standing in ranking.standings]


def ordered_rates(ranking: ModelRanking) -> tuple[list[str], Floats]:
    """Names in the order of the standings, and their win rates in the same order."""
    indices = order(ranking)
    return [ranking.battles.names[index] for index in indices], win_rates(ranking.battles)[np.ix_(indices, indices)]


# The number of further votes needed to tell two models apart.


CERTAIN, POWER = 1.959963984540054, 0.8416212335729143  # of a normal distribution: 95 % both sides, four in five
MOST = 1_000_000  # votes; more than that is no plan


@dataclass(frozen=True)
class Separation:
    """elo: by how much `stronger` is ahead; low, high: its 95 % interval, of this pair alone.

    votes: the approximate number of further battles between the two that shows the difference with a power of 80 %, if
    the estimate is true; 0: they are told apart already; None: more than MOST, or `near`. votes_low, votes_high: the
    80 % range of that number; votes_high is None where it may be unbounded. near: the difference is too close to 0 for
    a meaningful number.
    """

    stronger: str
    weaker: str
    elo: float
    low: float
    high: float
    votes: int | None
    votes_low: int | None = None
    votes_high: int | None = None
    near: bool = False


def separation(ranking: ModelRanking, stronger: str, weaker: str) -> Separation | None:
    """Of two ranked models; None where one of them is not, or without draws."""
    fit = ranking.fit
    if fit is None or not len(fit.drawn) or not {stronger, weaker} <= set(fit.names):
        return None
    stronger_index, weaker_index = fit.names.index(stronger), fit.names.index(weaker)
    ahead = float(fit.logs[stronger_index] - fit.logs[weaker_index])
    differences = fit.drawn[:, stronger_index] - fit.drawn[:, weaker_index]
    low, high = (float(bound) for bound in np.percentile(differences, [2.5, 97.5]))
    points = 400 / float(np.log(10))
    bounds = (points * ahead, points * low, points * high)
    if low > 0 or high < 0:
        return Separation(stronger, weaker, *bounds, 0)
    spread, away = float(differences.std()), abs(ahead)
    if away < NEAR * spread or not spread:
        return Separation(stronger, weaker, *bounds, None, near=bool(spread))
    information = _information(ranking.battles, ahead)
    least, votes, most = (_votes(away + sign * WITHIN * spread, spread, information) for sign in (1, 0, -1))
    return Separation(stronger, weaker, *bounds, votes, least, most)


def neighbours(ranking: ModelRanking) -> list[Separation]:
    """Each ranked model and the next weaker one."""
    names = [standing.name for standing in ranking.standings if standing.strength is not None]
    pairs = (separation(ranking, stronger, weaker) for stronger, weaker in pairwise(names))
    return [pair_separation for pair_separation in pairs if pair_separation is not None]


def _information(battles: Battles, ahead: float) -> float:
    """What one battle of the two tells of their difference: slope² / variance of its score, with as many ties as all
    battles had."""
    chance = 1 / (1 + np.exp(-ahead))
    tied = float(battles.ties.sum()) / 2 / battles.n
    slope = chance * (1 - chance)
    return float(slope**2 / max(slope - tied / 4, slope / 100))


def _votes(ahead: float, spread: float, information: float) -> int | None:
    """The number of votes that reduces the spread of the difference to its size over (CERTAIN + POWER)."""
    if ahead <= 0:
        return None
    needed = ((CERTAIN + POWER) / ahead) ** 2 - 1 / spread**2
    votes = max(ceil(needed / information), 1)
    return votes if votes <= MOST else None


FIELDS = (
    "name", "strength", "elo", "low", "high", "rank_low", "rank_high", "battles", "wins", "ties", "elo_low", "elo_high"
)  # fmt: skip


def model_row(standing: RankedModel) -> dict[str, Any]:
    return {name: getattr(standing, name) for name in FIELDS}


def as_json(ranking: ModelRanking) -> dict[str, Any]:
    """models: strongest first; what is not determined is null. votes_needed: of neighbours in that order."""
    document: dict[str, Any] = {
        "models": [model_row(standing) for standing in ranking.standings],
        "skipped": dict(ranking.battles.skipped),
        "battles": ranking.battles.n,
        "note": " ".join(map(str, ranking.notes)),
        "votes_needed": [_planned(separation) for separation in neighbours(ranking)],
    }
    if ranking.fit is not None and ranking.fit.tendency is not None:
        document["tendency_to_tie"] = ranking.fit.tendency
    if ranking.others:
        document["other_groups"] = [
            [model_row(standing) for standing in other_ranking.standings] for other_ranking in ranking.others
        ]
    return document


def _planned(separation: Separation) -> dict[str, Any]:
    document = asdict(separation)
    votes = {name: document[name] for name in ("votes", "votes_low", "votes_high")}
    return document | {name: None if count is None else two_digits(count) for name, count in votes.items()}


def matrix(ranking: ModelRanking) -> dict[str, Any]:
    """Share of battles that the row won against the column, a tie being a half; null where two never met."""
    names, rates = ordered_rates(ranking)
    return {"models": names, "rates": [[None if np.isnan(rate) else float(rate) for rate in row] for row in rates]}


def side(ranking: ModelRanking) -> dict[str, Any]:
    return {"left": figure(left_side(ranking.battles))}


def figure(figure: Figure) -> dict[str, Any]:
    return {
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "n": figure.n,
        **({"note": figure.note} if figure.note else {}),
    }


def beside_row(comparison: RankingComparison) -> dict[str, Any]:
    return {
        **{
            name: {"value": correlation.value, "interval": comparison.intervals[name], "n": correlation.n}
            for name, correlation in (
                ("kendall", comparison.kendall),
                ("spearman", comparison.spearman),
                ("pearson", comparison.pearson),
            )
        },
        "only_here": list(comparison.only_here),
        "only_there": list(comparison.only_there),
    }
