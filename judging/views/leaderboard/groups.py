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


def groups(reading: Reading, query: Asked) -> dict[str, Any]:
    board = reading.board
    column = query.column if query.column in board.columns else board.columns[-1]
    values = [group_value for group_value in reading.breakdown(query.by) if group_value.scenario == column]
    value_by_cell = {(group_value.author, group_value.group): group_value for group_value in values}
    names, authors = (
        sorted({group_value.group for group_value in values}),
        [standing.author for standing in board.standings],
    )
    picked = [author for author in query.picked if author in authors] or authors[:USUALLY_PICKED]
    return {
        "column": column,
        "columns": board.columns,
        "divisions": DIVISIONS,
        "group_names": names,
        "heat": [(author, [HeatCell(name, value_by_cell.get((author, name))) for name in names]) for author in authors],
        "ramp": ramp(),
        "thin": THIN,
        "authors": authors,
        "picked": [(author, mark(number)) for number, author in enumerate(picked, start=1)],
        "picked_names": picked,
        "most": MOST,
        "least": LEAST,
        "radars": _radars(names, picked, value_by_cell, _label(query.by, column)),
    }


def _label(by: str, column: str) -> str:
    return _("%(score)s by %(division)s, of the chosen authors") % {
        "score": column_name(column),
        "division": division_name(by),
    }


def _radars(
    names: Sequence[str], picked: Sequence[str], value_by_cell: Found, label: str
) -> tuple[SafeString, SafeString]:
    """For wide and for narrow screens; on narrow ones many groups are told by their numbers in the table."""
    lines = [Line(author, [_value(value_by_cell.get((author, name))) for name in names]) for author in picked]
    labels = [spoken(name) for name in names]
    short = labels if len(names) <= 9 else [str(number) for number, _name in enumerate(names, start=1)]
    return radar(labels, lines, label=label, size=WIDE), radar(short, lines, label=label, size=PHONE)


def _value(group_value: GroupValue | None) -> float | None:
    return None if group_value is None else 100 * group_value.value
