"""Pages of runs: the list, one run before its start and under way, and its cost over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRefresh, trigger_client_event

from annotate.engine.budget import cap_is_kept
from annotate.engine.endpoints import only_simulated, to_choose_from
from annotate.engine.purposes import purposes
from annotate.engine.run_list import RunRow, runs_page
from annotate.kinds.protocol import Cause
from annotate.models import Member, PromptVersion, Run
from annotate.runs import execution
from annotate.runs import plan as runs_plan
from annotate.runs.actions import why_cancelled
from annotate.runs.execution import RunProgress
from annotate.runs.failures import why_halted
from annotate.runs.forms import PREFIX
from annotate.runs.item_selection import OF_THE_RUN, filters_of, reasons, stored, why_nothing
from annotate.runs.plan import purpose_of
from annotate.runs.queries import Spending, spending
from annotate.web.access import LEADS, membership, project_page
from annotate.web.number_formats import money, whole
from annotate.web.pager import row_named
from lib.charts import marks as charts
from lib.texts import raw_messages

SHORTEST, LONGEST = 3, 30  # seconds between two updates of a run's page
ENOUGH_FOR_A_FORECAST = 20
FIXED_FILL = {"done": "ok", "leased": "info", "failed": "danger", "cancelled": "2", "pending": "hollow"}
ENDED = (Run.State.FINISHED, Run.State.CANCELLED)


def plan(run: Run) -> dict[str, Any]:
    """The context of a run that has not been started."""
    estimate = runs_plan.estimate(run)
    too_dear = run.budget is not None and estimate.cost is not None and estimate.cost > run.budget
    return {
        "run": run,
        "estimate": estimate,
        "unit": purpose_of(run).unit,
        "left_out": reasons(run, estimate.jobs),
        "why_nothing": why_nothing(run),
        "too_dear": too_dear,
        "warnings": purpose_of(run).warnings(run),
    } | described(run)


def described(run: Run) -> dict[str, Any]:
    """What a run was planned to do, for its page; one query, for the prompts."""
    purpose = purposes().get(run.purpose)
    return {
        "own_options": purpose.told_options(run) if purpose else {},
        "limit": run.options.get("limit"),
        "filter": urlencode(stored(filters_of(run))),
        "prompts": list(_prompts(run)),
        "another": another(run),
    }


def _prompts(run: Run) -> QuerySet[PromptVersion]:
    """The prompts without their texts, but with whether they are raw messages."""
    used = PromptVersion.objects.filter(runs=run).defer("text")
    return used.annotate(is_raw=Q(text__startswith=raw_messages.TITLE))


def another(run: Run) -> str:
    """The query for a plan form filled in like this run; empty if no form plans such a run."""
    purpose = purposes().get(run.purpose)
    purpose_options = {name: value for name, value in run.options.items() if name not in OF_THE_RUN}
    if purpose is None or not purpose.offered or any(isinstance(value, dict) for value in purpose_options.values()):
        return ""  # no form holds options as large as the cases of a sample
    parameters = {"run-purpose": run.purpose, "run-endpoint": run.endpoint.name, **stored(filters_of(run))}
    if run.budget is not None:
        parameters["run-budget"] = f"{run.budget.normalize():f}"
    parameters |= {f"run-{PREFIX}{name}": value for name, value in purpose_options.items()}
    return urlencode(parameters, doseq=True)


@dataclass(frozen=True)
class RunCost:
    """The cost so far, and its forecast. forecast: None while too few jobs have ended.

    reserved: for calls in flight, and for those whose price is unknown. is_promised: the budget is never exceeded.
    """

    spent: Decimal
    budget: Decimal | None
    forecast: Decimal | None
    reserved: Decimal = Decimal(0)
    is_promised: bool = True

    @property
    def parts(self) -> Sequence[tuple[str, float]]:
        """The bar: spent, forecast to come, free up to the budget."""
        to_come = max((self.forecast or self.spent) - self.spent, Decimal(0))
        free = max((self.budget or Decimal(0)) - self.spent - to_come, Decimal(0))
        return [("1", float(self.spent)), ("2", float(to_come)), ("hollow", float(free))]

    @property
    def ends_at_the_budget(self) -> bool:
        return self.budget is not None and self.forecast is not None and self.forecast > self.budget


def cost(run: Run, progress: RunProgress) -> RunCost:
    ended = progress.done + progress.failed
    forecast = None
    if run.state == Run.State.RUNNING and ended >= ENOUGH_FOR_A_FORECAST:
        forecast = progress.cost * (progress.jobs - progress.cancelled) / ended
    is_promised = run.budget is None or cap_is_kept(run.endpoint)
    return RunCost(progress.cost, run.budget, forecast, run.reserved, is_promised)


def live(run: Run, *, seen: str = "") -> dict[str, Any]:
    """The context of a run under way or ended. seen: `mark-seconds` of the last page; it sets the next interval."""
    progress = execution.progress(run)
    mark = _mark(run, progress)
    return {
        "run": run,
        "progress": progress,
        "parts": [(fill, getattr(progress, name)) for name, fill in FIXED_FILL.items()],
        "causes": sorted(progress.causes.items(), key=lambda entry: (-entry[1], entry[0])),
        "cost": cost(run, progress),
        "can": possible(run, progress),
        "budget_is_spent": is_spent(run, progress),
        "why_cancelled": why_cancelled(run),
        "why_halted": why_halted(run),
        "mark": mark,
        "period": None if run.state in ENDED and not progress.leased else period(mark, seen),
        "now": timezone.now(),
    }


def _mark(run: Run, progress: RunProgress) -> str:
    """Equal as long as nothing changes that the page shows."""
    jobs = (progress.pending, progress.leased, progress.orphaned, progress.done, progress.failed)
    shown_state = (run.state, run.budget, jobs, progress.calls)
    return sha256(repr(shown_state).encode()).hexdigest()[:12]


def period(mark: str, previous_mark: str) -> int:
    """Seconds until the next update: the shortest after a change, doubled as long as nothing changes."""
    old_mark, _dash, seconds = previous_mark.partition("-")
    if old_mark != mark or not (seconds.isascii() and seconds.isdigit() and len(seconds) < 4):
        return SHORTEST
    return min(max(2 * int(seconds), SHORTEST), LONGEST)


def is_spent(run: Run, progress: RunProgress) -> bool:
    """Whether its budget is used up: nothing more is sent before somebody raises it."""
    stopped = run.state == Run.State.PAUSED and run.cause == Cause.BUDGET
    return run.budget is not None and (stopped or progress.cost >= run.budget)


def possible(run: Run, progress: RunProgress) -> set[str]:
    """What a lead may do with a run in this state."""
    verbs = {
        Run.State.PLANNING: {"cancel"},
        Run.State.RUNNING: {"pause", "cancel"},
        Run.State.PAUSED: {"resume", "cancel"},
        Run.State.FINISHED: set(),
    }.get(Run.State(run.state))
    if verbs is None:
        return set()
    if run.state == Run.State.PLANNING:
        return verbs
    if progress.failed and not is_spent(run, progress):  # otherwise all of them would fail again because of the budget
        verbs = verbs | {"retry"}
    if run.budget is not None:
        verbs = verbs | {"budget"}
    return verbs


@login_required
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    page = runs_page(lead.project, before=row_named(request, "before"), after=row_named(request, "after"))
    there_are_endpoints = bool(page.rows) or to_choose_from().exists()
    context = {"page": page, "there_are_endpoints": there_are_endpoints, "comparable": _comparable(page.rows)}
    context["only_simulated"] = only_simulated()
    return project_page(request, lead, "runs/runs.html", context, tab="runs")


def _comparable(rows: Sequence[RunRow]) -> list[tuple[str, list[Run]]]:
    """purpose -> its runs, if it has two or more: outcomes of different purposes cannot be compared."""
    by_purpose: dict[str, list[Run]] = {}
    for row in rows:
        by_purpose.setdefault(row.run.purpose, []).append(row.run)
    return [(purpose, runs) for purpose, runs in by_purpose.items() if len(runs) > 1]


def run_of(member: Member, pk: int) -> Run:
    """A run of this project, or 404."""
    stored_run = Run.objects.filter(project=member.project, pk=pk).select_related("endpoint", "created_by").first()
    if stored_run is None:
        raise Http404
    stored_run.project = member.project
    return stored_run


@login_required
def run(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Before its start its plan and cost, then its progress. With htmx only the part that changes."""
    lead = membership(request, slug, LEADS)
    stored_run = run_of(lead, pk)
    if stored_run.state == Run.State.PLANNED and stored_run.purpose in purposes():
        if request.htmx:  # type: ignore[attr-defined]  # the page showed the planning; its next page is a different one
            return HttpResponseClientRefresh()
        return project_page(request, lead, "runs/plan.html", plan(stored_run), tab="runs")
    context = live(stored_run, seen=request.GET.get("seen", ""))
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": lead.project, "membership": lead}
        return _went_on(render(request, "runs/_live.html", frame | context), context)
    return project_page(request, lead, "runs/run.html", context | described(stored_run), tab="runs")


