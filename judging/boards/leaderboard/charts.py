"""The table of a leaderboard with its scatter and forest plots; groups of a division as a heat map and side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.templatetags.drafting import spoken
from judging.boards.leaderboard.leaderboard_options import LeaderboardOptions
from judging.boards.model_pages import ModelPage, model_page
from judging.ratings.leaderboards import DIVISIONS, AuthorStanding, Bounds, GroupValue, JudgeReading, Leaderboard
from judging.templatetags.scores import answers_behind, between, column_name, division_name, points
from lib.charts.dot_plots import group_dots
from lib.charts.forest import ForestRow, ForestWords, forest
from lib.charts.heat_colours import COOL
from lib.charts.heat_map import HeatCell, HeatMap, HeatRow, HeatScale, scale_around
from lib.charts.marks import fitted
from lib.charts.radar import LEAST, MOST, READABLE, RadarLine, mark, radar
from lib.charts.scatter import MOST_NAMED, ScatterDot, ScatterWords, scatter

FEW = 20  # with fewer answers a number says little
GROUP = "group/"  # before the name of a group by which models are sorted
PHONE = 330  # pixels that a chart has on a narrow screen


def standings(reading: JudgeReading, query: LeaderboardOptions) -> dict[str, Any]:
    board, shown = reading.board, shown_models(reading, query)
    page_board = shown.on_page(board)
    return {
        "board": board,
        "rows": shown.rows,
        "charted": page_board.standings if shown.page.is_long else board.standings,
        "places": places(board),
        "rules": _other_rules(board),
        "few": FEW,
        "left_out": _left_out(reading),
        "scatter": _scatter(shown.board),
        "forest": _forest(page_board, board),
    }


@dataclass(frozen=True)
class ShownModels:
    """board: of all models that the filters show. rows: those on the page, in their order."""

    board: Leaderboard
    rows: Sequence[AuthorStanding]
    page: ModelPage

    def on_page(self, board: Leaderboard) -> Leaderboard:
        """The board with the models of the page alone, the best first."""
        names = set(self.page.names)
        return replace(board, standings=[standing for standing in board.standings if standing.author in names])


def shown_models(reading: JudgeReading, query: LeaderboardOptions) -> ShownModels:
    board = reading.board
    shown_board = replace(board, standings=[standing for standing in board.standings if query.shows(standing.author)])
    by_group = _group_order(reading, query) if query.sort.removeprefix("-").startswith(GROUP) else {}
    rows = ordered(shown_board, query, by_group)
    page = model_page([row.author for row in rows], query, among=len(board.standings))
    names = set(page.names)
    return ShownModels(shown_board, [row for row in rows if row.author in names], page)


def _group_order(reading: JudgeReading, query: LeaderboardOptions) -> dict[str, float]:
    """author -> the average in the group by which the heat map is sorted."""
    group, column = query.sorted_by.removeprefix(GROUP), _group_column(reading.board, query)
    values = reading.breakdown(query.by)
    return {value.author: value.value for value in values if value.scenario == column and value.group == group}


def places(board: Leaderboard) -> dict[str, int]:
    """author -> its number in the charts: the best overall is 1."""
    return {standing.author: number for number, standing in enumerate(board.standings, start=1)}


def ordered(
    board: Leaderboard, query: LeaderboardOptions, by_group: Mapping[str, float] | None = None
) -> list[AuthorStanding]:
    """Sorted by the chosen column; authors without a value there come last in both directions. by_group: author -> the
    value, if it is a column of the heat map."""
    if query.sorted_by == "author":
        return sorted(board.standings, key=lambda standing: standing.author.casefold(), reverse=query.falling)
    if by_group:
        valued = [(by_group.get(standing.author), standing) for standing in board.standings]
    else:
        valued = [(_value(standing, query.sorted_by), standing) for standing in board.standings]
    scored_rows = [(value, standing) for value, standing in valued if value is not None]
    scored_rows.sort(key=lambda pair: pair[0], reverse=query.falling)
    return [standing for _known, standing in scored_rows] + [standing for value, standing in valued if value is None]


def _value(standing: AuthorStanding, column: str) -> float | None:
    if column in ("n", "failed", "flagged"):
        return float(getattr(standing, column))
    if column == "rank":
        return None if standing.ranks is None else sum(standing.ranks) / 2
    rule, _slash, rule_column = column.partition("/")
    return standing.what_if.get(rule, {}).get(rule_column) if rule_column else standing.values.get(column)


def _other_rules(board: Leaderboard) -> list[tuple[str, str, str]]:
    """(rule, column, sort key of that column) for each rule under which the table would differ."""
    rule_columns = [
        (rule, column) for rule in _rules(board) for column in board.columns[:-1] if _differs(board, rule, column)
    ]
    return [(rule, column, f"{rule}/{column}") for rule, column in rule_columns]


def _rules(board: Leaderboard) -> list[str]:
    return sorted({rule for standing in board.standings for rule in standing.what_if})


def _differs(board: Leaderboard, rule: str, column: str) -> bool:
    return any(
        standing.what_if.get(rule, {}).get(column) != standing.values.get(column) for standing in board.standings
    )


def _left_out(reading: JudgeReading) -> dict[str, int]:
    return {"outdated": reading.board.outdated, "unjudged": reading.board.unjudged, **reading.marked}


def _scatter(board: Leaderboard) -> SafeString | None:
    """With names, on narrow screens with numbers; None without two scenarios."""
    if len(board.columns) != 3:
        return None
    x, y, _overall = board.columns
    n = len(board.standings)
    label = ngettext("%(x)s vs. %(y)s for %(n)d model", "%(x)s vs. %(y)s for %(n)d models", n) % {
        "x": column_name(x),
        "y": column_name(y),
        "n": n,
    }
    words = ScatterWords(label, column_name(x), column_name(y), *_sides(x, y))
    named_dots, numbered = _dots(board, x, y, numbers=False), _dots(board, x, y, numbers=True)
    crowded = len(named_dots) > MOST_NAMED
    note = _("Too many models to name them here. Point at a dot for its name.")
    under = format_html('<p class="small quiet">{}</p>', note if crowded else _("Numbers match those in the table."))
    narrow = format_html("{}{}", under, scatter(numbered, ScatterWords(label, words.x, words.y), size=PHONE))

    def drawn(size: int) -> SafeString:
        if size == PHONE:
            return narrow
        chart = scatter(named_dots, words, size=size)
        return format_html("{}{}", under, chart) if crowded else chart

    return fitted(drawn, square=True)


def _sides(x: str, y: str) -> tuple[str, str]:
    """What a place above the diagonal means, and one below it."""
    if (x, y) == ("error_correction", "response_maintenance"):
        return _("better at response maintenance"), _("better at error correction")
    return "", ""


def _dots(board: Leaderboard, x: str, y: str, *, numbers: bool) -> list[ScatterDot]:
    dots = []
    for number, standing in enumerate(board.standings, start=1):
        across, up = standing.values[x], standing.values[y]
        if across is not None and up is not None:
            name = str(number) if numbers else standing.author
            dots.append(ScatterDot(name, 100 * across, 100 * up, _hundred(standing, x), _hundred(standing, y)))
    return dots


def _hundred(standing: AuthorStanding, column: str) -> tuple[float, float] | None:
    bounds = standing.intervals.get(column)
    return None if bounds is None else (100 * bounds[0], 100 * bounds[1])


def _forest(shown_board: Leaderboard, board: Leaderboard) -> SafeString:
    """Overall averages as a forest plot; the dotted line is the mean of all models of the board."""
    rows = [_forest_row(standing) for standing in shown_board.standings]
    overall = (standing.values["overall"] for standing in board.standings)
    values = [100 * value for value in overall if value is not None]
    words = ForestWords(
        label=_("Overall averages with 95 %% intervals; dotted line: the mean of all models") % (),
        name=_("Model"),
        value=f"{column_name('overall')} (95 %)",
        n=_("Answers"),
        figure=_points,
    )
    reference = sum(values) / len(values) if values else None
    return fitted(lambda wide: forest(rows, words, reference=reference, wide=wide))


def _forest_row(standing: AuthorStanding) -> ForestRow:
    value, bounds = standing.values["overall"], _hundred(standing, "overall")
    low, high = bounds or (None, None)
    return ForestRow(
        standing.author, None if value is None else 100 * value, low, high, standing.n, thin=standing.n < FEW
    )


def _points(value: float) -> str:
    """A score of 0..100, as in the table."""
    return points(value / 100, 1)


THIN = 10  # answers below which a cell is hatched
USUALLY_PICKED = 4
GroupValues = Mapping[tuple[str, str], GroupValue]


def groups(reading: JudgeReading, query: LeaderboardOptions) -> dict[str, Any]:
    board = reading.board
    column, shown = _group_column(board, query), shown_models(reading, query)
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
        "heat": _heat_map(reading, query, shown, value_by_cell),
        "thin": THIN,
        "authors": list(dict.fromkeys([*picked, *shown.page.names])) if shown.page.is_long else authors,
        "picked": [(author, mark(number)) for number, author in enumerate(picked, start=1)],
        "picked_names": picked,
        "most": MOST,
        "side_by_side": _side_by_side(names, picked, value_by_cell, _label(query.by, column)) if names else "",
    }


def _group_column(board: Leaderboard, query: LeaderboardOptions) -> str:
    return query.column if query.column in board.columns else board.columns[-1]


def items_address(reading: JudgeReading, query: LeaderboardOptions) -> str:
    """Of the answers behind the numbers of a judge, about the items that count."""
    address = f"{reverse('leaderboard_items', args=[reading.project.slug])}?judge={reading.judge.pk}"
    return "&".join(filter(None, [address, query.selection_address]))


# The heat map: authors by groups.


def _heat_map(
    reading: JudgeReading, query: LeaderboardOptions, shown: ShownModels, value_by_cell: GroupValues
) -> HeatMap:
    by, column = query.by, _group_column(reading.board, query)
    names = sorted({group for _author, group in value_by_cell})
    scale = scale_around(COOL, [100 * group_value.value for group_value in value_by_cell.values()])
    bounds, address = reading.breakdown_intervals(by), items_address(reading, query)

    def cell(author: str, name: str) -> HeatCell | None:
        group_value = value_by_cell.get((author, name))
        if group_value is None:
            return None
        href = answers_behind(address, author=author, scenario=column, by=by, group=name)
        return _heat_cell(group_value, bounds.get((author, column, name)), scale, href)

    standings = shown.rows if shown.page.is_split else shown.on_page(shown.board).standings
    authors = [standing.author for standing in standings]
    rows = [HeatRow(author, [cell(author, name) for name in names]) for author in authors]
    label = f"{column_name(column)} · {division_name(by)}"
    sorts = ["author", *(f"{GROUP}{name}" for name in names)] if shown.page.is_split else []
    columns = [spoken(name) for name in names]
    return HeatMap(label, _("Model"), columns, [("", rows)], [("", scale)], numbered=True, sorts=sorts)


def _heat_cell(group_value: GroupValue, bounds: Bounds | None, scale: HeatScale, href: str) -> HeatCell:
    cell_text = points(group_value.value, 1)
    label = _("%(model)s, %(group)s: %(value)s, 95 %% interval %(interval)s, n = %(n)d") % {
        "model": group_value.author,
        "group": spoken(group_value.group),
        "value": cell_text,
        "interval": between(bounds),
        "n": group_value.n,
    }
    look = "" if group_value.n < THIN else scale.look(100 * group_value.value)
    return HeatCell(cell_text, between(bounds) if bounds else "", group_value.n, look, href, label)


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
