"""Navigation between the pages of judging. No queries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotate.models import Member, Project
from judging.access import answered, judged
from judging.boards.registry import boards

register = template.Library()


@dataclass(frozen=True)
class Page:
    """One entry. order: ascending. name: of its URL. of: the projects that link to it; aside: it is under "More".

    names_authors: it names the authors of answers, which voters on those answers must not see.
    """

    order: int
    name: str
    title: str | Promise
    of: Callable[[Project], bool]
    aside: bool = False
    for_leads: bool = False
    names_authors: bool = False


@dataclass(frozen=True)
class Way:
    """row: the visible entries; more: the entries that unfold. The open page is always in the row."""

    row: Sequence[Page]
    more: Sequence[Page]


# Pages that are no boards: they list what the numbers are made of.
OTHERS = (
    Page(90, "answers", _("Answers"), judged, names_authors=True),
    Page(100, "judges", _("Judges"), judged, names_authors=True),
    Page(180, "studies", _("Vote studies"), answered, aside=True, for_leads=True),
)


@cache
def pages() -> Sequence[Page]:
    """The boards that have a place, and the other pages."""
    placed = [(board, board.place) for board in boards().values() if board.place]
    board_pages = [
        Page(
            place.order,
            board.slug,
            board.name,
            place.led_to or board.suits,
            place.aside,
            place.for_leads,
            board.names_authors,
        )
        for board, place in placed
    ]
    return sorted([*board_pages, *OTHERS], key=lambda page: page.order)


@register.simple_tag
def way_of_judging(project: Project, membership: Member, open_page: str) -> Way:
    """The entries. open_page: the name of the current page, or of the one that it belongs to."""
    votes = project.kind.voted and membership.annotates
    hidden = [page for page in pages() if page.for_leads or (votes and page.names_authors)]
    led_to = [page for page in pages() if page.of(project) and (membership.leads or page not in hidden)]
    row = [page for page in pages() if page.name == open_page or (page in led_to and not page.aside)]
    return Way(row, [page for page in led_to if page not in row])
