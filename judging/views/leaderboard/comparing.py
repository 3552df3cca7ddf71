"""Two authors against each other under one judge, and several judges about the same authors."""

from dataclasses import dataclass
from typing import Any

from judging.services.boards import Reading
from judging.services.leaderboard import Board, Compared, Standing, difference, side_by_side
from judging.views.leaderboard.asked import Asked
from lib.stats.bootstrap import Difference


def pair(reading: Reading, query: Asked) -> dict[str, Any]:
    """The two that were asked for, else the two best; nothing where there are fewer than two."""
    board = reading.board
    names = [standing.author for standing in board.standings]
    first = query.first if query.first in names else next(iter(names), "")
    second = query.second if query.second in names else next((name for name in names if name != first), "")
    differences = difference(board, first, second) if first and second and first != second else []
    return {
        "first": first,
        "second": second,
        "differences": [(column_difference, _leads(column_difference)) for column_difference in differences],
        "names": names,
    }


def _leads(column_difference: Difference) -> str:
    """Who is certainly ahead: `first`, `second`, or "" where the interval holds zero or there is none."""
    if column_difference.low is None or column_difference.high is None:
        return ""
    return "first" if column_difference.low > 0 else "second" if column_difference.high < 0 else ""


@dataclass(frozen=True)
class Beside:
    """An author under every judge that is compared: None where one has not judged them."""

    author: str
    standings: list[Standing | None]


def beside(readings: list[Reading]) -> dict[str, Any]:
    """Only authors whom every compared judge has judged; `missing` counts the others."""
    boards = [reading.board for reading in readings]
    by_author = [{standing.author: standing for standing in board.standings} for board in boards]
    everybody = list(dict.fromkeys(author for standing_by_author in by_author for author in standing_by_author))
    common = [author for author in everybody if all(author in standing_by_author for standing_by_author in by_author)]
    return {
        "boards": boards,
        "judge_columns": boards[0].columns if boards else [],
        "beside_rows": [
            Beside(author, [standing_by_author.get(author) for standing_by_author in by_author]) for author in common
        ],
        "missing": len(everybody) - len(common),
        "agreements": _agreements(boards),
    }


def _agreements(boards: list[Board]) -> list[Compared]:
    return side_by_side(boards)
