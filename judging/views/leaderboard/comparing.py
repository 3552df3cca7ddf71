"""Two authors against each other under one judge, and several judges about the same authors."""

from dataclasses import dataclass
from typing import Any

from judging.services.boards import Reading
from judging.services.leaderboard import Board, Compared, Standing, difference, side_by_side
from judging.views.leaderboard.asked import Asked
from lib.stats.bootstrap import Difference


def pair(reading: Reading, asked: Asked) -> dict[str, Any]:
    """The two that were asked for, else the two best; nothing where there are fewer than two."""
    board = reading.board
    names = [each.author for each in board.standings]
    first = asked.first if asked.first in names else next(iter(names), "")
    second = asked.second if asked.second in names else next((name for name in names if name != first), "")
    found = difference(board, first, second) if first and second and first != second else []
    return {"first": first, "second": second, "differences": [(one, _leads(one)) for one in found], "names": names}


def _leads(found: Difference) -> str:
    """Who is certainly ahead: `first`, `second`, or "" where the interval holds zero or there is none."""
    if found.low is None or found.high is None:
        return ""
    return "first" if found.low > 0 else "second" if found.high < 0 else ""


@dataclass(frozen=True)
class Beside:
    """An author under every judge that is compared: None where one has not judged them."""

    author: str
    standings: list[Standing | None]


def beside(readings: list[Reading]) -> dict[str, Any]:
    """Only authors whom every compared judge has judged; `missing` counts the others."""
    boards = [reading.board for reading in readings]
    by_author = [{each.author: each for each in board.standings} for board in boards]
    everybody = list(dict.fromkeys(author for found in by_author for author in found))
    common = [author for author in everybody if all(author in found for found in by_author)]
    return {
        "boards": boards,
        "judge_columns": boards[0].columns if boards else [],
        "beside_rows": [Beside(author, [found.get(author) for found in by_author]) for author in common],
        "missing": len(everybody) - len(common),
        "agreements": _agreements(boards),
    }


def _agreements(boards: list[Board]) -> list[Compared]:
    return side_by_side(boards)
