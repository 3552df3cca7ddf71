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
    told = asked(request, member.project)
    said = {name: request.GET.get(name, "") for name in ("author", "other", "outcome")}
    found = [one for one in _inside(request, member.project, told) if _fits(one, **said)]
    start = _place(request.GET.get("start", ""), len(found))
    shown = found[start : start + PAGE]
    items = Item.objects.filter(project=member.project).in_bulk([one.item for one in shown])
    context = {
        "asked": told,
        "said": said,
        "part": request.GET.get("part", "") if told.divide else None,
        "total": len(found),
        "opened": [Opened(items[one.item], one.authors, _winner(one)) for one in shown],
        "before": start - PAGE if start else None,
        "after": start + PAGE if start + PAGE < len(found) else None,
        "address": _address(request),
    }
    return project_page(request, member, "ranking/battles.html", context, tab=tab_of(member))


def _inside(request: HttpRequest, project: Project, told: Asked) -> Sequence[Fight]:
    """Of the part of the items that is asked for, or all."""
    fights = told.side.fights if told.side else ()
    groups = groups_of(project, told.divide)
    if groups is None:
        return fights
    part = request.GET.get("part", "")
    return [one for one in fights if groups[one.item] == part]


def _fits(one: Fight, author: str, other: str, outcome: str) -> bool:
    if author and author not in one.authors:
        return False
    if other and (other not in one.authors or other == author):
        return False
    winner = _winner(one)
    return {"won": winner == author, "lost": winner not in ("", author), "tie": not winner}.get(outcome, True)


def _winner(one: Fight) -> str:
    return "" if one.winner == "tie" else one.authors[WINNERS.index(one.winner)]


def _place(given: str, total: int) -> int:
    """The beginning of a page that is there."""
    number = int(given) if given.isascii() and given.isdecimal() and len(given) <= MOST_DIGITS else 0
    return min(number, max(total - 1, 0)) // PAGE * PAGE


def _address(request: HttpRequest) -> str:
    query = request.GET.copy()
    query.pop("start", None)
    return query.urlencode()
