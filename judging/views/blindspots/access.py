from django.http import Http404, HttpRequest

from annotate.models import Member
from annotate.views.access import READERS
from judging.services.blindspots.cells import has_blind_spots
from judging.views.answers.access import judging_member


def blind_spots_member(request: HttpRequest, slug: str, roles: tuple[str, ...] = READERS) -> Member:
    """Who may read what judges overlook; a project whose items hold no answers of their own has no such pages."""
    member = judging_member(request, slug, roles)
    if not has_blind_spots(member.project):
        raise Http404
    return member
