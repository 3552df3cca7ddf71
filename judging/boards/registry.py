"""All boards, found by their folders, and their reports."""

from functools import cache
from typing import Any

from judging.boards.board import Board
from judging.boards.report import Report
from lib.discovery import discover


@cache
def boards() -> dict[str, Board[Any, Any]]:
    """slug -> board, in the order of the slugs."""
    found_boards = discover("judging.boards", "BOARD", "board")
    return {board.slug: board for board in sorted(found_boards, key=lambda board: board.slug)}


@cache
def reports() -> dict[str, Report]:
    """slug -> report, in the order of the slugs."""
    found_reports = [report for board in boards().values() for report in board.all_reports()]
    return {report.slug: report for report in sorted(found_reports, key=lambda report: report.slug)}
