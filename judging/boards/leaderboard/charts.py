"""The table and the charts of a leaderboard: scatter plot and forest plot, and the heat map and radar of a division."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.templatetags.drafting import spoken
from judging.boards.leaderboard.options import LeaderboardOptions
from judging.ratings.leaderboards import DIVISIONS, AuthorStanding, GroupValue, JudgeReading, Leaderboard
from judging.templatetags.scores import column_name, division_name, points
from lib.charts.fitted import fitted
from lib.charts.forest import ForestRow, ForestWords, forest
from lib.charts.heat_map import ramp, step
from lib.charts.radar import LEAST, MOST, RadarLine, mark, radar
from lib.charts.scatter import ScatterDot, ScatterWords, scatter

FEW = 20  # with fewer answers a number says little
PHONE = 330  # pixels that a chart has on a narrow screen


def standings(reading: JudgeReading, query: LeaderboardOptions) -> dict[str, Any]:
    board = reading.board
    return {
        "board": board,
        "rows": ordered(board, query),
        "places": places(board),
        "rules": _other_rules(board),
        "few": FEW,
        "left_out": _left_out(reading),
        "scatters": _scatters(board),
        "forest": _forest(board),
    }


def places(board: Leaderboard) -> dict[str, int]:
    """author -> its number in the charts: the best overall is 1."""
    return {standing.author: number for number, standing in enumerate(board.standings, start=1)}


def ordered(board: Leaderboard, query: LeaderboardOptions) -> list[AuthorStanding]:
    """Sorted by the chosen column; authors without a value there come last in both directions."""
    if query.sorted_by == "author":
        return sorted(board.standings, key=lambda standing: standing.author.casefold(), reverse=query.falling)
    valued = [(_value(standing, query.sorted_by), standing) for standing in board.standings]
    scored_rows = [(value, standing) for value, standing in valued if value is not None]
    scored_rows.sort(key=lambda pair: pair[0], reverse=query.falling)
    return [standing for _known, standing in scored_rows] + [standing for value, standing in valued if value is None]


def _value(standing: AuthorStanding, column: str) -> float | None:
    if column in ("n", "failed", "flagged"):
        return float(getattr(standing, column))
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


def _scatters(board: Leaderboard) -> tuple[SafeString, SafeString] | None:
    """Charts for wide screens with names and for narrow ones with numbers; None without two scenarios."""
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
    narrow = ScatterWords(label, words.x, words.y)
    return scatter(named_dots, words), scatter(numbered, narrow, size=PHONE)


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


def _forest(board: Leaderboard) -> SafeString:
    """Overall averages as a forest plot; the dotted line is their mean."""
    rows = [_forest_row(standing) for standing in board.standings]
    values = [row.value for row in rows if row.value is not None]
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


# Groups of a division: a heat map, which is a table, and a radar chart of a few authors.


THIN = 10  # answers below which a cell is hatched
USUALLY_PICKED = 4
WIDE = 660
GroupValues = Mapping[tuple[str, str], GroupValue]


@dataclass(frozen=True)
class GroupHeatCell:
    """found: None if the author has no answer in the group. step: on the colour ramp, None without a value."""

    group: str
    found: GroupValue | None

    @property
    def step(self) -> int | None:
        return None if self.found is None else step(100 * self.found.value)

    @property
    def thin(self) -> bool:
        return self.found is not None and self.found.n < THIN


def groups(reading: JudgeReading, query: LeaderboardOptions) -> dict[str, Any]:
    board = reading.board
    column = query.column if query.column in board.columns else board.columns[-1]
    values = [group_value for group_value in reading.breakdown(query.by) if group_value.scenario == column]
    value_by_cell = {(group_value.author, group_value.group): group_value for group_value in values}
    names, authors = (
        sorted({group_value.group for group_value in values}),
        [standing.author for standing in board.standings],
    )
    picked = [author for author in query.pick if author in authors] or authors[:USUALLY_PICKED]
    return {
        "column": column,
        "columns": board.columns,
        "divisions": DIVISIONS,
        "group_names": names,
        "heat": [
            (author, [GroupHeatCell(name, value_by_cell.get((author, name))) for name in names]) for author in authors
        ],
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
    return _("%(score)s by %(division)s, selected models") % {
        "score": column_name(column),
        "division": division_name(by),
    }


def _radars(
    names: Sequence[str], picked: Sequence[str], value_by_cell: GroupValues, label: str
) -> tuple[SafeString, SafeString]:
    """Charts for wide and for narrow screens; on narrow ones many groups have their numbers of the table as names."""
    lines = [
        RadarLine(author, [_group_value(value_by_cell.get((author, name))) for name in names]) for author in picked
    ]
    labels = [spoken(name) for name in names]
    short = labels if len(names) <= 9 else [str(number) for number, _name in enumerate(names, start=1)]
    return radar(labels, lines, label=label, size=WIDE), radar(short, lines, label=label, size=PHONE)


def _group_value(group_value: GroupValue | None) -> float | None:
    return None if group_value is None else 100 * group_value.value
