"""Pages for a lead's actions on a run. Each action is a conditional update: the loser of a race gets 409."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import MultipleChoiceField
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST
from pydantic import BaseModel

from annotate.engine.endpoints import only_simulated, refuse_unless_callable, to_choose_from
from annotate.engine.purposes import Following, Purpose, purposes
from annotate.errors import Refused, WrongState
from annotate.items.forms import ItemFilterForm
from annotate.items.member_fields import few_members
from annotate.kinds.protocol import Cause
from annotate.models import Member, Run
from annotate.runs import actions as engine
from annotate.runs import reparse
from annotate.runs.actions import in_words
from annotate.runs.forms import PREFIX, BudgetForm, PlanForm
from annotate.runs.item_selection import stored
from annotate.runs.pages import run_of
from annotate.runs.plan import plan_run
from annotate.runs.queries import jobs_about
from annotate.runs.reparse import last_reread
from annotate.web.access import LEADS, membership, person, project_page


@login_required
def run_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose the purpose, then the items, the endpoint and the limits; planning sends nothing."""
    lead = membership(request, slug, LEADS)
    query = request.POST if request.method == "POST" else request.GET
    offered = _purposes_offered(lead)
    purpose = offered.get(query.get("run-purpose", ""))
    if purpose is None and len(offered) == 1:
        (purpose,) = offered.values()
    if purpose is None or not to_choose_from().exists():
        context = {"offered": offered.values(), "chosen": purpose, "carried": query.urlencode()}
        return project_page(request, lead, "runs/choose.html", context, tab="runs", status=_status(request))
    settled = _settled(purpose, lead, query)
    if settled is None:
        return _first_choice(request, lead, purpose, query)
    shape = purpose.options_in(lead.project, settled)
    if request.method != "POST":
        form = _prefilled(query, shape, lead, purpose.following(lead.project))
        return _page(request, lead, purpose, _filters(query, lead), form)
    return _plan(request, lead, purpose, shape)


def _purposes_offered(lead: Member) -> dict[str, Purpose]:
    """Purposes that can be planned here: those that have something to ask in a project of this kind."""
    return {slug: purpose for slug, purpose in purposes().items() if purpose.offered and purpose.suits(lead.project)}


def _settled(purpose: Purpose, lead: Member, query: QueryDict) -> dict[str, str] | None:
    """The chosen value of the option on which the others depend; None if nobody has chosen it yet."""
    choice = purpose.first_choice(lead.project)
    if choice is None:
        return {}
    values = [value for value, _name, _about in choice.offered]
    selected_value = query.get(f"run-{PREFIX}{choice.option}", values[0] if len(values) == 1 else "")
    return {choice.option: selected_value} if selected_value in values else None


def _first_choice(request: HttpRequest, lead: Member, purpose: Purpose, query: QueryDict) -> HttpResponse:
    """The same choice page, one level deeper."""
    choice = purpose.first_choice(lead.project)
    context: dict[str, Any] = {
        "purpose": purpose,
        "choice": choice,
        "field": f"run-{PREFIX}{choice.option}" if choice else "",
    }
    if choice is not None:
        context["values"] = [(*offered, choice.remarks.get(offered[0], "")) for offered in choice.offered]
    carried = {"carried": query.urlencode() or urlencode({"run-purpose": purpose.slug})}
    return project_page(request, lead, "runs/choose.html", context | carried, tab="runs", status=_status(request))


def _status(request: HttpRequest) -> int:
    return 422 if request.method == "POST" else 200


def _filters(query: QueryDict, lead: Member) -> ItemFilterForm:
    # Everybody who may see the run sees its filters: those by metadata are for leads alone.
    return ItemFilterForm(query, project=lead.project, members=few_members(lead.project), leads=False)


def _prefilled(query: QueryDict, shape: type[BaseModel], lead: Member, following: Following) -> PlanForm:
    """An empty form with the values of the address filled in."""
    initial: dict[str, Any] = {name.removeprefix("run-"): query[name] for name in query if name.startswith("run-")}
    initial = {"budget": lead.project.budget} | initial
    form = PlanForm(asked=shape, kind=lead.project.kind, following=following, initial=initial)
    several = [name for name, field in form.fields.items() if isinstance(field, MultipleChoiceField)]
    ticked = {name: query.getlist(f"run-{name}") for name in several if f"run-{name}" in query}
    form.initial = {**form.initial, **ticked}
    return form


def _plan(request: HttpRequest, lead: Member, purpose: Purpose, shape: type[BaseModel]) -> HttpResponse:
    following = purpose.following(lead.project)
    form = PlanForm(request.POST, asked=shape, kind=lead.project.kind, following=following)
    filters = _filters(request.POST, lead)
    if not (form.is_valid() and filters.is_valid()):
        return _page(request, lead, purpose, filters, form, status=422)
    cleaned_data = form.cleaned_data
    try:
        refuse_unless_callable(cleaned_data["endpoint"])
        planned = plan_run(
            project=lead.project,
            purpose=purpose.slug,
            endpoint=cleaned_data["endpoint"],
            by=person(request),
            options=form.options() | {"items": stored(filters.filters())},
            budget=cleaned_data["budget"],
            limit=cleaned_data["limit"],
            shares_replies=cleaned_data["shares_replies"],
            parameters=form.parameters(),
        )
    except Refused as refused:
        form.add_error(None, str(refused))
        return _page(request, lead, purpose, filters, form, status=422)
    return redirect("run", lead.project.slug, planned.pk)


