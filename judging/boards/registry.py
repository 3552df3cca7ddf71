"""All boards, found by their folders, and their reports."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

import judging.boards
from judging.boards.board import Board
from judging.boards.report import Report


@cache
def boards() -> dict[str, Board[Any, Any]]:
    """slug -> board, in the order of the slugs."""
    folders = [module.name for module in iter_modules(judging.boards.__path__, "judging.boards.") if module.ispkg]
    found_boards = [import_module(f"{folder}.board").BOARD for folder in folders if find_spec(f"{folder}.board")]
    return {board.slug: board for board in sorted(found_boards, key=lambda board: board.slug)}


@cache
def reports() -> dict[str, Report]:
    """slug -> report, in the order of the slugs."""
    found_reports = [report for board in boards().values() for report in board.all_reports()]
    return {report.slug: report for report in sorted(found_reports, key=lambda report: report.slug)}
