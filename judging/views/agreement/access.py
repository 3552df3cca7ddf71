from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils.translation import gettext as _

from annotate.models import Member
from annotate.views.access import READERS, membership
from judging.services.comparing_raters.seeing import is_sealed


def agreement_member(request: HttpRequest, slug: str) -> Member:
    """Readers of the project; whoever votes in a study that runs is refused until it is closed."""
    member = membership(request, slug, READERS)
    if is_sealed(member):
        raise PermissionDenied(
            _("A study in which you may vote is still running. You see how far people agree when it is closed.")
        )
    return member
