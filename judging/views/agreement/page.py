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
    told = asked(request, member)
    sources = sources_of(member.project, person(request)) if member.project.kind.voted else []
    context: dict[str, Any] = {"sources": sources}
    if told is None:
        return project_page(request, member, "agreement/empty.html", context, tab=tab_of(member))
    found = compared(member.project, told.found, told.wish)
    context |= {"asked": told, "found": found, "few": FEW, **_choices(told), **_charts(told, found)}
    context |= {"rates": _rates(member, told), "left_out": _left_out(member, told, found), **_matrix(member, told)}
    context |= headline_shown(told)
    context["fields"] = by_field(
        member.project, [one for one in told.subjects if not one.what], told.wish, told.found.chosen
    )
    context["simulated"] = any(one.simulated for one in told.found.judges)
    context["not_fenced"] = any(one.not_fenced for one in told.found.judges)
    return project_page(request, member, "agreement/agreement.html", context, tab=tab_of(member))


def tab_of(member: Member) -> str:
    kind = member.project.kind
    return "judging" if kind.judges_answers or kind.opinions else "overview"


def headline_shown(told: Asked) -> dict[str, Any]:
    """The pooled figures, and what is resampled for their intervals, as a word."""
    found = headline(told.found, told.wish.level)
    return {"headline": found, "resampled_by": RESAMPLED_BY[found.resampled_by], "drawn": (RESAMPLES, SEED)}


def _choices(told: Asked) -> dict[str, Any]:
    return {
        "coefficients": coefficients_of(told.subject),
        "levels": levels_of(told.subject),
        "divisions": [(by, DIVISIONS[by]) for by in divisions_of(told.subject)],
    }


def _charts(told: Asked, found: Compared) -> dict[str, Any]:
    """Wide and narrow: the same lines."""
    drawn = lines(found, told.names)
    return {"charts": [beside_dots(drawn, wide=wide) for wide in (720, 330)] if drawn else []}


def _rates(member: Member, told: Asked) -> list[tuple[JudgeRate, list[Somebody]]]:
    by_key = {one.key: one for one in told.found.judges}
    return [(one, [by_key[f"j{one.judge.pk}"]]) for one in rates(member.project, told.found)]


def _left_out(member: Member, told: Asked, found: Compared) -> list[tuple[str, int, str]]:
    """(why, how many, the address of their units, "" where there are none)."""
    here = reverse("agreement_units", args=[member.project.slug])
    about = urlencode({"about": told.subject.slug})
    rows = [(str(OPENED[why]), n, f"{here}?{about}&of={why}") for why, n in found.left_out.items()]
    counts = Counter[str]()
    for reasons in told.found.left_out.values():
        counts.update(reasons)
    return rows + [(str(LEFT_OUT.get(why, why)), n, "") for why, n in counts.items() if n]


def _matrix(member: Member, told: Asked) -> dict[str, Any]:
    number = Number(JUDGES, [told.judge]) if told.judge else Number(PEOPLE)
    values, counts = matrix(member.project, told.found, number)
    if not values or len(values) > MOST_VALUES:
        return {"values": values, "matrix": []}
    rows = [(left, [(right, counts.get((left, right), 0)) for right in values]) for left in values]
    return {"values": values, "matrix": rows}
