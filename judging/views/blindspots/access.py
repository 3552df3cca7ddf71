from django.http import Http404, HttpRequest

from annotate.models import Member
from judging.services.blindspots.cells import has_blind_spots
from judging.views.leaderboard.page import judging_member


def blind_spots_member(request: HttpRequest, slug: str) -> Member:
    """Who may read what judges overlook; a project whose items hold no answers of their own has no such pages."""
    member = judging_member(request, slug)
    if not has_blind_spots(member.project):
        raise Http404
    return member
