"""The page of all boards of a project: those that have data first, then the others with what they need."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotate.models import Member
from annotate.web.access import READERS, membership, project_page
from judging.access import is_sealed
from judging.boards.navigation import RESULTS, is_led_to, place_of, placed_boards, reads_results
from judging.boards.needs import Need, met_in
from judging.boards.waiting import AnyBoard


@dataclass(frozen=True)
class BoardEntry:
    """asks: the question that it answers. needs: what it lacks, each with the links to where it is made; empty for a
    board with data."""

    board: AnyBoard
    asks: str | Promise
    needs: Sequence[tuple[str | Promise, Sequence[tuple[str | Promise, str]]]]


@require_safe
@login_required
def all_results(request: HttpRequest, slug: str) -> HttpResponse:
    member = membership(request, slug, READERS)
    if not reads_results(member):
        raise PermissionDenied(_("Votes here are blind: results are shown to leads and viewers."))
    boards = [board for board in placed_boards() if is_led_to(board, member)]
    sealed = is_sealed(member)
    open_boards = [board for board in boards if not (sealed and board.shows_agreement)]
    met = met_in(member.project, (need for board in open_boards for need in place_of(board).needs))
    entries = [_entry(board, met, member) for board in open_boards]
    context = {
        "ready": [entry for entry in entries if not entry.needs],
        "lacking": [entry for entry in entries if entry.needs],
        "sealed": [board for board in boards if board not in open_boards],
    }
    return project_page(request, member, "judging/results.html", context, tab=RESULTS)


def _entry(board: AnyBoard, met: set[Need], member: Member) -> BoardEntry:
    """Only leads are shown links: what is missing is made on their pages."""
    place = place_of(board)
    missing = [need for need in place.needs if need not in met]
    links = {need: need.remedies_in(member.project) if member.leads else [] for need in missing}
    return BoardEntry(board, place.asks, [(need.missing, links[need]) for need in missing])
