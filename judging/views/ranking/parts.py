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


def parts(project: Project, told: Asked, address: str) -> dict[str, Any]:
    context: dict[str, Any] = {"divisions": DIVISIONS.items(), "parts": [], "more_parts": 0, "draws": FEWER_DRAWS}
    if not told.divide or told.side is None:
        return context
    found = rankings(project, told.divide, given=[told.side], davidson=told.davidson, count=FEWER_DRAWS)
    most = sorted(found, key=lambda one: (-one.ranking.battles.n, one.group or ""))
    shown = [_part(one, f"{address}&{urlencode({'divide': told.divide, 'part': one.group})}") for one in most]
    return context | {"parts": shown[:MOST_PARTS], "more_parts": len(shown[MOST_PARTS:])}


def _part(one: Ranked, address: str) -> Part:
    rows = one.ranking.standings
    notes = [gettext(note.text) % note.values for note in one.ranking.notes]
    return Part(one.group or "", one.ranking.battles.n, rows[:MOST_ROWS], len(rows[MOST_ROWS:]), notes, address)


def other_board(told: Asked, found: Sequence[Ranked]) -> dict[str, Any]:
    """How far people and each judge order as the pasted leaderboard does."""
    compared: list[tuple[Ranked, Beside]] = []
    if told.beside:
        compared = [(one, beside(one.ranking, told.beside)) for one in found]
    return {"compared": compared}
