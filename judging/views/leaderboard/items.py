import re

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate.views.pages import project_page
from judging.services import scored_items
from judging.services.boards import Reading, readings
from judging.services.scored_items import COUNTED, LEFT_OUT, Behind, Place, Wanted
from judging.views.answers.access import judging_member
from judging.views.leaderboard.asked import asked

PLACE = re.compile(r"(\d{1,18})-(\d{1,18})-(\d{1,18})", re.ASCII)


@require_safe
@login_required
def leaderboard_items(request: HttpRequest, slug: str) -> HttpResponse:
    """The answers behind one number, page by page."""
    member = judging_member(request, slug)
    query = asked(request, member.project)
    if query.judge is None:
        raise Http404
    (reading,) = readings(member.project, [query.judge])
    selection = _wanted(request)
    after, before = _place(request, "after"), _place(request, "before")
    page = scored_items.page(_found(reading, selection), after=after, before=before)
    context = {"asked": query, "wanted": selection, "page": page, "address": _address(request)}
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": member.project, "membership": member}
        return render(request, "leaderboard/_items.html", frame | context)
    return project_page(request, member, "leaderboard/items.html", context, tab="judging")


def _wanted(request: HttpRequest) -> Wanted:
    which = request.GET.get("which", "")
    parameters = {name: request.GET.get(name, "") for name in ("author", "other", "scenario", "by", "group")}
    return Wanted(**parameters, which=which if which in (*COUNTED, *LEFT_OUT) else "")


def _found(reading: Reading, selection: Wanted) -> list[Behind]:
    if selection.which == "outdated":
        return scored_items.outdated(reading.project, reading.judge, selection)
    rows = reading.scores.rows
    if selection.which == "unjudged":
        return scored_items.unjudged(reading.project, rows, selection)
    return scored_items.counted(rows, selection)


def _place(request: HttpRequest, name: str) -> Place | None:
    match = PLACE.fullmatch(request.GET.get(name, ""))
    return None if match is None else (int(match[1]), int(match[2]), int(match[3]))


def _address(request: HttpRequest) -> str:
    """The query without the place, for the links to other pages."""
    query = request.GET.copy()
    for name in ("after", "before"):
        query.pop(name, None)
    return query.urlencode()
