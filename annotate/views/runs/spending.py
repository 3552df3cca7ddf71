"""Cost over time: read from the whole ledger, so asked for by itself and not with every look at a run."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotate.models import Run
from annotate.services.runs.spending import Spending, spending
from annotate.templatetags.running import money, whole
from annotate.views.access import LEADS, membership
from annotate.views.pages import project_page
from annotate.views.runs.page import ENDED
from annotate.views.runs.runs import run_of
from lib.charts import marks as charts

WIDE, NARROW = 640, 340  # on a phone the wide one would be cut off, or its letters too small
FAR = 3  # a budget so many times above what was spent is only named: drawn, it would press the curve flat


@login_required
def run_spending(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What a run sent and paid over its time: for its page, and as a page of its own."""
    lead = membership(request, slug, LEADS)
    run = run_of(lead, pk)
    context = told(run)
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "runs/_spending.html", {"project": lead.project, "membership": lead} | context)
    return project_page(request, lead, "runs/spending.html", context, tab="runs")


def told(run: Run) -> dict[str, Any]:
    spent = spending(run)
    within_a_day = not spent.fine or spent.fine[0].since.date() == spent.fine[-1].until.date()
    return {
        "run": run,
        "over": run.state in ENDED,
        "listed": spent.listed,
        "chart": drawn(run, spent, WIDE) if spent.fine else "",
        "narrow": drawn(run, spent, NARROW) if spent.fine else "",
        "times": "H:i:s" if within_a_day else "Y-m-d H:i",
        "now": timezone.now(),
    }


def drawn(run: Run, spent: Spending, width: int) -> SafeString:
    """The cost so far over time; where the endpoint has no prices, the calls."""
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
    """Shorter than in tables: the places behind the point go where there is nothing in them."""
    return money(Decimal(f"{amount:.8f}")).removesuffix(".00")


def _count(amount: float) -> str:
    return whole(round(amount)) if amount == int(amount) else ""


def end_names(since: datetime, until: datetime) -> tuple[str, str]:
    """Of the left and the right end: the day only once, and nothing on the right within one minute."""
    start_name, end_name = _time(since), _time(until)
    if start_name == end_name:
        return start_name, ""
    same_day = timezone.localdate(since) == timezone.localdate(until)
    return start_name, date_format(timezone.localtime(until), "H:i") if same_day else end_name


def _time(moment: datetime) -> str:
    # Translators: a moment at an end of a chart, in Django's date letters.
    return date_format(timezone.localtime(moment), _("j M, H:i"))
