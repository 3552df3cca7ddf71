from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from annotate.models import Member
from annotate.views.access import READERS, membership
from judging.models import Author


def judging_member(request: HttpRequest, slug: str, roles: tuple[str, ...] = READERS) -> Member:
    """As `membership`; projects whose items nobody judges have no such pages.

    Where people vote, the pages name the authors of answers: whoever may vote there is refused.
    """
    member = membership(request, slug, roles)
    kind = member.project.kind
    if not kind.can_be_judged:
        raise Http404
    if kind.voted and (member.annotates or member.reviews) and not member.leads:
        raise PermissionDenied(_("People vote here without knowing whose the answers are. Only leads and viewers "
                                 "see their authors."))  # fmt: skip
    return member


def author_of(member: Member, pk: int) -> Author:
    """An author of this project, or 404."""
    author = Author.objects.filter(project=member.project_id, pk=pk).first()
    if author is None:
        raise Http404
    return author
