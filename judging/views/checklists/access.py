from django.http import Http404, HttpRequest

from annotate.models import Member
from annotate.views.access import READERS
from judging.views.answers.access import judging_member


def checklists_member(request: HttpRequest, slug: str, roles: tuple[str, ...] = READERS) -> Member:
    """Who may read how questions work; a project whose items have no checklists has no such pages."""
    member = judging_member(request, slug, roles)
    if not member.project.kind.holds_checklists:
        raise Http404
    return member
