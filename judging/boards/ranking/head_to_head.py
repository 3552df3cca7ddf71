"""Two models compared directly: the battles between them, item by item, and the difference of their Elo."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judging.boards.ranking.numbers import Ranked
from judging.ratings.preferences import BattleSide, Fight
from lib.stats.bootstrap import resampled
from lib.stats.figures import Figure
from lib.stats.ranking.report import Separation, separation


@dataclass(frozen=True)
class HeadToHead:
    """The first of two models against the second, by people or by a judge.

    items: those with a battle between them; won, tied, lost: battles. rate: share of the battles that the first won,
    0..1, a tie being a half; its interval resamples items. elo: the first one's Elo less the second's, from all battles
    of the side; None where one of them has no strength.
    """

    side: BattleSide
    items: int
    won: int
    tied: int
    lost: int
    rate: Figure
    elo: Separation | None

    @property
    def n(self) -> int:
        return self.won + self.tied + self.lost

    @property
    def ahead(self) -> str:
        """Who is certainly preferred: `first`, `second`, or "" where the interval holds one half or there is none."""
        if self.rate.low is None or self.rate.high is None:
            return ""
        return "first" if self.rate.low > 0.5 else "second" if self.rate.high < 0.5 else ""


def compared_pair(wanted: Sequence[str], names: Sequence[str]) -> tuple[str, str] | None:
    """The first two known names of `wanted`, filled up in the order of `names`; None with fewer than two names."""
    known = [name for name in dict.fromkeys(wanted) if name in names]
    first, second, *_more = [*known, *(name for name in names if name not in known), "", ""]
    return (first, second) if second else None


def head_to_head(ranked: Ranked, first: str, second: str) -> HeadToHead:
    fights = [fight for fight in ranked.side.fights if {*fight.authors} == {first, second}]
    points = [_points(fight, first) for fight in fights]
    return HeadToHead(
        ranked.side,
        len({fight.item for fight in fights}),
        points.count(1.0),
        points.count(0.5),
        points.count(0.0),
        _rate(fights, points),
        separation(ranked.ranking, first, second),
    )


def _points(fight: Fight, first: str) -> float:
    """1 where the first won, one half for a tie."""
    if fight.winner == "tie":
        return 0.5
    return float(fight.authors[0 if fight.winner == "left" else 1] == first)


def _rate(fights: Sequence[Fight], points: Sequence[float]) -> Figure:
    items = {item: row for row, item in enumerate(dict.fromkeys(fight.item for fight in fights))}
    sums, counts = np.zeros((len(items), 1)), np.zeros((len(items), 1))
    for fight, won in zip(fights, points, strict=True):
        sums[items[fight.item]] += won
        counts[items[fight.item]] += 1
    ratio = resampled(sums, counts)
    low, high = ratio.interval(0) or (None, None)
    return Figure(ratio.value(0), len(fights), low, high)
