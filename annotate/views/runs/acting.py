"""What a lead does with a run. Each step is conditional: whoever is late is told so (409)."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from annotate.kinds.causes import Cause
from annotate.models import Member, Run
from annotate.services import runs as engine
from annotate.services.endpoints import refuse_unless_callable
from annotate.services.errors import Refused, WrongState
from annotate.views.access import LEADS, membership, person
from annotate.views.pages import project_page
from annotate.views.runs.forms import BudgetForm
from annotate.views.runs.runs import run_of

Act = Callable[[HttpRequest, Run], str]


def acting(act: Act) -> Callable[..., HttpResponse]:
    """A view of `act`, which changes a run and returns what to tell the lead; then back to the page of the run."""

    @wraps(act)
    def view(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
        lead = membership(request, slug, LEADS)
        return _done(request, lead, run_of(lead, pk), act)

    return require_POST(login_required(view))


@acting
def run_start(request: HttpRequest, run: Run) -> str:
    refuse_unless_callable(run.endpoint)
    engine.start(run, person(request))
    return _("Started.")


@acting
def run_pause(request: HttpRequest, run: Run) -> str:
    engine.pause(run, person(request))
    return _("Paused. What is in flight is finished; nothing new is sent.")


@acting
def run_resume(request: HttpRequest, run: Run) -> str:
    refuse_unless_callable(run.endpoint)
    engine.resume(run, person(request))
    return _("It goes on where it was.")


@acting
def run_retry(request: HttpRequest, run: Run) -> str:
    """All that failed, or with `cause` those that failed for it."""
    cause = request.POST.get("cause") or None
    if cause is not None and cause not in Cause.values:
        raise Http404
    refuse_unless_callable(run.endpoint)
    count = engine.retry_failed(run, person(request), cause)
    if not count:
        return _("None of them was failed any more, so nothing is taken up again.")
    message = ngettext("%(n)d failed job is taken up again.", "%(n)d failed jobs are taken up again.", count)
    return message % {"n": count}


@login_required
def run_cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Asks first: what is cancelled is not taken up again."""
    lead = membership(request, slug, LEADS)
    stored_run = run_of(lead, pk)
    if request.method != "POST":
        return project_page(request, lead, "runs/cancel.html", {"run": stored_run}, tab="runs")

    def end_it(request: HttpRequest, run: Run) -> str:
        engine.cancel(run, person(request))
        return _("Cancelled. What was done is kept.")

    return _done(request, lead, stored_run, end_it)


@login_required
def run_budget(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Lets a run spend more."""
    lead = membership(request, slug, LEADS)
    stored_run = run_of(lead, pk)
    form = BudgetForm(request.POST if request.method == "POST" else None, run=stored_run)
    if not form.is_valid():
        context = {"run": stored_run, "form": form}
        status = 422 if form.is_bound else 200
        return project_page(request, lead, "runs/budget.html", context, tab="runs", status=status)

    def raise_it(request: HttpRequest, run: Run) -> str:
        engine.raise_budget(run, form.cleaned_data["budget"], person(request))
        return _("The budget is raised. A run that paused for want of it can be resumed.")

    return _done(request, lead, stored_run, raise_it)


def _done(request: HttpRequest, lead: Member, run: Run, act: Act) -> HttpResponse:
    try:
        message = act(request, run)
    except (WrongState, Refused) as late:
        return too_late(request, run, late)
    messages.success(request, message)
    return redirect("run", lead.project.slug, run.pk)


def too_late(request: HttpRequest, run: Run, late: Exception) -> HttpResponse:
    """What was refused says why itself; after a lost race the state that the run is in now says it."""
    run.refresh_from_db(fields=["state"])
    now = _("The run is in the state “%(state)s” by now, in which this is not possible.")
    reason = str(late) if isinstance(late, Refused) else now % {"state": run.get_state_display()}
    context = {"reason": reason, "again": reverse("run", args=[run.project.slug, run.pk])}
    return render(request, "409.html", context, status=409)
