from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotate.views.access import REVIEWERS
from annotate.views.pages import project_page
from judging.services.blindspots.explanations import page, runs_of
from judging.services.blindspots.reading_check import checked
from judging.views.blindspots.access import blind_spots_member
from judging.views.blindspots.pairs import whole

FEW = 10  # verdicts below which agreement says too little


@require_safe
@login_required
def blindspot_explanations(request: HttpRequest, slug: str) -> HttpResponse:
    """Every explanation that a model has read; ?run= is one run, ?came= what came of it, ?after= where to go on."""
    member = blind_spots_member(request, slug)
    run, after = whole(request.GET.get("run", "")), whole(request.GET.get("after", ""))
    came = request.GET.get("came", "")
    explanation_page = page(member.project, run=run, came=came, after=after)
    context = {"runs": runs_of(member.project), "chosen": run, "came": came, "page": explanation_page}
    context |= {"checked": checked(member.project), "few": FEW, "labels": member.role in REVIEWERS}
    return project_page(request, member, "blindspots/explanations.html", context, tab="judging")
