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


def standings(reading: Reading, asked: Asked) -> dict[str, Any]:
    board = reading.board
    return {
        "board": board,
        "rows": ordered(board, asked),
        "places": places(board),
        "rules": _other_rules(board),
        "few": FEW,
        "left_out": _left_out(reading),
        "scatters": _scatters(board),
        "bars": _bars(board),
    }


def places(board: Board) -> dict[str, int]:
    """author -> its number in the charts: the best overall is 1."""
    return {each.author: number for number, each in enumerate(board.standings, start=1)}


def ordered(board: Board, asked: Asked) -> list[Standing]:
    """By the column that was asked for; who has no value there comes last either way."""
    if asked.sorted_by == "author":
        return sorted(board.standings, key=lambda each: each.author.casefold(), reverse=asked.falling)
    valued = [(_value(each, asked.sorted_by), each) for each in board.standings]
    known = [(value, each) for value, each in valued if value is not None]
    known.sort(key=lambda pair: pair[0], reverse=asked.falling)
    return [each for _known, each in known] + [each for value, each in valued if value is None]


def _value(standing: Standing, column: str) -> float | None:
    if column in ("n", "failed", "flagged"):
        return float(getattr(standing, column))
    rule, _slash, of = column.partition("/")
    return standing.what_if.get(rule, {}).get(of) if of else standing.values.get(column)


def _other_rules(board: Board) -> list[tuple[str, str, str]]:
    """(rule, column, how the table is sorted by it) for what would be another table under another rule."""
    found = [(rule, column) for rule in _rules(board) for column in board.columns[:-1] if _differs(board, rule, column)]
    return [(rule, column, f"{rule}/{column}") for rule, column in found]


def _rules(board: Board) -> list[str]:
    return sorted({rule for each in board.standings for rule in each.what_if})


def _differs(board: Board, rule: str, column: str) -> bool:
    return any(each.what_if.get(rule, {}).get(column) != each.values.get(column) for each in board.standings)


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
    named, numbered = _dots(board, x, y, numbers=False), _dots(board, x, y, numbers=True)
    narrow = Words(label, words.x, words.y)
    return scatter(named, words), scatter(numbered, narrow, size=PHONE)


def _sides(x: str, y: str) -> tuple[str, str]:
    """What it means to lie above the diagonal, and below it."""
    if (x, y) == ("error_correction", "response_maintenance"):
        return _("holds firm better than it corrects"), _("corrects better than it holds firm")
    return "", ""


def _dots(board: Board, x: str, y: str, *, numbers: bool) -> list[Dot]:
    found = []
    for number, each in enumerate(board.standings, start=1):
        across, up = each.values[x], each.values[y]
        if across is not None and up is not None:
            name = str(number) if numbers else each.author
            found.append(Dot(name, 100 * across, 100 * up, _hundred(each, x), _hundred(each, y)))
    return found


def _hundred(standing: Standing, column: str) -> tuple[float, float] | None:
    bounds = standing.intervals.get(column)
    return None if bounds is None else (100 * bounds[0], 100 * bounds[1])


def _bars(board: Board) -> tuple[SafeString, SafeString]:
    """Overall averages for wide and for narrow screens."""
    label, found = _("Overall averages with their 95 %% intervals") % (), [_bar(each) for each in board.standings]
    return interval_bars(found, label=label), interval_bars(found, label=label, wide=PHONE)


def _bar(standing: Standing) -> Bar:
    value, bounds = standing.values["overall"], _hundred(standing, "overall")
    low, high = bounds or (None, None)
    return Bar(standing.author, None if value is None else 100 * value, low, high, thin=standing.n < FEW)
