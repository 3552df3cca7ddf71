"""The pages of judging behind the doors of a project. No queries."""

from collections.abc import Sequence
from functools import partial

from django.utils.translation import gettext_lazy as _

from annotate.doors.table import DoorPage
from annotate.models import Member
from annotate.web.access import LEADS, READERS
from judging.access import answered, has_answers, judged
from judging.boards.board import Place
from judging.boards.registry import boards
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
