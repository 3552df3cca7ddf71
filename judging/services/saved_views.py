"""Dashboards as somebody has set them: the query of an address under a name, for oneself or for all who read here."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from annotate.models import Member, Project, User
from annotate.services.errors import Refused
from judging.models import SavedView

PAGES = ("leaderboard", "blindspots", "agreement", "trust")  # by the names of their addresses
MOST = 50  # of one person in one project


def views_for(user: User, project: Project) -> QuerySet[SavedView]:
    """Their own, and what leads have shared."""
    return SavedView.objects.filter(project=project).filter(Q(owner=user) | Q(shared=True)).select_related("owner")


def shown_on(page: str, member: Member) -> Sequence[SavedView]:
    return list(views_for(member.user, member.project).filter(page=page))


def save(*, member: Member, page: str, name: str, query: str, shared: bool) -> SavedView:
    """The same name again replaces what was saved under it. Only leads share: others' stay their own.

    Raises Refused where somebody has saved too many.
    """
    with transaction.atomic():
        own_views = SavedView.objects.filter(project=member.project, owner=member.user)
        if own_views.count() >= MOST and not own_views.filter(page=page, name=name).exists():
            raise Refused(_("You have saved %(n)d views here; delete one first.") % {"n": MOST})
        view, _made = SavedView.objects.update_or_create(
            project=member.project,
            owner=member.user,
            page=page,
            name=name,
            defaults={"query": query, "shared": shared and member.leads},
        )
    return view


def deletable_by(member: Member) -> QuerySet[SavedView]:
    """One's own; leads also delete what is shared."""
    condition = Q(owner=member.user) | Q(shared=True) if member.leads else Q(owner=member.user)
    return SavedView.objects.filter(condition, project=member.project)
