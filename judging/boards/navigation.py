"""The pages of judging behind the doors of a project, and the page of all boards: those with data, then the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotate.doors.table import DoorPage
from annotate.models import Member
from annotate.web.access import LEADS, READERS, membership, project_page
from judging.access import answered, has_answers, is_sealed, judged
from judging.boards.board import Place, boards
from judging.boards.needs import Need, met_in
from judging.boards.waiting import AnyBoard

RESULTS = "results"  # the name of the page that lists all boards, and of its door


def reads_results(member: Member) -> bool:
    """Not people who vote in a project of votes: results name the authors, or say how far people agree."""
    return member.leads or not (member.project.kind.voted and member.annotates)


def is_led_to(board: AnyBoard, member: Member) -> bool:
    """Whether the board says something about the member's project, and is for the member."""
    place = place_of(board)
    fits = place.led_to or board.suits
    admitted = board.admits is None or board.Options is None or board.admits(board.Options(), member)
    return fits(member.project) and reads_results(member) and admitted and (member.leads or not place.for_leads)


def _shows_answers(member: Member) -> bool:
    return has_answers(member.project) and reads_results(member)


def _shows_judges(member: Member) -> bool:
    return judged(member.project) and reads_results(member)


def _draws_studies(member: Member) -> bool:
    return answered(member.project)


# Pages that are no boards, and boards that stand behind another door.
OTHERS = (
    DoorPage("data", 20, "answers", _("Answers"), READERS, _shows_answers),
    DoorPage("data", 90, "training", _("Training data"), READERS, reads_results),
    DoorPage("models", 30, "judges", _("Judges"), READERS, _shows_judges),
    DoorPage("results", 0, RESULTS, _("All results"), READERS, reads_results),
    DoorPage("results", 180, "studies", _("Vote studies"), LEADS, _draws_studies),
)


def place_of(board: AnyBoard) -> Place:
    assert board.place is not None
    return board.place


def placed_boards() -> Sequence[AnyBoard]:
    """The boards that have a place, in their order."""
    return sorted((board for board in boards().values() if board.place), key=lambda board: place_of(board).order)


def door_pages() -> Sequence[DoorPage]:
    """What the table of doors takes over."""
    return [*OTHERS, *(_page(board) for board in placed_boards())]


def _page(board: AnyBoard) -> DoorPage:
    place = place_of(board)
    return DoorPage("results", place.order, board.slug, board.name, READERS, partial(is_led_to, board), place.aside)


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
        raise PermissionDenied(gettext("Votes here are blind: results are shown to leads and viewers."))
    member_boards = [board for board in placed_boards() if is_led_to(board, member)]
    sealed = is_sealed(member)
    open_boards = [board for board in member_boards if not (sealed and board.shows_agreement)]
    met = met_in(member.project, (need for board in open_boards for need in place_of(board).needs))
    entries = [_entry(board, met, member) for board in open_boards]
    context = {
        "ready": [entry for entry in entries if not entry.needs],
        "lacking": [entry for entry in entries if entry.needs],
        "sealed": [board for board in member_boards if board not in open_boards],
    }
    return project_page(request, member, "judging/results.html", context, tab=RESULTS)


def _entry(board: AnyBoard, met: set[Need], member: Member) -> BoardEntry:
    """Only leads are shown links: what is missing is made on their pages."""
    place = place_of(board)
    missing = [need for need in place.needs if need not in met]
    links = {need: need.remedies_in(member.project) if member.leads else [] for need in missing}
    return BoardEntry(board, place.asks, [(need.missing, links[need]) for need in missing])
