from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotate.models import Item, Project
from annotate.views.pages import project_page
from judging.services.rankings.fights import Fight
from judging.services.ratings.orders import groups_of
from judging.views.agreement.access import agreement_member
from judging.views.agreement.page import tab_of
from judging.views.ranking.asked import Asked, asked

PAGE = 50
WINNERS = ("left", "right", "tie")
MOST_DIGITS = 9


@dataclass(frozen=True)
class Opened:
    """One battle as the page shows it. winner: an author, "" for a tie."""

    item: Item
    authors: tuple[str, str]
    winner: str


@require_safe
@login_required
def ranking_battles(request: HttpRequest, slug: str) -> HttpResponse:
    """The battles behind a number: of ?author=, against ?other=, with ?outcome= won, lost or tie, in the ?part= that
    ?divide= makes, from ?start=."""
    member = agreement_member(request, slug)
    query = asked(request, member.project)
    filters = {name: request.GET.get(name, "") for name in ("author", "other", "outcome")}
    fights = [fight for fight in _inside(request, member.project, query) if _fits(fight, **filters)]
    start = _place(request.GET.get("start", ""), len(fights))
    page_fights = fights[start : start + PAGE]
    items = Item.objects.filter(project=member.project).in_bulk([fight.item for fight in page_fights])
    context = {
        "asked": query,
        "said": filters,
        "part": request.GET.get("part", "") if query.divide else None,
        "total": len(fights),
        "opened": [Opened(items[fight.item], fight.authors, _winner(fight)) for fight in page_fights],
        "before": start - PAGE if start else None,
        "after": start + PAGE if start + PAGE < len(fights) else None,
        "address": _address(request),
    }
    return project_page(request, member, "ranking/battles.html", context, tab=tab_of(member))


def _inside(request: HttpRequest, project: Project, query: Asked) -> Sequence[Fight]:
    """Of the part of the items that is asked for, or all."""
    fights = query.side.fights if query.side else ()
    groups = groups_of(project, query.divide)
    if groups is None:
        return fights
    part = request.GET.get("part", "")
    return [fight for fight in fights if groups[fight.item] == part]


def _fits(fight: Fight, author: str, other: str, outcome: str) -> bool:
    if author and author not in fight.authors:
        return False
    if other and (other not in fight.authors or other == author):
        return False
    winner = _winner(fight)
    return {"won": winner == author, "lost": winner not in ("", author), "tie": not winner}.get(outcome, True)


def _winner(fight: Fight) -> str:
    return "" if fight.winner == "tie" else fight.authors[WINNERS.index(fight.winner)]


def _place(start_text: str, total: int) -> int:
    """The beginning of a page that is there."""
    number = (
        int(start_text) if start_text.isascii() and start_text.isdecimal() and len(start_text) <= MOST_DIGITS else 0
    )
    return min(number, max(total - 1, 0)) // PAGE * PAGE


def _address(request: HttpRequest) -> str:
    query = request.GET.copy()
    query.pop("start", None)
    return query.urlencode()
