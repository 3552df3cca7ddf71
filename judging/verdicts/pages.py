from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotate.web.access import project_page
from annotate.web.pager import numbered_page
from judging.access import judged, judging_member
from judging.verdicts.judges import catalogue, rows

JUDGES_PER_PAGE = 100


@require_safe
@login_required
def judges(request: HttpRequest, slug: str) -> HttpResponse:
    """The judges of the project, and the strategies by which judges can be asked."""
    member = judging_member(request, slug, suits=judged)
    page = numbered_page(request, rows(member.project), JUDGES_PER_PAGE)
    context = {"page": page, "catalogue": catalogue(member.project)}
    return project_page(request, member, "judges/judges.html", context, tab="judges")
