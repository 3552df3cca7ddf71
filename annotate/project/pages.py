from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotate.engine.run_list import under_way
from annotate.errors import WrongState
from annotate.items import actions
from annotate.items.columns import metadata_names
from annotate.items.metadata_columns import ColumnText, ColumnValue, HasColumn, text_of
from annotate.items.queries import any_of_values
from annotate.models import Item, Member, Project, Slot
from annotate.project import overview as covering
from annotate.project import overview as figures
from annotate.project import overview as overview_help
from annotate.project.new_project import may_make_projects
from annotate.project.next_steps import next_steps, set_up_of
from annotate.web.access import LEADS, READERS, membership, person, project_page
from annotate.web.pager import numbered_page
from lib.charts import marks as charts
from lib.charts.marks import fitted


@login_required
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """All members see the progress; figures about people and cost are for leads."""
    member = membership(request, slug)
    context = _moving(member) | {"opens_lists": member.role in READERS}
    states: figures.States = context["states"]
    if member.role in READERS:
        latest = figures.latest_items(member.project, states.total)
        context |= {"latest": latest and figures.LATEST, **_help(member, latest)}
        if member.leads:
            context |= {"cost": figures.cost(member.project, states.counts[Item.State.ACCEPTED], latest)}
    if member.leads:
        context |= {"runs": under_way(member.project)} | _steps(member.project, states)
        context |= _by_column(member.project, states, request.GET.get("by", ""))
    return project_page(request, member, "overview/overview.html", context, tab="overview")


def _moving(member: Member) -> dict[str, Any]:
    project, now = member.project, timezone.now()
    today = timezone.localdate()
    states, pace = figures.states(project), figures.pace(project, today)
    return {
        "now": now,
        "states": states,
        "parts": figures.state_parts(states.counts),
        "legend": [
            (state.value, state.label, swatch, states.counts[state])
            for state, (_fill, swatch) in figures.LOOKS.items()
            if states.counts[state]
        ],
        "pace": pace,
        "chart": _chart(pace),
        "forecast": figures.forecast(states.undecided, pace, today),
        "leases": figures.leases(project, now),
        "left_drafts": figures.left_draft_count(project),
        "coverage": covering.coverage(project),
        "waiting": figures.waiting_longest(project),
    }


def _by_column(project: Project, states: figures.States, name: str) -> dict[str, Any]:
    """The columns of metadata that a lead can group by, and the counts for the one with this name."""
    columns = metadata_names(project) if project.kind.defined else []
    totals = {state.value: states.counts[state] for state in figures.LOOKS if states.counts[state]}
    counts = column_counts(project, name, totals) if name in columns else None
    return {"metadata_columns": columns, "by_column": counts}


def _steps(project: Project, states: figures.States) -> dict[str, Any]:
    steps = next_steps(project.kind, set_up_of([project.pk], {project.pk: states.counts})[project.pk])
    done = sum(step.is_done for step in steps)
    return {
        "steps": [(step, step.address(project.slug)) for step in steps],
        "steps_done": done,
        "steps_left": len(steps) - done,
        "is_released": any(step.name == "release" and step.is_done for step in steps),
    }


def _chart(pace: figures.AcceptancePace) -> str:
    # Translators: the short name of a day under a bar, in Django's date letters.
    letters = _("D j")
    names = [(date_format(day.date, letters), day.accepted) for day in pace.days]
    names[-1] = (_("today"), names[-1][1])
    return fitted(lambda wide: charts.bars(names, label=_("Items accepted per day, last 14 days"), wide=wide))


def _help(member: Member, latest: Sequence[int] | None) -> dict[str, Any]:
    """latest: the items whose returns are counted; None for all."""
    rows = overview_help.reviewed(member.project, latest)
    people = overview_help.returned_by_person(rows) if member.leads else []
    return {
        "people": [(row, _interval_chart(row)) for row in people],
        "groups": overview_help.returned_by_group(rows),
        "skips": overview_help.skips(member.project),
        "too_few": overview_help.TOO_FEW,
    }


def _interval_chart(row: overview_help.ReturnShare) -> str:
    share = row.sent_back
    assert share.percent is not None
    assert share.interval is not None
    label = _("%(name)s: %(percent).0f %%, between %(low).0f and %(high).0f %%") % {
        "name": row.name,
        "percent": share.percent,
        "low": share.interval.low,
        "high": share.interval.high,
    }
    return charts.interval(share.percent, *share.interval, label=label, most=100, thin=share.too_few)


@require_POST
@login_required
def lease_release(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    slot = get_object_or_404(Slot.objects.select_related("item", "holder"), pk=pk, project=lead.project)
    slot.item.project = lead.project
    try:
        actions.take_lease(slot, by=person(request))
    except WrongState as raced:
        context = {"reason": raced, "again": reverse("overview", args=[slug])}
        return render(request, "409.html", context, status=409)
    messages.success(request, _("%(item)s is back in the queue; its draft is kept.") % {"item": slot.item.key})
    return redirect(reverse("overview", args=[slug]) + "#leases")


PROJECTS_PER_PAGE = 100


@login_required
def project_list(request: HttpRequest) -> HttpResponse:
    """The projects of this person; other projects are not shown to anybody, administrators included."""
    user = person(request)
    memberships = Member.objects.of(user).select_related("project").order_by("project__name", "pk")
    context = {"page": numbered_page(request, memberships, PROJECTS_PER_PAGE), "may_make": may_make_projects(user)}
    return render(request, "projects/projects.html", context)


# Work items by state for each value of a metadata column, which only leads see.


LISTED = 20  # values


@dataclass(frozen=True)
class ValueStates:
    """value: as text, by which the list of items filters. counts: (state, items), in the order of the states."""

    value: str
    counts: Sequence[tuple[str, int]]

    @property
    def total(self) -> int:
        return sum(n for _state, n in self.counts)


@dataclass(frozen=True)
class ColumnCounts:
    """rows: the most frequent values first. others: items with further values, with lists or objects, or with none."""

    column: str
    rows: Sequence[ValueStates]
    others: ValueStates


def column_counts(project: Project, column: str, totals: Mapping[str, int]) -> ColumnCounts:
    """Two queries, however many values there are. totals: state -> all work items of the project, in order."""
    items = Item.objects.counted().filter(project=project).filter(HasColumn(F("metadata"), column))
    items = items.annotate(column_text=ColumnText(column, "metadata")).order_by()
    values = list(items.values_list("column_text").annotate(n=Count("pk")).order_by("-n", "column_text")[:LISTED])
    texts = list(dict.fromkeys(text for value, _n in values if (text := text_of(value))))
    valued = items.alias(column_value=ColumnValue(column, "metadata"))
    by_state = valued.filter(any_of_values("column_value", texts)).values_list("column_text", "state")
    counts = _counts(by_state.annotate(n=Count("pk")) if texts else ())
    rows = [ValueStates(text, [(state, counts[text, state]) for state in totals]) for text in texts]
    listed = {state: sum(counts[text, state] for text in texts) for state in totals}
    others = ValueStates("", [(state, n - listed[state]) for state, n in totals.items()])
    return ColumnCounts(column, sorted(rows, key=lambda row: -row.total), others)


def _counts(counted: Iterable[tuple[Any, str, int]]) -> Counter[tuple[str, str]]:
    """(value as text, state) -> items."""
    counts = Counter[tuple[str, str]]()
    for value, state, n in counted:
        counts[text_of(value), state] += n
    return counts
