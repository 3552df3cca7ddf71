"""What the page of a ranking shows on request: parts of the items by themselves, and another leaderboard."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext, gettext_lazy

from annotate.models import Project
from judging.services.rankings.ranked import Ranked, rankings
from judging.views.ranking.asked import Asked
from lib.stats.ranking.beside import Beside, beside
from lib.stats.ranking.standings import Standing

DIVISIONS = {"group": gettext_lazy("Group"), "language": gettext_lazy("Language")}
MOST_PARTS, MOST_ROWS = 30, 10  # those with most battles; the strongest
# For intervals of many fits while somebody waits for the page; the report draws as often as it does for all items.
FEWER_DRAWS = 200


@dataclass(frozen=True)
class Part:
    """The ranking of one group or language. more: authors that are not shown; address: of its battles."""

    name: str
    n: int
    rows: Sequence[Standing]
    more: int
    notes: Sequence[str]
    address: str


def parts(project: Project, query: Asked, address: str) -> dict[str, Any]:
    context: dict[str, Any] = {"divisions": DIVISIONS.items(), "parts": [], "more_parts": 0, "draws": FEWER_DRAWS}
    if not query.divide or query.side is None:
        return context
    ranked_parts = rankings(project, query.divide, given=[query.side], davidson=query.davidson, count=FEWER_DRAWS)
    most = sorted(ranked_parts, key=lambda ranked_part: (-ranked_part.ranking.battles.n, ranked_part.group or ""))
    part_rows = [
        _part(ranked_part, f"{address}&{urlencode({'divide': query.divide, 'part': ranked_part.group})}")
        for ranked_part in most
    ]
    return context | {"parts": part_rows[:MOST_PARTS], "more_parts": len(part_rows[MOST_PARTS:])}


def _part(ranked_part: Ranked, address: str) -> Part:
    rows = ranked_part.ranking.standings
    notes = [gettext(note.text) % note.values for note in ranked_part.ranking.notes]
    return Part(
        ranked_part.group or "", ranked_part.ranking.battles.n, rows[:MOST_ROWS], len(rows[MOST_ROWS:]), notes, address
    )


def other_board(query: Asked, ranked_sides: Sequence[Ranked]) -> dict[str, Any]:
    """How far people and each judge order as the pasted leaderboard does."""
    compared: list[tuple[Ranked, Beside]] = []
    if query.beside:
        compared = [(ranked_side, beside(ranked_side.ranking, query.beside)) for ranked_side in ranked_sides]
    return {"compared": compared}
