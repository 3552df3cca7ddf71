"""Pages behind the blind spots: pairs of a cell, explanations that a model read, people's labels, and the verdicts.

People label an explanation without seeing what the model found in it.
"""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext_lazy as _

from annotate.models import Member, Project
from annotate.web.access import REVIEWERS, person, project_page
from judging.boards.address import whole_number
from judging.boards.blindspots.label_checks import (
    LABELS,
    examined_verdicts,
    explanations_behind,
    label,
    next_for,
    reader_agreements,
)
from judging.boards.blindspots.numbers import MISSED, pair_page, sightings_behind, sightings_of
from judging.boards.blindspots.page import SpotNames
from judging.models import Judge
from judging.verdicts.explanation_readings import explanation_page as read_explanation_page
from judging.verdicts.explanation_readings import runs_of
from lib.stats.blindspots import SHAPES, UNPARSED

FILTERS = ("ability", "category", "outcome")


def blindspot_pairs(request: HttpRequest, member: Member) -> HttpResponse:
    """The pairs behind one cell: both texts, their difference, and what the judge said."""
    judge, shape = _column(request, member.project)
    filters = {name: request.GET.get(name, "") for name in FILTERS}
    pairs = sightings_behind(sightings_of(member.project, judge), shape=shape, **filters)
    names = SpotNames(member.project)
    context: dict[str, Any] = {
        "judge": judge,
        "shape": shape,
        "wanted": filters,
        "outcomes": [MISSED, *SHAPES[shape].outcomes, UNPARSED],
        "category": names.category(filters["category"]) if filters["category"] else "",
        "ability": names.ability((filters["ability"], filters["category"])) if filters["ability"] else "",
        "page": pair_page(pairs, after=_number(request, "after"), before=_number(request, "before")),
        "address": _address(request),
    }
    return project_page(request, member, "blindspots/pairs.html", context, tab="judging")


def _column(request: HttpRequest, project: Project) -> tuple[Judge, str]:
    """Judge and way of asking of an address such as `12-pairwise`."""
    number, _dash, shape = request.GET.get("column", "").partition("-")
    judge = Judge.objects.filter(project=project, pk=whole_number(number)).first()
    if judge is None or shape not in SHAPES:
        raise Http404
    return judge, shape


def _number(request: HttpRequest, name: str) -> int:
    return whole_number(request.GET.get(name, ""))


def _address(request: HttpRequest) -> str:
    query = request.GET.copy()
    for name in ("after", "before"):
        query.pop(name, None)
    return query.urlencode()


FEW = 10  # verdicts below which agreement says too little


def blindspot_explanations(request: HttpRequest, member: Member) -> HttpResponse:
    """Every explanation that a model has read; ?run= one run, ?came= the outcome, ?after= the cursor."""
    run, after = whole_number(request.GET.get("run", "")), whole_number(request.GET.get("after", ""))
    came = request.GET.get("came", "")
    explanation_page = read_explanation_page(member.project, run=run, came=came, after=after)
    context = {"runs": runs_of(member.project), "chosen": run, "came": came, "page": explanation_page}
    context |= {"checked": reader_agreements(member.project), "few": FEW, "labels": member.role in REVIEWERS}
    return project_page(request, member, "blindspots/explanations.html", context, tab="judging")


LARGEST = 2**63 - 1


class LabelForm(forms.Form):
    verdict = forms.IntegerField(min_value=1, max_value=LARGEST)
    found = forms.ChoiceField(choices=[("yes", _("Yes")), ("no", _("No")), ("cannot_tell", _("Cannot tell"))])


def blindspot_check(request: HttpRequest, member: Member) -> HttpResponse:
    """The next explanation of the sample; a POST stores this person's label of one."""
    if request.method != "POST":
        return _next(request, member)
    form = LabelForm(request.POST)
    if not form.is_valid():
        return _next(request, member, status=422)
    verdict = get_object_or_404(examined_verdicts(member.project), pk=form.cleaned_data["verdict"])
    label(verdict=verdict, person=person(request), found=LABELS[form.cleaned_data["found"]])
    return redirect("blindspot_check", member.project.slug)


def _next(request: HttpRequest, member: Member, *, status: int = 200) -> HttpResponse:
    context = {"turn": next_for(member.project, person(request)), "refused": status != 200}
    return project_page(request, member, "blindspots/check.html", context, tab="judging", status=status)


def blindspot_checked(request: HttpRequest, member: Member) -> HttpResponse:
    """The verdicts behind a number; ?which= is its name, ?judge= one judge, ?start= where to begin."""
    judge_pk, start = whole_number(request.GET.get("judge", "")), whole_number(request.GET.get("start", ""))
    judge = Judge.objects.filter(project=member.project, pk=judge_pk).first()
    which = request.GET.get("which", "")
    page = explanations_behind(member.project, which=which, judge=judge.pk if judge else 0, start=start)
    context = {"page": page, "judge": judge, "which": which}
    return project_page(request, member, "blindspots/checked.html", context, tab="judging")
