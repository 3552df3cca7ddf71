"""Groups of a division: a heat map of all authors, and a chart of a few of them side by side."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotate.templatetags.drafting import spoken
from judging.boards.leaderboard.options import LeaderboardOptions
from judging.ratings.leaderboards import DIVISIONS, Bounds, GroupValue, JudgeReading
from judging.templatetags.scores import answers_behind, between, column_name, division_name, points
from lib.charts.fitted import fitted
from lib.charts.group_dots import group_dots
from lib.charts.heat_colours import COOL
from lib.charts.heat_map import HeatCell, HeatMap, HeatRow, HeatScale, scale_around
from lib.charts.radar import LEAST, MOST, READABLE, RadarLine, mark, radar

THIN = 10  # answers below which a cell is hatched
USUALLY_PICKED = 4
GroupValues = Mapping[tuple[str, str], GroupValue]


def groups(reading: JudgeReading, query: LeaderboardOptions) -> dict[str, Any]:
    board = reading.board
    column = query.column if query.column in board.columns else board.columns[-1]
    values = [group_value for group_value in reading.breakdown(query.by) if group_value.scenario == column]
    value_by_cell = {(group_value.author, group_value.group): group_value for group_value in values}
    names = sorted({group_value.group for group_value in values})
    authors = [standing.author for standing in board.standings]
    picked = [author for author in query.pick if author in authors] or authors[:USUALLY_PICKED]
    return {
        "column": column,
        "columns": board.columns,
        "divisions": DIVISIONS,
        "group_names": names,
        "heat": _heat_map(reading, query, column, value_by_cell),
        "thin": THIN,
        "authors": authors,
        "picked": [(author, mark(number)) for number, author in enumerate(picked, start=1)],
        "picked_names": picked,
        "most": MOST,
        "side_by_side": _side_by_side(names, picked, value_by_cell, _label(query.by, column)) if names else "",
    }


def items_address(reading: JudgeReading, query: LeaderboardOptions) -> str:
    """Of the answers behind the numbers of a judge, about the items that count."""
    address = f"{reverse('leaderboard_items', args=[reading.project.slug])}?judge={reading.judge.pk}"
    return "&".join(filter(None, [address, query.selection_address]))


# The heat map: authors by groups.


def _heat_map(reading: JudgeReading, query: LeaderboardOptions, column: str, value_by_cell: GroupValues) -> HeatMap:
    by = query.by
    names = sorted({group for _author, group in value_by_cell})
    scale = scale_around(COOL, [100 * group_value.value for group_value in value_by_cell.values()])
    bounds, address = reading.breakdown_intervals(by), items_address(reading, query)

    def cell(author: str, name: str) -> HeatCell | None:
        group_value = value_by_cell.get((author, name))
        if group_value is None:
            return None
        href = answers_behind(address, author=author, scenario=column, by=by, group=name)
        return _heat_cell(group_value, bounds.get((author, column, name)), scale, href)

    authors = [standing.author for standing in reading.board.standings if query.shows(standing.author)]
    rows = [HeatRow(author, [cell(author, name) for name in names]) for author in authors]
    label = f"{column_name(column)} · {division_name(by)}"
    return HeatMap(label, _("Model"), [spoken(name) for name in names], [("", rows)], [("", scale)], numbered=True)


def _heat_cell(group_value: GroupValue, bounds: Bounds | None, scale: HeatScale, href: str) -> HeatCell:
    said = points(group_value.value, 1)
    label = _("%(model)s, %(group)s: %(value)s, 95 %% interval %(interval)s, n = %(n)d") % {
        "model": group_value.author,
        "group": spoken(group_value.group),
        "value": said,
        "interval": between(bounds),
        "n": group_value.n,
    }
    look = "" if group_value.n < THIN else scale.look(100 * group_value.value)
    return HeatCell(said, between(bounds) if bounds else "", group_value.n, look, href, label)


# The chart: a few authors side by side.


def _label(by: str, column: str) -> str:
    return _("%(score)s by %(division)s, selected models") % {
        "score": column_name(column),
        "division": division_name(by),
    }


def _side_by_side(names: Sequence[str], picked: Sequence[str], value_by_cell: GroupValues, label: str) -> SafeString:
    """A radar where few groups can be compared at a glance, else a dot plot, which has room for any number."""
    lines = [
        RadarLine(author, [_group_value(value_by_cell.get((author, name))) for name in names]) for author in picked
    ]
    labels = [spoken(name) for name in names]
    if LEAST <= len(names) <= READABLE:
        return fitted(lambda size: radar(labels, lines, label=label, size=size), square=True)
    return fitted(lambda wide: group_dots(labels, lines, label=label, wide=wide))


def _group_value(group_value: GroupValue | None) -> float | None:
    return None if group_value is None else 100 * group_value.value
