from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotate.models import Run
from annotate.services import runs as engine
from annotate.services.errors import Refused, WrongState
from annotate.services.runs.jobs import jobs_about
from annotate.services.runs.passing import in_words
from annotate.views.access import LEADS, membership, person
from annotate.views.pages import project_page
from annotate.views.runs.acting import too_late
from annotate.views.runs.runs import run_of


@login_required
def run_reread(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Reads the stored replies again, without a call, and says what came out differently.

    A worker goes on with a large run; the page then looks again by itself until it is through.
    """
    lead = membership(request, slug, LEADS)
    run = run_of(lead, pk)
    if request.method == "POST":
        try:
            engine.reread(run, person(request))
        except (WrongState, Refused) as late:
            return too_late(request, run, late)
        return redirect("run_reread", slug, pk)
    context = told(run)
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "runs/_reread.html", {"project": lead.project, "membership": lead} | context)
    return project_page(request, lead, "runs/reread.html", context, tab="runs")


def told(run: Run) -> dict[str, Any]:
    """How far the newest reading is; `reread` is None where there never was one. may: whether one may begin now."""
    reread = engine.last_reread(run)
    over = reread is None or reread.over
    return {
        "run": run,
        "reread": reread,
        "why": in_words(reread.detail) if reread else "",
        "jobs": jobs_about(run, reread.items) if reread and over else [],
        "may": over and run.state in (Run.State.PAUSED, Run.State.FINISHED, Run.State.CANCELLED),
    }
