"""The addresses of a board: its page, its files, the items behind its numbers, and its print.

Access, options and numbers are the same for all of them. What would take more than about two seconds is computed by
a worker (judging/boards/waiting.py).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from typing import Any, NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotate.models import Item, Member
from annotate.web.access import project_page
from judging.boards.board import FIGURE_TOOLS, OpenedRow, SubPage
from judging.boards.files import csv_file, json_file
from judging.boards.options import PAGE, address_without, start_of
from judging.boards.printing import PrintedPart, command, excluded_counts, ground
from judging.boards.waiting import AnyBoard, in_time

BoardView = Callable[[HttpRequest, Member, AnyBoard], HttpResponse]


class BoardVisit(NamedTuple):
    """Who asks a board for what."""

    member: Member
    options: Any
    numbers: Any


def board_urls(board: AnyBoard) -> list[URLPattern]:
    """The addresses of what the board has. Their names begin with its slug."""
    return [*frame_urls(board), *(_sub_page_url(board, sub_page) for sub_page in board.sub_pages)]


def frame_urls(board: AnyBoard) -> list[URLPattern]:
    """The addresses that the frame serves; sub-pages are the board's own."""
    if board.Options is None:
        return []
    folder, given = f"p/<slug:slug>/{board.path}/", {"board": board}
    patterns = [
        (board.page or board.body, folder, board_page, board.slug),
        ("json" in board.formats, f"{folder}{board.path}.json", board_json, f"{board.slug}_json"),
        ("csv" in board.formats, f"{folder}{board.path}.csv", board_csv, f"{board.slug}_csv"),
        (board.units, f"{folder}units/", board_units, f"{board.slug}_units"),
        (board.printed or board.body, f"{folder}one-page/", board_print, f"{board.slug}_one_page"),
    ]
    return [path(address, view, given, name=name) for has, address, view, name in patterns if has]


def _sub_page_url(board: AnyBoard, sub_page: SubPage) -> URLPattern:
    @require_http_methods(list(sub_page.methods))
    @login_required
    @wraps(sub_page.view)
    def view(request: HttpRequest, slug: str, **parts: Any) -> HttpResponseBase:
        member = board.member(request, slug, sub_page.roles)
        return in_time(partial(sub_page.view, request, member, **parts), request, member, board)

    return path(f"p/<slug:slug>/{sub_page.address}", view, name=sub_page.name)


def _of_member(view: BoardView) -> Callable[..., HttpResponseBase]:
    """The view for a member whom the board admits."""

    @require_safe
    @login_required
    @wraps(view)
    def admitted(request: HttpRequest, slug: str, board: AnyBoard) -> HttpResponseBase:
        member = board.member(request, slug)
        return in_time(partial(view, request, member, board), request, member, board)

    return admitted


def _visit(request: HttpRequest, member: Member, board: AnyBoard) -> BoardVisit:
    assert board.Options is not None
    options = board.Options.parse(request.GET, member.project)
    if board.admits and not board.admits(options, member):
        raise Http404
    return BoardVisit(member, options, board.numbers_of(member.project, options))


def _visit_of_numbers(request: HttpRequest, member: Member, board: AnyBoard) -> BoardVisit:
    """The same; 404 where there are no numbers yet."""
    visit = _visit(request, member, board)
    if visit.numbers is None:
        raise Http404
    return visit


@_of_member
def board_page(request: HttpRequest, member: Member, board: AnyBoard) -> HttpResponse:
    """The page, or for htmx one of its fragments."""
    _member, options, numbers = _visit(request, member, board)
    context: dict[str, Any] = {"board": board, "options": options, "numbers": numbers, "figures": FIGURE_TOOLS}
    target = str(request.htmx.target) if request.htmx else ""  # type: ignore[attr-defined]  # set by django-htmx
    if target in board.fragments and numbers:
        template, part = board.fragments[target]
        frame = {"project": member.project, "membership": member}
        return render(request, template, frame | context | dict(part(numbers, options)))
    status, template = 200, board.template
    if board.page is not None:
        page = board.page(numbers, options, member)
        context, status, template = context | dict(page.context), page.status, page.template or template
    return project_page(request, member, template, context, tab=board.slug, status=status)


