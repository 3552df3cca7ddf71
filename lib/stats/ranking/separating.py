"""How many more votes it takes until two models are told apart."""

from dataclasses import dataclass
from itertools import pairwise
from math import ceil

import numpy as np

from lib.stats.needs import NEAR, WITHIN
from lib.stats.ranking.battles import Battles
from lib.stats.ranking.standings import Ranking

CERTAIN, POWER = 1.959963984540054, 0.8416212335729143  # of a normal distribution: 95 % both sides, four in five
MOST = 1_000_000  # votes; more than that is no plan


@dataclass(frozen=True)
class Separation:
    """elo: by how much `stronger` is ahead; low, high: its 95 % interval, of this pair alone.

    votes: about as many further battles between the two as show the difference four times in five, if it is what it
    seems to be; 0: they are told apart already; None: more than MOST, or `near`. votes_low, votes_high: where that
    number lies four times in five; votes_high is None where there may be no end. near: the difference is so close to 0
    that a number would mean nothing.
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


def separation(ranking: Ranking, stronger: str, weaker: str) -> Separation | None:
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


def neighbours(ranking: Ranking) -> list[Separation]:
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
    """So many that the spread of the difference becomes its size over (CERTAIN + POWER)."""
    if ahead <= 0:
        return None
    needed = ((CERTAIN + POWER) / ahead) ** 2 - 1 / spread**2
    votes = max(ceil(needed / information), 1)
    return votes if votes <= MOST else None
