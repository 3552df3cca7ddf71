"""What a board answers while a worker computes its figures: the progress, the last figures, and a way to stop."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from annotate.models import Member
from annotate.upkeep import diagnosis
from annotate.web.access import membership, project_page
from judging import results
from judging.boards import computations
from judging.boards.board import Board, boards
from judging.models import BoardComputation
from judging.patience import Slow, is_limited, waiting

AnyBoard = Board[Any, Any]
RETRY = 2  # seconds after which a program or a page asks again
FILES = (".json", ".csv")


def in_time(
    view: Callable[[], HttpResponseBase], request: HttpRequest, member: Member, board: AnyBoard
) -> HttpResponseBase:
    """The answer of the view; or, if that would take more than about two seconds, that a worker computes it."""
    if is_limited() or request.method not in ("GET", "HEAD"):
        return view()
    with waiting(member.project) as patience, suppress(Slow):
        answer = view()
        if not patience.missed:
            return answer
    options = board.Options.parse(request.GET, member.project).address if board.Options else request.GET.urlencode()
    computation = computations.ask(
        member.project,
        board.slug,
        options,
        address=request.get_full_path(),
        missing=patience.missed,
        by=member.user,
    )
    return _meanwhile(view, request, member, board, computation)


def _meanwhile(
    view: Callable[[], HttpResponseBase],
    request: HttpRequest,
    member: Member,
    board: AnyBoard,
    computation: BoardComputation,
) -> HttpResponseBase:
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx
        return HttpResponse(headers={"HX-Refresh": "true"})
    if request.path.endswith(FILES):
        return _accepted(computation, status=202)
    older = _with_older_figures(view, request, board, computation)
    if older is not None:
        return older
    context = {"board": board, **_context(computation)}
    answer = project_page(request, member, "boards/computing.html", context, tab=board.slug, status=202)
    return _to_be_asked_again(answer)


def _with_older_figures(
    view: Callable[[], HttpResponseBase], request: HttpRequest, board: AnyBoard, computation: BoardComputation
) -> HttpResponseBase | None:
    """The page of the board with its last figures, marked as old; None if there are none to show."""
    if not computation.results or request.path != reverse(board.slug, args=[computation.project.slug]):
        return None
    try:
        request.computing = _context(computation)  # type: ignore[attr-defined]  # base.html shows it
        with results.older(computation.results):
            return view()
    except Exception:  # old figures may not fit a page about new data, and are a courtesy only
        del request.computing  # type: ignore[attr-defined]
        return None


def _context(computation: BoardComputation) -> dict[str, Any]:
    silent = diagnosis.seconds_since_beat()
    return {
        "computation": computation,
        "no_worker": silent is None or silent > diagnosis.SILENT_AFTER,
    }


def _accepted(computation: BoardComputation, *, status: int) -> HttpResponse:
    """What programs read: the state, the progress, and where to ask again."""
    slug = computation.project.slug
    value = {
        "state": computation.state,
        "phase": computation.phase,
        "done": computation.done,
        "total": computation.total or None,
        "computation": reverse("board_computation_json", args=[slug, computation.pk]),
        "address": computation.address,
    }
    return _to_be_asked_again(JsonResponse(value, status=status))


def _to_be_asked_again(answer: HttpResponse) -> HttpResponse:
    answer["Retry-After"] = str(RETRY)
    return answer


# The addresses of a computation. Whoever may see the board may follow, stop and restart it.


def _computation(request: HttpRequest, slug: str, pk: int) -> tuple[Member, BoardComputation]:
    """Of this project, for a member whom its board admits; else 404 or 403."""
    project = membership(request, slug).project
    computation = get_object_or_404(BoardComputation.objects.select_related("project"), project=project, pk=pk)
    board = boards().get(computation.board)
    if board is None:
        raise Http404
    return board.member(request, slug), computation


@require_safe
@login_required
def board_computation(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The progress, for htmx; the page itself once it is ready, and for a browser without scripts."""
    member, computation = _computation(request, slug, pk)
    if not request.htmx:  # type: ignore[attr-defined]  # set by django-htmx
        return redirect(computation.address)
    if computation.state == BoardComputation.State.DONE:
        return HttpResponse(headers={"HX-Refresh": "true"})
    context = {"project": member.project, "membership": member, **_context(computation)}
    return render(request, "boards/_computing.html", context)


@require_safe
@login_required
def board_computation_json(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    _member, computation = _computation(request, slug, pk)
    return _accepted(computation, status=200)


@require_POST
@login_required
def board_computation_stop(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    _member, computation = _computation(request, slug, pk)
    computations.stop(computation)
    return redirect(computation.address)


@require_POST
@login_required
def board_computation_again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member, computation = _computation(request, slug, pk)
    computations.again(computation, by=member.user)
    return redirect(computation.address)
