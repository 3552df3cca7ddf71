from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from annotate.models import Member
from annotate.web.access import project_page
from judging.boards.address import tab_of
from judging.boards.agreement.options import AgreementQuery, parse_agreement_query
from judging.ratings.opened_units import (
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
    units_behind,
)
from judging.ratings.opened_units import (
    unit_page as opened_units_unit_page,
)
from judging.ratings.rating_subjects import AXIS, DIVISIONS, PERSON
from judging.ratings.tables import Somebody, UnitTable
from judging.templatetags.agreement import axis_name

RATERS = {PEOPLE: (0, 50), JUDGES: (1, 50), PAIR: (2, 2), MAJORITY: (1, 1), ALONE: (0, 50), MISSING: (0, 50)}
FURTHEST = 10_000_000


def agreement_units(request: HttpRequest, member: Member) -> HttpResponse:
    """The units behind one number, page by page, with each side's ratings and reasons."""
    query = parse_agreement_query(request, member)
    number = _number(request, query.found)
    unit_page = opened_units_unit_page(
        query.found, number, units_behind(member.project, query.found, number), start=_start(request)
    )
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


def _part(query: AgreementQuery, number: Number) -> str:
    if number.by == AXIS:
        return axis_name(number.part, query.subject.what)
    return query.names.get(number.part, number.part) if number.by == PERSON else number.part


def _number(request: HttpRequest, material: UnitTable) -> Number:
    """The number that the address names; 404 if it names unknown raters."""
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


def _raters(request: HttpRequest, material: UnitTable) -> list[Somebody]:
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
