from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotate.views.pages import project_page
from judging.services.comparing_raters.material import Material, Somebody
from judging.services.comparing_raters.opening import (
    AGREE,
    ALONE,
    DISAGREE,
    JUDGES,
    MAJORITY,
    MISSING,
    PAIR,
    PEOPLE,
    SORTS,
    Number,
    behind,
    page,
)
from judging.services.comparing_raters.wanted import AXIS, DIVISIONS, PERSON
from judging.templatetags.agreement import axis_name
from judging.views.agreement.access import agreement_member
from judging.views.agreement.asked import Asked, asked
from judging.views.agreement.page import tab_of

RATERS = {PEOPLE: (0, 50), JUDGES: (1, 50), PAIR: (2, 2), MAJORITY: (1, 1), ALONE: (0, 50), MISSING: (0, 50)}
FURTHEST = 10_000_000


@require_safe
@login_required
def agreement_units(request: HttpRequest, slug: str) -> HttpResponse:
    """The units behind one number, page by page, with what each side said and why."""
    member = agreement_member(request, slug)
    query = asked(request, member)
    if query is None:
        raise Http404
    number = _number(request, query.found)
    unit_page = page(query.found, number, behind(member.project, query.found, number), start=_start(request))
    context: dict[str, Any] = {
        "asked": query,
        "number": number,
        "page": unit_page,
        "division": DIVISIONS.get(number.by, ""),
        "part": _part(query, number),
        "address": _address(request, "start"),
        "address_of_all": _address(request, "start", "which"),
        "address_back": query.address,
        "filters": [("", _("all")), (AGREE, _("agree")), (DISAGREE, _("disagree"))],
        "choosable": number.of not in (ALONE, MISSING),
    }
    return project_page(request, member, "agreement/units.html", context, tab=tab_of(member))


def _part(query: Asked, number: Number) -> str:
    if number.by == AXIS:
        return axis_name(number.part, query.subject.what)
    return query.names.get(number.part, number.part) if number.by == PERSON else number.part


def _number(request: HttpRequest, material: Material) -> Number:
    """A number of raters that there are; otherwise 404."""
    query = request.GET
    sort, which, by = query.get("of", ""), query.get("which", ""), query.get("by", "")
    sort = sort if sort in SORTS else PEOPLE
    raters = _raters(request, material)
    least, most = RATERS[sort]
    if not least <= len(raters) <= most or (
        sort in (PEOPLE, JUDGES, MAJORITY) and not all(rater.is_judge for rater in raters)
    ):
        raise Http404
    cell = "left" in query and "right" in query
    part = query.get("part")
    return Number(
        sort,
        raters,
        by=by if by in DIVISIONS and part is not None else "",
        part=part or "",
        which=which if which in (AGREE, DISAGREE) else "",
        left=query["left"] if cell else None,
        right=query["right"] if cell else None,
    )


def _raters(request: HttpRequest, material: Material) -> list[Somebody]:
    by_key = {rater.key: rater for rater in material.raters}
    keys = list(dict.fromkeys(request.GET.getlist("rater")))
    if not set(keys) <= by_key.keys():
        raise Http404
    return [by_key[key] for key in keys]


def _start(request: HttpRequest) -> int:
    text = request.GET.get("start", "")
    return min(int(text), FURTHEST) if text.isascii() and text.isdecimal() and len(text) <= 18 else 0


def _address(request: HttpRequest, *without: str) -> str:
    query = request.GET.copy()
    for name in without:
        query.pop(name, None)
    return query.urlencode()
