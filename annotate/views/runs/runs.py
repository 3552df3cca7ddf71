from collections.abc import Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django_htmx.http import HttpResponseClientRefresh, trigger_client_event

from annotate.models import Member, Run
from annotate.purposes import purposes
from annotate.services.endpoints import to_choose_from
from annotate.services.runs.lists import RunRow, runs_page
from annotate.views.access import LEADS, membership
from annotate.views.pages import project_page
from annotate.views.runs import page as pages


@login_required
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    page = runs_page(lead.project, before=place(request, "before"), after=place(request, "after"))
    there_are_endpoints = bool(page.rows) or to_choose_from().exists()
    context = {"page": page, "there_are_endpoints": there_are_endpoints, "comparable": _comparable(page.rows)}
    return project_page(request, lead, "runs/runs.html", context, tab="runs")


def _comparable(rows: Sequence[RunRow]) -> list[tuple[str, list[Run]]]:
    """purpose -> its runs, of those that have two or more: what runs of different purposes leave is not alike."""
    by_purpose: dict[str, list[Run]] = {}
    for row in rows:
        by_purpose.setdefault(row.run.purpose, []).append(row.run)
    return [(purpose, runs) for purpose, runs in by_purpose.items() if len(runs) > 1]


def place(request: HttpRequest, name: str) -> int | None:
    """The id at which an address says that a page begins; None where it says none."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


def run_of(member: Member, pk: int) -> Run:
    """A run of this project, or 404."""
    stored_run = Run.objects.filter(project=member.project, pk=pk).select_related("endpoint", "created_by").first()
    if stored_run is None:
        raise Http404
    stored_run.project = member.project
    return stored_run


@login_required
def run(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Before its start what it would do and cost, then how far it is. With htmx only the part that changes."""
    lead = membership(request, slug, LEADS)
    stored_run = run_of(lead, pk)
    if stored_run.state == Run.State.PLANNED and stored_run.purpose in purposes():
        if request.htmx:  # type: ignore[attr-defined]  # its planning was watched, and this page is another
            return HttpResponseClientRefresh()
        return project_page(request, lead, "runs/plan.html", pages.plan(stored_run), tab="runs")
    context = pages.live(stored_run, seen=request.GET.get("seen", ""))
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": lead.project, "membership": lead}
        return _went_on(render(request, "runs/_live.html", frame | context), context)
    return project_page(request, lead, "runs/run.html", context | pages.described(stored_run), tab="runs")


def _went_on(part: HttpResponse, context: dict[str, Any]) -> HttpResponse:
    """Says so to the rest of the page: its curve is drawn when there is something to draw, and once more at the end."""
    over = context["period"] is None
    return trigger_client_event(part, "run-ended" if over else "run-went-on") if context["progress"].calls else part
