"""The table of a leaderboard, its scatter plot and its forest plot."""

from dataclasses import replace
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from judging.boards.leaderboard.options import LeaderboardOptions
from judging.ratings.leaderboards import AuthorStanding, JudgeReading, Leaderboard
from judging.templatetags.scores import column_name, points
from lib.charts.fitted import fitted
from lib.charts.forest import ForestRow, ForestWords, forest
from lib.charts.scatter import ScatterDot, ScatterWords, scatter

FEW = 20  # with fewer answers a number says little
PHONE = 330  # pixels that a chart has on a narrow screen


def standings(reading: JudgeReading, query: LeaderboardOptions) -> dict[str, Any]:
    board = reading.board
    shown = replace(board, standings=[standing for standing in board.standings if query.shows(standing.author)])
    return {
        "board": board,
        "rows": ordered(shown, query),
        "places": places(board),
        "rules": _other_rules(board),
        "few": FEW,
        "left_out": _left_out(reading),
        "scatter": _scatter(shown),
        "forest": _forest(shown, board),
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
    narrow = format_html(
        '<p class="small quiet">{}</p>{}',
        _("Numbers match those in the table."),
        scatter(numbered, ScatterWords(label, words.x, words.y), size=PHONE),
    )
    return fitted(lambda size: narrow if size == PHONE else scatter(named_dots, words, size=size), square=True)


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


def _forest(shown: Leaderboard, board: Leaderboard) -> SafeString:
    """Overall averages as a forest plot; the dotted line is the mean of all models of the board."""
    rows = [_forest_row(standing) for standing in shown.standings]
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
