"""The numbers of the page as a file: of a hundred, two decimals; the JSON is what the command `report` prints."""

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from annotate.formats.csv_cells import csv_line
from judging.services.boards import Reading, readings
from judging.services.leaderboard import DIVISIONS
from judging.services.reports.leaderboard import group_row, marks, standing_row
from judging.views.answers.access import judging_member
from judging.views.leaderboard.asked import asked

Row = dict[str, Any]


@require_safe
@login_required
def leaderboard_json(request: HttpRequest, slug: str) -> HttpResponse:
    rows, name = _wanted(request, slug)
    response = JsonResponse({"rows": rows}, json_dumps_params={"ensure_ascii": False, "allow_nan": False})
    return _as_file(response, f"{name}.json")


@require_safe
@login_required
def leaderboard_csv(request: HttpRequest, slug: str) -> HttpResponse:
    rows, name = _wanted(request, slug)
    # The mark at the beginning is how spreadsheets know UTF-8.
    response = HttpResponse("\ufeff" + "".join(_lines(rows)), content_type="text/csv; charset=utf-8")
    return _as_file(response, f"{name}.csv")


def _as_file(answer: HttpResponse, name: str) -> HttpResponse:
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _wanted(request: HttpRequest, slug: str) -> tuple[list[Row], str]:
    """All authors, or with ?by= every group of that division; none where nobody has judged. And what to call it."""
    member = judging_member(request, slug)
    query = asked(request, member.project)
    by = request.GET.get("by", "")
    if by and by not in DIVISIONS:
        raise Http404
    judge_readings = readings(member.project, [query.judge]) if query.judge else []
    return [row for reading in judge_readings for row in _rows(reading, by)], "-".join(
        filter(None, [slug, "leaderboard", by])
    )


def _rows(reading: Reading, by: str) -> Iterator[Row]:
    if by:
        yield from (group_row(group_value) | marks(reading.judge) for group_value in reading.breakdown(by))
    else:
        yield from (standing_row(standing) | marks(reading.judge) for standing in reading.board.standings)


def _lines(rows: list[Row]) -> Iterator[str]:
    flat = [_flat(row) for row in rows]
    yield from map(csv_line, flat[:1])  # the names of the columns
    yield from (csv_line(row.values()) for row in flat)


def _flat(row: Row) -> Row:
    """Both ends of an interval in cells of their own; what only some rows have is left out."""
    cells = {name: value for name, value in row.items() if name not in ("interval", "note")}
    for column, bounds in row.get("interval", {}).items():
        low, high = bounds or (None, None)
        cells |= {f"{column}_low": low, f"{column}_high": high}
    return cells
