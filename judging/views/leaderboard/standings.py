"""The table of a leaderboard and the two charts beside it."""

from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from judging.services.boards import Reading
from judging.services.leaderboard import Board, Standing
from judging.templatetags.scores import column_name
from judging.views.leaderboard.asked import Asked
from lib.charts.interval_bars import Bar, interval_bars
from lib.charts.scatter import Dot, Words, scatter

FEW = 20  # answers below which a number says little
PHONE = 330  # pixels that a chart has on a narrow screen


def standings(reading: Reading, query: Asked) -> dict[str, Any]:
    board = reading.board
    return {
        "board": board,
        "rows": ordered(board, query),
        "places": places(board),
        "rules": _other_rules(board),
        "few": FEW,
        "left_out": _left_out(reading),
        "scatters": _scatters(board),
        "bars": _bars(board),
    }


def places(board: Board) -> dict[str, int]:
    """author -> its number in the charts: the best overall is 1."""
    return {standing.author: number for number, standing in enumerate(board.standings, start=1)}


def ordered(board: Board, query: Asked) -> list[Standing]:
    """By the column that was asked for; who has no value there comes last either way."""
    if query.sorted_by == "author":
        return sorted(board.standings, key=lambda standing: standing.author.casefold(), reverse=query.falling)
    valued = [(_value(standing, query.sorted_by), standing) for standing in board.standings]
    scored_rows = [(value, standing) for value, standing in valued if value is not None]
    scored_rows.sort(key=lambda pair: pair[0], reverse=query.falling)
    return [standing for _known, standing in scored_rows] + [standing for value, standing in valued if value is None]


def _value(standing: Standing, column: str) -> float | None:
    if column in ("n", "failed", "flagged"):
        return float(getattr(standing, column))
    rule, _slash, rule_column = column.partition("/")
    return standing.what_if.get(rule, {}).get(rule_column) if rule_column else standing.values.get(column)


def _other_rules(board: Board) -> list[tuple[str, str, str]]:
    """(rule, column, how the table is sorted by it) for what would be another table under another rule."""
    rule_columns = [
        (rule, column) for rule in _rules(board) for column in board.columns[:-1] if _differs(board, rule, column)
    ]
    return [(rule, column, f"{rule}/{column}") for rule, column in rule_columns]


def _rules(board: Board) -> list[str]:
    return sorted({rule for standing in board.standings for rule in standing.what_if})


def _differs(board: Board, rule: str, column: str) -> bool:
    return any(
        standing.what_if.get(rule, {}).get(column) != standing.values.get(column) for standing in board.standings
    )


def _left_out(reading: Reading) -> dict[str, int]:
    return {"outdated": reading.board.outdated, "unjudged": reading.board.unjudged, **reading.marked}


def _scatters(board: Board) -> tuple[SafeString, SafeString] | None:
    """For wide screens with names, for narrow ones with the numbers of the table; None without two scenarios."""
    if len(board.columns) != 3:
        return None
    x, y, _overall = board.columns
    n = len(board.standings)
    label = ngettext("%(x)s against %(y)s of %(n)d author", "%(x)s against %(y)s of %(n)d authors", n) % {
        "x": column_name(x),
        "y": column_name(y),
        "n": n,
    }
    words = Words(label, column_name(x), column_name(y), *_sides(x, y))
    named_dots, numbered = _dots(board, x, y, numbers=False), _dots(board, x, y, numbers=True)
    narrow = Words(label, words.x, words.y)
    return scatter(named_dots, words), scatter(numbered, narrow, size=PHONE)


def _sides(x: str, y: str) -> tuple[str, str]:
    """What it means to lie above the diagonal, and below it."""
    if (x, y) == ("error_correction", "response_maintenance"):
        return _("holds firm better than it corrects"), _("corrects better than it holds firm")
    return "", ""


def _dots(board: Board, x: str, y: str, *, numbers: bool) -> list[Dot]:
    dots = []
    for number, standing in enumerate(board.standings, start=1):
        across, up = standing.values[x], standing.values[y]
        if across is not None and up is not None:
            name = str(number) if numbers else standing.author
            dots.append(Dot(name, 100 * across, 100 * up, _hundred(standing, x), _hundred(standing, y)))
    return dots


def _hundred(standing: Standing, column: str) -> tuple[float, float] | None:
    bounds = standing.intervals.get(column)
    return None if bounds is None else (100 * bounds[0], 100 * bounds[1])


def _bars(board: Board) -> tuple[SafeString, SafeString]:
    """Overall averages for wide and for narrow screens."""
    label, bars = (
        _("Overall averages with their 95 %% intervals") % (),
        [_bar(standing) for standing in board.standings],
    )
    return interval_bars(bars, label=label), interval_bars(bars, label=label, wide=PHONE)


def _bar(standing: Standing) -> Bar:
    value, bounds = standing.values["overall"], _hundred(standing, "overall")
    low, high = bounds or (None, None)
    return Bar(standing.author, None if value is None else 100 * value, low, high, thin=standing.n < FEW)
