from collections.abc import Callable, Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotate.models import Member
from annotate.views.pages import project_page
from judging.services.beginning import begun
from judging.services.boards import Reading, readings
from judging.views.answers.access import judging_member
from judging.views.leaderboard import comparing
from judging.views.leaderboard.asked import Asked, asked
from judging.views.leaderboard.groups import groups
from judging.views.leaderboard.standings import standings

Part = Callable[[Reading, Asked], dict[str, Any]]
# Parts of the page that can be asked for alone: the id of the element -> its template, what it shows.
PARTS: Mapping[str, tuple[str, Part]] = {
    "standings": ("leaderboard/_standings.html", standings),
    "groups": ("leaderboard/_groups.html", groups),
    "pair": ("leaderboard/_pair.html", comparing.pair),
}


@require_safe
@login_required
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """The page, or with htmx the part of it that is to be replaced."""
    member = judging_member(request, slug)
    query = asked(request, member.project)
    if query.judge is None:
        context = {"asked": query, "begun": begun(member.project)}
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
    context |= comparing.beside([reading, *other_readings])
    return project_page(request, member, "leaderboard/leaderboard.html", context, tab="judging")


def _items_address(member: Member, query: Asked) -> str:
    assert query.judge is not None
    return f"{reverse('leaderboard_items', args=[member.project.slug])}?judge={query.judge.pk}"
