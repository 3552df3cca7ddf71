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


def side_by_side(given: Sequence[Ranked]) -> list[Line]:
    """In the order of the first ranking, then of the next for whom the first does not know."""
    by_name = [{each.name: each for each in one.ranking.standings} for one in given]
    names = list(dict.fromkeys(name for each in by_name for name in each))
    return [Line(name, [each.get(name) for each in by_name]) for name in names]
