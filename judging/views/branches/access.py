from django.http import Http404, HttpRequest

from annotate.models import Member
from judging.views.agreement.access import agreement_member


def branches_member(request: HttpRequest, slug: str) -> Member:
    """Who may read how judges and people compare; a project whose items nobody judges has no such pages."""
    member = agreement_member(request, slug)
    if not member.project.kind.can_be_judged:
        raise Http404
    return member
