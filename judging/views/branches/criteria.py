from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotate.views.pages import project_page
from judging.services.branches.criteria import FEW, criteria
from judging.views.branches.access import branches_member

MOST = 100  # clusters on a page; rarer ones stand in the report


@require_safe
@login_required
def branch_criteria(request: HttpRequest, slug: str) -> HttpResponse:
    """Which criteria decide and which never do: ?of= a judge, or the trees that people have accepted."""
    member = branches_member(request, slug)
    sources = criteria(member.project)
    if not sources:
        return project_page(request, member, "branches/empty.html", {"part": "criteria"}, tab="judging")
    said = request.GET.get("of", "")
    found = next((one for one in sources if one.key == said), None) if said else sources[0]
    if found is None:
        raise Http404
    context: dict[str, Any] = {
        "part": "criteria",
        "sources": sources,
        "found": found,
        "clusters": found.clusters[:MOST],
        "more": max(len(found.clusters) - MOST, 0),
        "never": found.never,
        "few": FEW,
    }
    return project_page(request, member, "branches/criteria.html", context, tab="judging")
