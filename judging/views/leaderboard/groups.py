"""Scores of authors in the groups of a division: a heat map that is a table, and a radar of a few authors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotate.templatetags.drafting import spoken
from judging.services.boards import Reading
from judging.services.leaderboard import DIVISIONS, GroupValue
from judging.templatetags.scores import column_name, division_name
from judging.views.leaderboard.asked import Asked
from judging.views.leaderboard.standings import PHONE
from lib.charts.heat import ramp, step
from lib.charts.radar import LEAST, MOST, Line, mark, radar

THIN = 10  # answers below which a cell is hatched
USUALLY_PICKED = 4
WIDE = 660
Found = Mapping[tuple[str, str], GroupValue]


@dataclass(frozen=True)
class HeatCell:
    """value: of a hundred; step: of the colour ramp. Both None where the author has no answer in the group."""

    group: str
    found: GroupValue | None

    @property
    def step(self) -> int | None:
        return None if self.found is None else step(100 * self.found.value)

    @property
    def thin(self) -> bool:
        return self.found is not None and self.found.n < THIN


def groups(reading: Reading, asked: Asked) -> dict[str, Any]:
    board = reading.board
    column = asked.column if asked.column in board.columns else board.columns[-1]
    values = [each for each in reading.breakdown(asked.by) if each.scenario == column]
    found = {(each.author, each.group): each for each in values}
    names, authors = sorted({each.group for each in values}), [each.author for each in board.standings]
    picked = [author for author in asked.picked if author in authors] or authors[:USUALLY_PICKED]
    return {
        "column": column,
        "columns": board.columns,
        "divisions": DIVISIONS,
        "group_names": names,
        "heat": [(author, [HeatCell(name, found.get((author, name))) for name in names]) for author in authors],
        "ramp": ramp(),
        "thin": THIN,
        "authors": authors,
        "picked": [(author, mark(number)) for number, author in enumerate(picked, start=1)],
        "picked_names": picked,
        "most": MOST,
        "least": LEAST,
        "radars": _radars(names, picked, found, _label(asked.by, column)),
    }


def _label(by: str, column: str) -> str:
    return _("%(score)s by %(division)s, of the chosen authors") % {
        "score": column_name(column),
        "division": division_name(by),
    }


def _radars(names: Sequence[str], picked: Sequence[str], found: Found, label: str) -> tuple[SafeString, SafeString]:
    """For wide and for narrow screens; on narrow ones many groups are told by their numbers in the table."""
    lines = [Line(author, [_value(found.get((author, name))) for name in names]) for author in picked]
    said = [spoken(name) for name in names]
    short = said if len(names) <= 9 else [str(number) for number, _name in enumerate(names, start=1)]
    return radar(said, lines, label=label, size=WIDE), radar(short, lines, label=label, size=PHONE)


def _value(found: GroupValue | None) -> float | None:
    return None if found is None else 100 * found.value
