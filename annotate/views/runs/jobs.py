from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from annotate.kinds.causes import Cause
from annotate.models import Job
from annotate.services.runs.jobs import jobs_page, ledger
from annotate.views.access import LEADS, membership
from annotate.views.pages import project_page
from annotate.views.runs.calls import shown
from annotate.views.runs.runs import place, run_of


@login_required
def run_jobs(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A run's jobs, of one state or one cause or all."""
    lead = membership(request, slug, LEADS)
    run = run_of(lead, pk)
    cause, state = _known(request, "cause", Cause.values), _known(request, "state", Job.State.values)
    page = jobs_page(run, state=state, cause=cause, after=place(request, "after"), before=place(request, "before"))
    context = {"run": run, "page": page, "state": state, "cause": cause, "states": Job.State.choices}
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": lead.project, "membership": lead}
        return render(request, "runs/_jobs.html", frame | context)
    return project_page(request, lead, "runs/jobs.html", context, tab="runs")


def _known(request: HttpRequest, name: str, values: list[str]) -> str:
    choice = request.GET.get(name, "")
    return choice if choice in values else ""


@login_required
def job(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One job with its ledger: every request and every reply, as they were."""
    lead = membership(request, slug, LEADS)
    stored_job = (
        Job.objects.filter(pk=pk, run__project=lead.project)
        .select_related("run__endpoint", "item")
        .defer("item__facts")
        .first()
    )
    if stored_job is None:
        raise Http404
    job_ledger = ledger(stored_job)
    context = {
        "job": stored_job,
        "run": stored_job.run,
        "calls": [shown(call) for call in job_ledger.calls],
        "more": job_ledger.more,
    }
    return project_page(request, lead, "runs/job.html", context, tab="runs")
