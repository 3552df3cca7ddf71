"""What a lead does with a run. Each step is conditional: whoever is late is told so (409)."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from annotate.models import Member, Run, User
from annotate.services import runs as engine
from annotate.services.endpoints import refuse_unless_callable
from annotate.services.errors import Refused, WrongState
from annotate.services.runs.jobs import jobs_about
from annotate.views.access import LEADS, membership, person
from annotate.views.pages import project_page
from annotate.views.runs.forms import BudgetForm
from annotate.views.runs.runs import run_of

Act = Callable[[Run, User], str]


@require_POST
@login_required
def run_start(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _act(request, slug, pk, _start)


@require_POST
@login_required
def run_pause(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _act(request, slug, pk, _pause)


@require_POST
@login_required
def run_resume(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _act(request, slug, pk, _resume)


@require_POST
@login_required
def run_retry(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _act(request, slug, pk, _retry)


@login_required
def run_cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Asks first: what is cancelled is not taken up again."""
    if request.method == "POST":
        return _act(request, slug, pk, _cancel)
    lead = membership(request, slug, LEADS)
    return project_page(request, lead, "runs/cancel.html", {"run": run_of(lead, pk)}, tab="runs")


@login_required
def run_budget(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Lets a run spend more."""
    lead = membership(request, slug, LEADS)
    found = run_of(lead, pk)
    form = BudgetForm(request.POST if request.method == "POST" else None, run=found)
    if not form.is_valid():
        context = {"run": found, "form": form}
        status = 422 if form.is_bound else 200
        return project_page(request, lead, "runs/budget.html", context, tab="runs", status=status)

    def raise_it(run: Run, by: User) -> str:
        engine.raise_budget(run, form.cleaned_data["budget"], by)
        return _("The budget is raised. Jobs that failed for want of it can be retried.")

    return _done(request, lead, found, raise_it)


@login_required
def run_reread(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Reads the stored replies again, without a call, and says what came out differently."""
    lead = membership(request, slug, LEADS)
    found = run_of(lead, pk)
    if request.method != "POST":
        return project_page(request, lead, "runs/reread.html", {"run": found}, tab="runs")
    try:
        reread = engine.reread(found, person(request))
    except (WrongState, Refused) as late:
        return too_late(request, found, late)
    jobs = jobs_about(found, reread.items)
    return project_page(request, lead, "runs/reread.html", {"run": found, "reread": reread, "jobs": jobs}, tab="runs")


def _act(request: HttpRequest, slug: str, pk: int, act: Act) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    return _done(request, lead, run_of(lead, pk), act)


def _done(request: HttpRequest, lead: Member, run: Run, act: Act) -> HttpResponse:
    try:
        said = act(run, person(request))
    except (WrongState, Refused) as late:
        return too_late(request, run, late)
    messages.success(request, said)
    return redirect("run", lead.project.slug, run.pk)


def too_late(request: HttpRequest, run: Run, late: Exception) -> HttpResponse:
    """What was refused says why itself; after a lost race the state that the run is in now says it."""
    run.refresh_from_db(fields=["state"])
    now = _("The run is in the state “%(state)s” by now, in which this is not possible.")
    reason = str(late) if isinstance(late, Refused) else now % {"state": run.get_state_display()}
    context = {"reason": reason, "again": reverse("run", args=[run.project.slug, run.pk])}
    return render(request, "409.html", context, status=409)


def _start(run: Run, by: User) -> str:
    refuse_unless_callable(run.endpoint)
    engine.start(run, by)
    return _("Started.")


def _pause(run: Run, by: User) -> str:
    engine.pause(run, by)
    return _("Paused. What is in flight is finished; nothing new is sent.")


def _resume(run: Run, by: User) -> str:
    refuse_unless_callable(run.endpoint)
    engine.resume(run, by)
    return _("It goes on where it was.")


def _cancel(run: Run, by: User) -> str:
    engine.cancel(run, by)
    return _("Cancelled. What was done is kept.")


def _retry(run: Run, by: User) -> str:
    refuse_unless_callable(run.endpoint)
    count = engine.retry_failed(run, by)
    return ngettext("%(n)d failed job is taken up again.", "%(n)d failed jobs are taken up again.", count) % {
        "n": count
    }
