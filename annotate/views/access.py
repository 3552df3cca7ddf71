"""Who may see what. Every id in a request is looked up inside the project named in its address."""

from typing import cast

from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from annotate.models import Item, Member, User
from annotate.services.readiness import masking

EVERYONE = ("lead", "reviewer", "annotator", "viewer")
WORKERS = ("lead", "reviewer", "annotator")
REVIEWERS = ("lead", "reviewer")
LEADS = ("lead",)
READERS = ("lead", "reviewer", "viewer")  # who may see other people's items


def person(request: HttpRequest) -> User:
    """The signed-in account (views say @login_required)."""
    return cast(User, request.user)


def membership(request: HttpRequest, slug: str, roles: tuple[str, ...] = EVERYONE) -> Member:
    """The person's place in the project. A stranger gets 404, as if it did not exist; a wrong role 403."""
    try:
        members = Member.objects.select_related("project__readiness")  # what a project asks of people is asked often
        member = members.get(project__slug=slug, user=person(request))
    except Member.DoesNotExist:
        raise Http404 from None
    if member.role not in roles:
        raise PermissionDenied(_("Your role in this project does not allow this. Ask its lead."))
    member.user = person(request)
    return member


def item_of(member: Member, pk: int) -> Item:
    """An item of this project, or 404."""
    item = Item.objects.filter(project_id=member.project_id, pk=pk).first()
    if item is None:
        raise Http404
    item.project = member.project
    return item


def item_seen_by(member: Member, pk: int) -> Item:
    """An item that this member may look at: readers all, annotators those they worked on; else 404."""
    item = item_of(member, pk)
    if member.role in READERS or worked_on(item, member.user):
        return masking.as_work(item, member)
    raise Http404


def worked_on(item: Item, user: User) -> bool:
    """Whether this person has or had the item in hand."""
    is_worker = Q(annotations__author=user) | Q(slots__holder=user)
    return Item.objects.filter(is_worker, pk=item.pk).exists()
