"""Several rankings of the same authors in one table."""

from collections.abc import Sequence
from dataclasses import dataclass

from judging.services.rankings.ranked import Ranked
from lib.stats.ranking.standings import Standing


@dataclass(frozen=True)
class Line:
    """One author in each ranking; None where that ranking has no battle of them."""

    name: str
    standings: Sequence[Standing | None]


def side_by_side(rankings: Sequence[Ranked]) -> list[Line]:
    """In the order of the first ranking, then of the next for whom the first does not know."""
    by_name = [{standing.name: standing for standing in ranked.ranking.standings} for ranked in rankings]
    names = list(dict.fromkeys(name for standings in by_name for name in standings))
    return [Line(name, [standings.get(name) for standings in by_name]) for name in names]
