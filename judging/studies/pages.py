"""Pages of studies: preview and draw, progress, closing, a live study, and leaks. Only for leads of both projects."""

import secrets
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from annotate.errors import Refused
from annotate.models import Member
from annotate.web.access import LEADS, membership, person, project_page
from judging.models import Answer, Study
from judging.studies.designs import DESIGNS, blinding_of
from judging.studies.draw import draw
from judging.studies.forms import LARGEST_SEED, DrawForm
from judging.studies.leaks import scan
from judging.studies.plans import LEFT_OUT, Plan, hours, plan
from judging.studies.progress import LiveStudy, close, live, results, studies_for, with_progress
from lib.stats.figures import FEW

SHOWN = 50


@login_required
def studies(request: HttpRequest, slug: str) -> HttpResponse:
    """The studies that this lead may see, and a preview of a new one. Only a POST draws."""
    lead = membership(request, slug, LEADS)
    form = _form(request, lead)
    planned = _planned(form)
    if request.method == "POST" and planned is not None and _drew(request, form, planned):
        return redirect("studies", slug)
    visible_studies = list(studies_for(person(request), lead.project)[: SHOWN + 1])
    context = {
        "form": form,
        "plan": planned,
        "hours": hours(planned) if planned else None,
        "left_out": [(LEFT_OUT[why], n) for why, n in planned.left_out.items()] if planned else [],
        "rows": with_progress(visible_studies[:SHOWN]),
        "shown": SHOWN if len(visible_studies) > SHOWN else None,
    }
    tab = "judging" if lead.project.kind.judges_answers else "items"
    status = 422 if form.errors else 200
    return project_page(request, lead, "studies/studies.html", context, tab=tab, status=status)


@require_POST
@login_required
def study_close(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    study = get_object_or_404(studies_for(person(request), lead.project), pk=pk)
    closed_count = close(study)
    message = ngettext(
        "Study closed. %(n)d vote that nobody had started was cancelled.",
        "Study closed. %(n)d votes that nobody had started were cancelled.",
        closed_count,
    )
    messages.success(request, message % {"n": closed_count})
    return redirect("studies", slug)


def _form(request: HttpRequest, lead: Member) -> DrawForm:
    query = request.POST if request.method == "POST" else request.GET if "seed" in request.GET else None
    previous_study = Study.objects.filter(
        source=lead.project
    ).first()  # its word lists are the initial values of the next one
    words = blinding_of(previous_study.options if previous_study else {})
    lists = {name: "\n".join(getattr(words, name)) for name in ("also", "never", "phrases")}
    start: dict[str, Any] = {"seed": secrets.randbelow(LARGEST_SEED), **lists}
    return DrawForm(query, initial=start, project=lead.project, user=person(request))


def _planned(form: DrawForm) -> Plan | None:
    if not form.is_bound or not form.is_valid():
        return None
    try:
        return plan(form.wish())
    except Refused as refused:
        form.add_error(None, str(refused))
        return None


def _drew(request: HttpRequest, form: DrawForm, planned: Plan) -> bool:
    values = form.cleaned_data
    try:
        study = draw(planned, into=values["into"], by=person(request), name=values["name"])
    except Refused as refused:
        form.add_error(None, str(refused))
        return False
    message = _("Study drawn: %(n)d votes are waiting in “%(name)s”.")
    messages.success(request, message % {"n": len(planned.votes) + len(planned.repeats), "name": study.project.name})
    return True


# One study while people vote, and what might reveal the authors to them.


MOST = 20  # authors of the matrix; more columns cannot be read
LISTED = 100


@dataclass(frozen=True)
class NamedAnswerRow:
    """An answer in which a model is named, as the list shows it."""

    answer: Answer
    words: list[str]
    aside: bool


@require_safe
@login_required
def study_live(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead, study = _of_lead(request, slug, pk)
    progress = live(study)
    context = {
        "study": study,
        "live": progress,
        "design": DESIGNS[progress.design.name],
        "matrix": _matrix(progress),
        "left_over": max(len(progress.names) - MOST, 0),
        "results": results(study),
        "few": FEW,
    }
    return project_page(request, lead, "studies/live.html", context, tab=_tab(lead))


@require_safe
@login_required
def study_leaks(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Names found when the study was drawn, and what a scan of the vote items finds today."""
    lead, study = _of_lead(request, slug, pk)
    listed = study.counts.get("found", [])
    answers = Answer.objects.select_related("item", "author").in_bulk([row["answer"] for row in listed[:LISTED]])
    named_answers = [
        NamedAnswerRow(answers[row["answer"]], sorted(row["words"]), row["aside"])
        for row in listed[:LISTED]
        if row["answer"] in answers
    ]
    context = {"study": study, "scan": scan(study.project, study), "named": named_answers, "total": len(listed)}
    return project_page(request, lead, "studies/leaks.html", context, tab=_tab(lead))


def _of_lead(request: HttpRequest, slug: str, pk: int) -> tuple[Member, Study]:
    lead = membership(request, slug, LEADS)
    return lead, get_object_or_404(studies_for(person(request), lead.project), pk=pk)


def _tab(lead: Member) -> str:
    return "judging" if lead.project.kind.judges_answers else "items"


def _matrix(progress: LiveStudy) -> list[tuple[str, list[int | None]]]:
    """Rows of votes on each pair; None on the diagonal."""
    names = progress.names[:MOST]
    if not progress.pairs:
        return []
    return [
        (
            author,
            [
                None if author == opponent else progress.pairs[min(author, opponent), max(author, opponent)]
                for opponent in names
            ],
        )
        for author in names
    ]