def _page(
    request: HttpRequest, lead: Member, purpose: Purpose, filters: ItemFilterForm, form: PlanForm, status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {
        "purpose": purpose,
        "filters": filters,
        "form": form,
        "several": len(_purposes_offered(lead)) > 1,
    }
    context["only_simulated"] = only_simulated()
    context["takes_undecided"] = purpose.takes_undecided(lead.project)
    return project_page(request, lead, "runs/new.html", context, tab="runs", status=status)


Act = Callable[[HttpRequest, Run], str]


def acting(act: Act) -> Callable[..., HttpResponse]:
    """A view of `act`, which changes a run and returns a message for the lead; then back to the run's page."""

    @wraps(act)
    def view(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
        lead = membership(request, slug, LEADS)
        return _after_action(request, lead, run_of(lead, pk), act)

    return require_POST(login_required(view))


@acting
def run_start(request: HttpRequest, run: Run) -> str:
    refuse_unless_callable(run.endpoint)
    engine.start(run, person(request))
    return _("Started.")


@acting
def run_pause(request: HttpRequest, run: Run) -> str:
    engine.pause(run, person(request))
    return _("Paused. Calls in flight will finish; nothing new is sent.")


@acting
def run_resume(request: HttpRequest, run: Run) -> str:
    refuse_unless_callable(run.endpoint)
    engine.resume(run, person(request))
    return _("Resumed.")


@acting
def run_retry(request: HttpRequest, run: Run) -> str:
    """All failed jobs, or with `cause` those that failed for it."""
    cause = request.POST.get("cause") or None
    if cause is not None and cause not in Cause.values:
        raise Http404
    refuse_unless_callable(run.endpoint)
    count = engine.retry_failed(run, person(request), cause)
    if not count:
        return _("None of these jobs is failed any more, so nothing is retried.")
    message = ngettext("%(n)d failed job is retried.", "%(n)d failed jobs are retried.", count)
    return message % {"n": count}


@login_required
def run_cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Asks first: a cancelled run cannot be resumed."""
    lead = membership(request, slug, LEADS)
    stored_run = run_of(lead, pk)
    if request.method != "POST":
        return project_page(request, lead, "runs/cancel.html", {"run": stored_run}, tab="runs")

    def end_it(request: HttpRequest, run: Run) -> str:
        engine.cancel(run, person(request))
        return _("Cancelled. Finished work is kept.")

    return _after_action(request, lead, stored_run, end_it)


@login_required
def run_budget(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Raise the budget of a run."""
    lead = membership(request, slug, LEADS)
    stored_run = run_of(lead, pk)
    form = BudgetForm(request.POST if request.method == "POST" else None, run=stored_run)
    if not form.is_valid():
        context = {"run": stored_run, "form": form}
        status = 422 if form.is_bound else 200
        return project_page(request, lead, "runs/budget.html", context, tab="runs", status=status)

    def raise_it(request: HttpRequest, run: Run) -> str:
        engine.raise_budget(run, form.cleaned_data["budget"], person(request))
        return _("Budget raised. A run that paused for lack of budget can be resumed.")

    return _after_action(request, lead, stored_run, raise_it)


def _after_action(request: HttpRequest, lead: Member, run: Run, act: Act) -> HttpResponse:
    try:
        message = act(request, run)
    except (WrongState, Refused) as late:
        return too_late(request, run, late)
    messages.success(request, message)
    return redirect("run", lead.project.slug, run.pk)


def too_late(request: HttpRequest, run: Run, late: Exception) -> HttpResponse:
    """A refusal gives its own reason; after a lost race the run's present state is the reason."""
    run.refresh_from_db(fields=["state"])
    now = _("The run is now “%(state)s”, so this is not possible.")
    reason = str(late) if isinstance(late, Refused) else now % {"state": run.get_state_display()}
    context = {"reason": reason, "again": reverse("run", args=[run.project.slug, run.pk])}
    return render(request, "409.html", context, status=409)


@login_required
def run_reread(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Read the stored replies again, without a call, and show which outcomes changed.

    A worker continues with a large run; the page then updates itself until it is through.
    """
    lead = membership(request, slug, LEADS)
    run = run_of(lead, pk)
    if request.method == "POST":
        try:
            reparse.reread(run, person(request))
        except (WrongState, Refused) as late:
            return too_late(request, run, late)
        return redirect("run_reread", slug, pk)
    context = reread_context(run)
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "runs/_reread.html", {"project": lead.project, "membership": lead} | context)
    return project_page(request, lead, "runs/reread.html", context, tab="runs")


def reread_context(run: Run) -> dict[str, Any]:
    """Progress of the newest reading; `reread` is None if there never was one. may: whether one may begin now."""
    reread = last_reread(run)
    over = reread is None or reread.over
    return {
        "run": run,
        "reread": reread,
        "why": in_words(reread.detail) if reread else "",
        "jobs": jobs_about(run, reread.items) if reread and over else [],
        "may": over and run.state in (Run.State.PAUSED, Run.State.FINISHED, Run.State.CANCELLED),
    }
