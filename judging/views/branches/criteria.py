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
    source_key = request.GET.get("of", "")
    source = (
        next((candidate for candidate in sources if candidate.key == source_key), None) if source_key else sources[0]
    )
    if source is None:
        raise Http404
    context: dict[str, Any] = {
        "part": "criteria",
        "sources": sources,
        "found": source,
        "clusters": source.clusters[:MOST],
        "more": max(len(source.clusters) - MOST, 0),
        "never": source.never,
        "few": FEW,
    }
    return project_page(request, member, "branches/criteria.html", context, tab="judging")
