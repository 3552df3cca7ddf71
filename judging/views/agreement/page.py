from collections import Counter
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotate.models import Member
from annotate.views.access import person
from annotate.views.pages import project_page
from judging.services.comparing_raters.comparing import Compared, by_field, compared
from judging.services.comparing_raters.headline import headline
from judging.services.comparing_raters.material import Somebody
from judging.services.comparing_raters.opening import ALONE, JUDGES, MISSING, PEOPLE, Number, matrix
from judging.services.comparing_raters.rates import rates
from judging.services.comparing_raters.seeing import sources_of
from judging.services.comparing_raters.wanted import DIVISIONS, coefficients_of, divisions_of, levels_of
from judging.services.ratings.rates import JudgeRate
from judging.views.agreement.access import agreement_member
from judging.views.agreement.asked import Asked, asked
from judging.views.agreement.drawing import lines
from lib.charts.beside import beside_dots
from lib.stats.agreement import RESAMPLES, SEED

FEW = 10
OPENED = {MISSING: _("ratings without a value"), ALONE: _("units that only one has rated")}
LEFT_OUT = {
    "outdated": _("votes or verdicts about older texts"),
    "undecided": _("verdicts about items that nobody has accepted"),
    "superseded": _("verdicts that the same judge has replaced"),
    "unreadable": _("texts that do not read any more"),
}
RESAMPLED_BY = {
    "unit": _("unit"),
    "item": _("item"),
    "prompt": _("prompt"),
    "document": _("document"),
    "conversation": _("conversation"),
}
MOST_VALUES = 12  # of a matrix; more cannot be read


@require_safe
@login_required
def agreement(request: HttpRequest, slug: str) -> HttpResponse:
    """People beside judges, each two raters, slices, the matrix; every number opens its units."""
    member = agreement_member(request, slug)
    query = asked(request, member)
    sources = sources_of(member.project, person(request)) if member.project.kind.voted else []
    context: dict[str, Any] = {"sources": sources}
    if query is None:
        return project_page(request, member, "agreement/empty.html", context, tab=tab_of(member))
    comparison = compared(member.project, query.found, query.wish)
    context |= {"asked": query, "found": comparison, "few": FEW, **_choices(query), **_charts(query, comparison)}
    context |= {
        "rates": _rates(member, query),
        "left_out": _left_out(member, query, comparison),
        **_matrix(member, query),
    }
    context |= headline_shown(query)
    context["fields"] = by_field(
        member.project, [subject for subject in query.subjects if not subject.what], query.wish, query.found.chosen
    )
    context["simulated"] = any(judge.simulated for judge in query.found.judges)
    context["not_fenced"] = any(judge.not_fenced for judge in query.found.judges)
    return project_page(request, member, "agreement/agreement.html", context, tab=tab_of(member))


def tab_of(member: Member) -> str:
    kind = member.project.kind
    return "judging" if kind.judges_answers or kind.opinions else "overview"


def headline_shown(query: Asked) -> dict[str, Any]:
    """The pooled figures, and what is resampled for their intervals, as a word."""
    summary = headline(query.found, query.wish.level)
    return {"headline": summary, "resampled_by": RESAMPLED_BY[summary.resampled_by], "drawn": (RESAMPLES, SEED)}


def _choices(query: Asked) -> dict[str, Any]:
    return {
        "coefficients": coefficients_of(query.subject),
        "levels": levels_of(query.subject),
        "divisions": [(by, DIVISIONS[by]) for by in divisions_of(query.subject)],
    }


def _charts(query: Asked, comparison: Compared) -> dict[str, Any]:
    """Wide and narrow: the same lines."""
    chart_lines = lines(comparison, query.names)
    return {"charts": [beside_dots(chart_lines, wide=wide) for wide in (720, 330)] if chart_lines else []}


def _rates(member: Member, query: Asked) -> list[tuple[JudgeRate, list[Somebody]]]:
    by_key = {judge.key: judge for judge in query.found.judges}
    return [(rate, [by_key[f"j{rate.judge.pk}"]]) for rate in rates(member.project, query.found)]


def _left_out(member: Member, query: Asked, comparison: Compared) -> list[tuple[str, int, str]]:
    """(why, how many, the address of their units, "" where there are none)."""
    address = reverse("agreement_units", args=[member.project.slug])
    about = urlencode({"about": query.subject.slug})
    rows = [(str(OPENED[why]), n, f"{address}?{about}&of={why}") for why, n in comparison.left_out.items()]
    counts = Counter[str]()
    for reasons in query.found.left_out.values():
        counts.update(reasons)
    return rows + [(str(LEFT_OUT.get(why, why)), n, "") for why, n in counts.items() if n]


def _matrix(member: Member, query: Asked) -> dict[str, Any]:
    number = Number(JUDGES, [query.judge]) if query.judge else Number(PEOPLE)
    values, counts = matrix(member.project, query.found, number)
    if not values or len(values) > MOST_VALUES:
        return {"values": values, "matrix": []}
    rows = [(left, [(right, counts.get((left, right), 0)) for right in values]) for left in values]
    return {"values": values, "matrix": rows}