def _went_on(part: HttpResponse, context: dict[str, Any]) -> HttpResponse:
    """Tells the rest of the page by an event: its curve is drawn once there is data, and once more at the end."""
    over = context["period"] is None
    return trigger_client_event(part, "run-ended" if over else "run-went-on") if context["progress"].calls else part


# Cost over time. It is read from the whole ledger, so it is requested separately and not with every update.


WIDE, NARROW = 640, 340  # on a phone the wide one would be cut off, or its text too small
FAR = 3  # a budget more than this many times the cost is only named: drawn, it would flatten the curve


@login_required
def run_spending(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A run's calls and cost over time: a part of its page, and a page of its own."""
    lead = membership(request, slug, LEADS)
    run = run_of(lead, pk)
    context = spending_context(run)
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "runs/_spending.html", {"project": lead.project, "membership": lead} | context)
    return project_page(request, lead, "runs/spending.html", context, tab="runs")


def spending_context(run: Run) -> dict[str, Any]:
    spent = spending(run)
    within_a_day = not spent.fine or spent.fine[0].since.date() == spent.fine[-1].until.date()
    return {
        "run": run,
        "over": run.state in ENDED,
        "listed": spent.listed,
        "chart": spending_chart(run, spent, WIDE) if spent.fine else "",
        "narrow": spending_chart(run, spent, NARROW) if spent.fine else "",
        "times": "H:i:s" if within_a_day else "Y-m-d H:i",
        "now": timezone.now(),
    }


