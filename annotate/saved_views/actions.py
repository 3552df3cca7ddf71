"""Saved views: the query string of a page under a name, for one person or for all readers of the project.

Boards and the list of items have them. Apps above name their pages in `SAVED_VIEW_PAGES` of their hooks.
"""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _

from annotate.audit.trail import record
from annotate.engine.discovery import hooks
from annotate.errors import Refused
from annotate.models import Member, Project, SavedView, User

MOST = 50  # of one person in one project
OWN_PAGES = ("items",)


def saving_pages() -> list[tuple[str, str]]:
    """The pages that offer saved views, by the names of their addresses, as choices of a field."""
    names = [*OWN_PAGES, *(name for pages in hooks("SAVED_VIEW_PAGES") for name in pages())]
    return [(name, name) for name in names]


def views_for(user: User, project: Project) -> QuerySet[SavedView]:
    """The user's own views, and those that leads have shared."""
    return SavedView.objects.filter(project=project).filter(Q(owner=user) | Q(shared=True)).select_related("owner")


def shown_on(page: str, member: Member) -> Sequence[SavedView]:
    return list(views_for(member.user, member.project).filter(page=page))


def save(*, member: Member, page: str, name: str, query: str, shared: bool) -> SavedView:
    """Save a view; the same name replaces the earlier one. Only leads share views: those of others stay private.

    Raises Refused if the person has saved too many, and for a view to share that says what only leads see.
    """
    shared = shared and member.leads
    if shared and page == "items" and "metadata" in QueryDict(query):
        raise Refused(_("A view that filters by metadata cannot be shared: only leads see metadata. Save it for you."))
    with transaction.atomic():
        own_views = SavedView.objects.filter(project=member.project, owner=member.user)
        if own_views.count() >= MOST and not own_views.filter(page=page, name=name).exists():
            raise Refused(_("You already have %(n)d saved views here. Delete one first.") % {"n": MOST})
        was_shared = own_views.filter(page=page, name=name, shared=True).exists()
        view, _made = SavedView.objects.update_or_create(
            project=member.project,
            owner=member.user,
            page=page,
            name=name,
            defaults={"query": query, "shared": shared},
        )
        if shared or was_shared:  # views of one's own change nothing for others
            record("view.shared", view, after={"page": page, "query": query, "shared": shared})
    return view


def delete(view: SavedView) -> None:
    with transaction.atomic():
        if view.shared:
            record("view.deleted", view, before={"page": view.page, "query": view.query}, after={})
        view.delete()


def deletable_by(member: Member) -> QuerySet[SavedView]:
    """The member's own views; leads may also delete shared ones."""
    condition = Q(owner=member.user) | Q(shared=True) if member.leads else Q(owner=member.user)
    return SavedView.objects.filter(condition, project=member.project)
