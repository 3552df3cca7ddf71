"""Files of battles and of others' leaderboards, which need no project."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from annotate.formats.base import Format
from annotate.formats.registry import find_format, guess
from annotate.formats.rows import Problem, Row
from annotate.formats.source import Source
from annotate.formats.unpacking import Limits, Unreadable
from lib.stats.ranking.battles import Battles, battles

UNREADABLE, NO_NAME = "unreadable row", "no name"
NAMES, SCORES = ("name", "item", "model", "author"), ("score", "strength", "elo", "overall")


class BadFile(Exception):
    """A file that nothing can be ranked by; the text names the remedy."""


@dataclass
class _Columns:
    left: list[str] = field(default_factory=list)
    right: list[str] = field(default_factory=list)
    winner: list[str] = field(default_factory=list)


def read_battles(path: Path) -> Battles:
    """Battles of a file of JSON lines or CSV, also gzipped: `left`, `right`, and `winner` being left, right or tie.

    A name that does not say which of the two it is does no harm. Other columns are not read. What cannot be used is
    counted in `skipped`. Raises BadFile where nothing can be used.
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
        raise BadFile(_nothing(battle_table.skipped))
    return battle_table


def read_scores(path: Path) -> Mapping[str, float]:
    """Name -> score of somebody's leaderboard, higher being better. Raises BadFile."""
    score_by_name: dict[str, float] = {}
    for row in _rows(path):
        value = {} if isinstance(row, Problem) else row.value
        name = next((name for column in NAMES if (name := _name(value.get(column)))), "")
        score = next((score for column in SCORES if (score := _number(value.get(column))) is not None), None)
        if not name or score is None:
            raise BadFile(f"A row of a leaderboard needs one of {', '.join(NAMES)} and one of {', '.join(SCORES)}.")
        score_by_name[name] = score
    if not score_by_name:
        raise BadFile("The leaderboard has no row.")
    return score_by_name


def _rows(path: Path) -> Iterator[Row | Problem]:
    """Problems of single rows come as they are. Raises BadFile for those of the whole file."""
    for row in _format_of(path).read(path):
        if isinstance(row, Problem) and row.line is None:
            raise BadFile(row.message)
        yield row


def _format_of(path: Path) -> Format:
    """By the name, else by how the file begins. Raises BadFile where it cannot be read."""
    format_by_name = guess(path.name)
    if not isinstance(format_by_name, Problem):
        return format_by_name
    try:
        first_byte = Source(path, str(path), Limits()).first_character()
    except Unreadable as fault:
        raise BadFile(str(fault)) from None
    return find_format({b"{": "jsonl", b"[": "json"}.get(first_byte, "csv"))


def _name(cell: Any) -> str:
    """A text that is not blank, or a whole number as one."""
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
