from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotate.views.pages import project_page
from judging.services.judgements.judges import catalogue, rows
from judging.views.answers.access import judging_member


@require_safe
@login_required
def judges(request: HttpRequest, slug: str) -> HttpResponse:
    """Who has judged, and in which ways judges can be asked."""
    member = judging_member(request, slug)
    context = {"rows": rows(member.project), "catalogue": catalogue()}
    return project_page(request, member, "judges/judges.html", context, tab="judging")
