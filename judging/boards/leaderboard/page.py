"""The page of the leaderboard: two authors compared, several judges compared, and its numbers as files."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotate.formats.csv_table import csv_line
from annotate.models import Member
from annotate.web.access import project_page
from judging.access import judging_member
from judging.answers.cases import board_basics
from judging.boards.address import LeaderboardQuery, parse_leaderboard_query
from judging.boards.leaderboard.charts import groups, standings
from judging.boards.leaderboard.report import group_row, marks, standing_row
from judging.ratings.leaderboards import (
    DIVISIONS,
    AuthorStanding,
    Board,
    JudgeCorrelation,
    JudgeReading,
    difference,
    readings,
    side_by_side,
)
from lib.stats.bootstrap import MeanDifference


def pair(reading: JudgeReading, query: LeaderboardQuery) -> dict[str, Any]:
    """The two chosen authors, else the two best; empty if there are fewer than two."""
    board = reading.board
    names = [standing.author for standing in board.standings]
    first = query.first if query.first in names else next(iter(names), "")
    second = query.second if query.second in names else next((name for name in names if name != first), "")
    differences = difference(board, first, second) if first and second and first != second else []
    return {
        "first": first,
        "second": second,
        "differences": [(column_difference, _leads(column_difference)) for column_difference in differences],
        "names": names,
    }


def _leads(column_difference: MeanDifference) -> str:
    """Who is certainly ahead: `first`, `second`, or "" if the interval contains zero or there is none."""
    if column_difference.low is None or column_difference.high is None:
        return ""
    return "first" if column_difference.low > 0 else "second" if column_difference.high < 0 else ""


@dataclass(frozen=True)
class AuthorAcrossJudges:
    """An author under every compared judge: None if a judge has not judged them."""

    author: str
    standings: list[AuthorStanding | None]


def compare_judges(readings: list[JudgeReading]) -> dict[str, Any]:
    """Only authors judged by every compared judge; `missing` counts the others."""
    boards = [reading.board for reading in readings]
    by_author = [{standing.author: standing for standing in board.standings} for board in boards]
    everybody = list(dict.fromkeys(author for standing_by_author in by_author for author in standing_by_author))
    common = [author for author in everybody if all(author in standing_by_author for standing_by_author in by_author)]
    return {
        "boards": boards,
        "judge_columns": boards[0].columns if boards else [],
        "beside_rows": [
            AuthorAcrossJudges(author, [standing_by_author.get(author) for standing_by_author in by_author])
            for author in common
        ],
        "missing": len(everybody) - len(common),
        "agreements": _agreements(boards),
    }


def _agreements(boards: list[Board]) -> list[JudgeCorrelation]:
    return side_by_side(boards)


Part = Callable[[JudgeReading, LeaderboardQuery], dict[str, Any]]
# Fragments that can be requested alone: id of the element -> its template and its context.
PARTS: Mapping[str, tuple[str, Part]] = {
    "standings": ("leaderboard/_standings.html", standings),
    "groups": ("leaderboard/_groups.html", groups),
    "pair": ("leaderboard/_pair.html", pair),
}


@require_safe
@login_required
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """The page, or for htmx the fragment to replace."""
    member = judging_member(request, slug)
    query = parse_leaderboard_query(request, member.project)
    if query.judge is None:
        context = {"asked": query, "begun": board_basics(member.project)}
        return project_page(request, member, "leaderboard/empty.html", context, tab="judging")
    compared = [query.judge, *(judge for judge in query.beside if judge != query.judge)]
    reading, *other_readings = readings(member.project, compared)
    context = {"asked": query, "items_address": _items_address(member, query)}
    target = str(request.htmx.target) if request.htmx else ""  # type: ignore[attr-defined]  # set by django-htmx
    if target in PARTS:
        template, part = PARTS[target]
        frame = {"project": member.project, "membership": member}
        return render(request, template, frame | context | part(reading, query))
    for _template, part in PARTS.values():
        context |= part(reading, query)
    context |= compare_judges([reading, *other_readings])
    return project_page(request, member, "leaderboard/leaderboard.html", context, tab="judging")


def _items_address(member: Member, query: LeaderboardQuery) -> str:
    assert query.judge is not None
    return f"{reverse('leaderboard_items', args=[member.project.slug])}?judge={query.judge.pk}"


# Files: the numbers of the page, 0..100 with two decimals; the JSON equals the output of the command `report`.


Row = dict[str, Any]


@require_safe
@login_required
def leaderboard_json(request: HttpRequest, slug: str) -> HttpResponse:
    rows, name = _rows_of_query(request, slug)
    response = JsonResponse({"rows": rows}, json_dumps_params={"ensure_ascii": False, "allow_nan": False})
    return _as_file(response, f"{name}.json")


@require_safe
@login_required
def leaderboard_csv(request: HttpRequest, slug: str) -> HttpResponse:
    rows, name = _rows_of_query(request, slug)
    # Spreadsheets recognise UTF-8 by this byte order mark.
    response = HttpResponse("\ufeff" + "".join(_lines(rows)), content_type="text/csv; charset=utf-8")
    return _as_file(response, f"{name}.csv")


def _as_file(answer: HttpResponse, name: str) -> HttpResponse:
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _rows_of_query(request: HttpRequest, slug: str) -> tuple[list[Row], str]:
    """All authors, or with ?by= every group of that division; empty if nobody has judged. And the file's name."""
    member = judging_member(request, slug)
    query = parse_leaderboard_query(request, member.project)
    by = request.GET.get("by", "")
    if by and by not in DIVISIONS:
        raise Http404
    judge_readings = readings(member.project, [query.judge]) if query.judge else []
    return [row for reading in judge_readings for row in _rows(reading, by)], "-".join(
        filter(None, [slug, "leaderboard", by])
    )


def _rows(reading: JudgeReading, by: str) -> Iterator[Row]:
    if by:
        yield from (group_row(group_value) | marks(reading.judge) for group_value in reading.breakdown(by))
    else:
        yield from (standing_row(standing) | marks(reading.judge) for standing in reading.board.standings)


def _lines(rows: list[Row]) -> Iterator[str]:
    flat = [_flat(row) for row in rows]
    yield from map(csv_line, flat[:1])  # the names of the columns
    yield from (csv_line(row.values()) for row in flat)


def _flat(row: Row) -> Row:
    """A row with both ends of an interval in cells of their own; keys that only some rows have are left out."""
    cells = {name: value for name, value in row.items() if name not in ("interval", "note")}
    for column, bounds in row.get("interval", {}).items():
        low, high = bounds or (None, None)
        cells |= {f"{column}_low": low, f"{column}_high": high}
    return cells
