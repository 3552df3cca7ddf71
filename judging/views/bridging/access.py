from django.http import Http404, HttpRequest

from annotate.models import Member
from annotate.views.access import READERS
from judging.views.answers.access import judging_member


def bridging_member(request: HttpRequest, slug: str, roles: tuple[str, ...] = READERS) -> Member:
    """Who may see the workshop; projects of kinds that take no judgements from elsewhere have none."""
    member = judging_member(request, slug, roles)
    if not member.project.kind.bridging_steps:
        raise Http404
    return member
