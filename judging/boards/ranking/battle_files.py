"""Readers for files of battles and of other leaderboards, which need no project."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from annotate.formats.format import Format
from annotate.formats.registry import find_format, guess
from annotate.formats.rows import ImportRow, Problem
from annotate.formats.source import Limits, Source, Unreadable
from lib.stats.ranking.battles import Battles, battles

UNREADABLE, NO_NAME = "unreadable row", "no name"
NAMES, SCORES = ("name", "item", "model", "author"), ("score", "strength", "elo", "overall")


class BadBattleFile(Exception):
    """A file from which nothing can be ranked; the message says what to do."""


@dataclass
class _Columns:
    left: list[str] = field(default_factory=list)
    right: list[str] = field(default_factory=list)
    winner: list[str] = field(default_factory=list)


def read_battles(path: Path) -> Battles:
    """Battles of a file of JSON lines or CSV, also gzipped: `left`, `right`, and `winner` being left, right or tie.

    Other columns are not read. Rows that cannot be used are counted in `skipped`. Raises BadBattleFile if no row can be
    used.
    """
    columns, skipped = _Columns(), Counter[str]()
    for row in _rows(path):
        if isinstance(row, Problem):
            skipped[UNREADABLE] += 1
            continue
        left, right = (_name(row.value.get(side)) for side in ("left", "right"))
        if not left or not right:
            skipped[NO_NAME] += 1
            continue
        winner = row.value.get("winner")
        columns.left.append(left)
        columns.right.append(right)
        columns.winner.append(winner if isinstance(winner, str) else "")
    battle_table = battles(columns.left, columns.right, columns.winner)
    battle_table = replace(battle_table, skipped={**battle_table.skipped, **skipped})
    if not battle_table.n:
        raise BadBattleFile(_nothing(battle_table.skipped))
    return battle_table


def read_scores(path: Path) -> Mapping[str, float]:
    """Name -> score of another leaderboard; higher is better. Raises BadBattleFile."""
    score_by_name: dict[str, float] = {}
    for row in _rows(path):
        value = {} if isinstance(row, Problem) else row.value
        name = next((name for column in NAMES if (name := _name(value.get(column)))), "")
        score = next((score for column in SCORES if (score := _number(value.get(column))) is not None), None)
        if not name or score is None:
            raise BadBattleFile(
                f"A row of a leaderboard needs one of {', '.join(NAMES)} and one of {', '.join(SCORES)}."
            )
        score_by_name[name] = score
    if not score_by_name:
        raise BadBattleFile("The leaderboard has no row.")
    return score_by_name


def _rows(path: Path) -> Iterator[ImportRow | Problem]:
    """Rows, and the problems of single rows. Raises BadBattleFile for problems of the whole file."""
    for row in _format_of(path).read(path):
        if isinstance(row, Problem) and row.line is None:
            raise BadBattleFile(row.message)
        yield row


def _format_of(path: Path) -> Format:
    """The format by the file's name, else by its first characters. Raises BadBattleFile if it cannot be read."""
    format_by_name = guess(path.name)
    if not isinstance(format_by_name, Problem):
        return format_by_name
    try:
        first_byte = Source(path, str(path), Limits()).first_character()
    except Unreadable as fault:
        raise BadBattleFile(str(fault)) from None
    return find_format({b"{": "jsonl", b"[": "json"}.get(first_byte, "csv"))


def _name(cell: Any) -> str:
    """A text that is not blank; a whole number is taken as text."""
    if isinstance(cell, bool) or not isinstance(cell, str | int):
        return ""
    return str(cell).strip()


def _number(cell: Any) -> float | None:
    try:
        return None if isinstance(cell, bool) else float(cell)
    except (TypeError, ValueError):
        return None


def _nothing(skipped: Mapping[str, int]) -> str:
    why = ", ".join(f"{times} with {reason}" for reason, times in sorted(skipped.items()))
    return f"No battle can be read. A row has left, right and winner (left, right or tie). Skipped: {why or 'nothing'}."