def spending_chart(run: Run, spent: Spending, width: int) -> SafeString:
    """The cost so far over time; if the endpoint has no prices, the calls."""
    first_slice, last_slice = spent.fine[0], spent.fine[-1]
    points = [(0.0, 0.0)]
    for number, time_slice in enumerate(spent.fine, start=1):
        total = time_slice.cost_so_far if run.endpoint.is_priced else time_slice.calls_so_far
        points.append((number / len(spent.fine), float(total)))
    limit, budget = None, run.budget if run.endpoint.is_priced else None
    if budget is not None and budget <= FAR * last_slice.cost_so_far:
        limit = (float(budget), _("budget %(usd)s: hard stop") % {"usd": money(budget)})
    return charts.curve(
        points,
        label=_label(run, spent),
        amount=_usd if run.endpoint.is_priced else _count,
        ends=end_names(first_slice.since, last_slice.until),
        limit=limit,
        width=width,
    )


def _label(run: Run, spent: Spending) -> str:
    first_slice, last_slice = spent.fine[0], spent.fine[-1]
    sentence = _("Cost over time: %(usd)s for %(calls)s calls, from %(since)s to %(until)s.")
    if not run.endpoint.is_priced:
        sentence = _("Calls over time: %(calls)s, from %(since)s to %(until)s.")
    values = {"usd": money(last_slice.cost_so_far), "calls": whole(last_slice.calls_so_far)}
    return sentence % (values | {"since": _time(first_slice.since), "until": _time(last_slice.until)})


def _usd(amount: float) -> str:
    """Shorter than in tables: trailing zeros after the point are dropped."""
    return money(Decimal(f"{amount:.8f}")).removesuffix(".00")


def _count(amount: float) -> str:
    return whole(round(amount)) if amount == int(amount) else ""


def end_names(since: datetime, until: datetime) -> tuple[str, str]:
    """Names of the left and the right end: the day only once, and no right one within one minute."""
    start_name, end_name = _time(since), _time(until)
    if start_name == end_name:
        return start_name, ""
    same_day = timezone.localdate(since) == timezone.localdate(until)
    return start_name, date_format(timezone.localtime(until), "H:i") if same_day else end_name


def _time(moment: datetime) -> str:
    # Translators: a moment at an end of a chart, in Django's date letters.
    return date_format(timezone.localtime(moment), _("j M, H:i"))
