"""One study while people vote, and what might tell them whose the answers are. Only for leads of both projects."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from annotate.models import Member
from annotate.views.access import LEADS, membership, person
from annotate.views.pages import project_page
from judging.models import Answer, Study
from judging.services.studies.leaks import scan
from judging.services.studies.lists import studies_for
from judging.services.studies.live import Live, live, results
from judging.services.studies.wishes import DESIGNS
from lib.stats.figures import FEW

MOST = 20  # authors of the matrix; more columns cannot be read
LISTED = 100


@dataclass(frozen=True)
class Named:
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
    """Names that were found as the study was drawn, and what a look at the vote items finds today."""
    lead, study = _of_lead(request, slug, pk)
    listed = study.counts.get("found", [])
    answers = Answer.objects.select_related("item", "author").in_bulk([row["answer"] for row in listed[:LISTED]])
    named_answers = [
        Named(answers[row["answer"]], sorted(row["words"]), row["aside"])
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


def _matrix(progress: Live) -> list[tuple[str, list[int | None]]]:
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
