from django.http import Http404, HttpRequest

from annotate.models import Member
from annotate.views.access import READERS, membership
from judging.models import Author


def judging_member(request: HttpRequest, slug: str, roles: tuple[str, ...] = READERS) -> Member:
    """As `membership`; projects whose items nobody answers have no such pages."""
    member = membership(request, slug, roles)
    if not member.project.kind.judges_answers:
        raise Http404
    return member


def author_of(member: Member, pk: int) -> Author:
    """An author of this project, or 404."""
    author = Author.objects.filter(project=member.project_id, pk=pk).first()
    if author is None:
        raise Http404
    return author