@_of_member
def board_json(request: HttpRequest, member: Member, board: AnyBoard) -> HttpResponse:
    visit = _visit_of_numbers(request, member, board)
    return json_file(board.json_of(visit.numbers, visit.options), _file_name(member.project.slug, board, visit.options))


@_of_member
def board_csv(request: HttpRequest, member: Member, board: AnyBoard) -> HttpResponse:
    visit = _visit_of_numbers(request, member, board)
    rows = board.rows_of(visit.numbers, visit.options, visit.member)
    return csv_file(rows, _file_name(member.project.slug, board, visit.options), board.columns)


def _file_name(slug: str, board: AnyBoard, options: Any) -> str:
    return f"{slug}-{board.file_name(options) if board.file_name else board.path}"


@_of_member
def board_units(request: HttpRequest, member: Member, board: AnyBoard) -> HttpResponse:
    """The items behind one number: ?of= its key, ?start= where the page begins; the options as on the board."""
    _member, options, numbers = _visit_of_numbers(request, member, board)
    assert board.units is not None
    rows = board.units(numbers, request.GET.get("of", ""))
    if rows is None:
        raise Http404
    start = start_of(request)
    shown_rows = rows[start : start + PAGE]
    items = Item.objects.defer("facts").filter(project=member.project).in_bulk({row.item for row in shown_rows})
    context = {
        "board": board,
        "options": options,
        "rows": _rows_with_items(shown_rows, items),
        "headings": list(dict.fromkeys(name for row in shown_rows for name in row.cells)),
        "total": len(rows),
        "before": start - PAGE if start else None,
        "after": start + PAGE if start + PAGE < len(rows) else None,
        "address": address_without(request, "start"),
    }
    return project_page(request, member, "boards/units.html", context, tab=board.slug)


def _rows_with_items(rows: Sequence[OpenedRow], items: Mapping[int, Item]) -> list[tuple[Item, list[Any]]]:
    return [(items[row.item], list(row.cells.values())) for row in rows if row.item in items]


@_of_member
def board_print(request: HttpRequest, member: Member, board: AnyBoard) -> HttpResponse:
    """One page to print: the figures with the same query string, and what they are based on."""
    _member, options, numbers = _visit_of_numbers(request, member, board)
    part = board.printed(numbers, options, member) if board.printed else _printed(board, numbers, options, member)
    stands_on = ground(member.project, part.judges)
    context: dict[str, Any] = {
        "project": member.project,
        "membership": member,
        "live_page": board.slug,
        "title": part.title or board.name,
        "template": part.template or board.body,
        "shown": part,
        "ground": stands_on,
        "recount": part.recounted(stands_on) if part.recounted else None,
        "command": command(member.project, board.slug, part),
        "made_at": timezone.now(),
        "address": request.GET.urlencode(),
    }
    return render(request, "one_page/one_page.html", context | dict(part.context))


def _printed(board: AnyBoard, numbers: Any, options: Any, member: Member) -> PrintedPart:
    """The body of the board; numbers may say `n`, `left_out` (reason -> count), `draws` and `seed`."""
    judge = getattr(options, "judge", None)
    context = {"options": options, "numbers": numbers, "is_printed": True}
    return PrintedPart(
        context=context | (dict(board.page(numbers, options, member).context) if board.page else {}),
        judges=[judge] if judge else [],
        n=getattr(numbers, "n", 0),
        excluded=excluded_counts(getattr(numbers, "left_out", {})),
        formula=board.formula,
        draws=getattr(numbers, "draws", 0),
        seed=getattr(numbers, "seed", 0),
        options={"judge": str(judge)} if judge else {},
        words=[(name, word) for name, word in options.parameters if name != "judge"],
    )
