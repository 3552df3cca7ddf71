"""Access rules and shared parts of pages. Every id in a request is looked up inside the project in its address."""

import re
from collections.abc import Callable, Sequence
from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from annotate import hidden_checks
from annotate.acting import in_role
from annotate.errors import Refused
from annotate.hidden_checks import SeenItem
from annotate.models import Item, Member, Notification, User
from annotate.prepared import prepared


def project_page(
    request: HttpRequest, member: Member, template: str, context: dict[str, Any], *, tab: str, status: int = 200
) -> HttpResponse:
    """A page inside a project's frame: its tabs need the project, the membership and the name of the open tab."""
    frame = {"project": member.project, "membership": member, "tab": tab}
    return render(request, template, frame | context, status=status)


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
    member = _membership.first(slug=slug, user=person(request).pk)
    if member is None:
        raise Http404
    if member.role not in roles:
        raise PermissionDenied(_("Your role in this project does not allow this. Ask its lead."))
    member.user = person(request)
    in_role(member.user, member.role, member.project)
    return member


@prepared
def _membership(slug: str, user: int) -> QuerySet[Member]:
    members = Member.objects.select_related("project__readiness")  # readiness is needed on most pages
    return members.filter(project__slug=slug, user=user)


def item_of(member: Member, pk: int) -> Item:
    """An item of this project, or 404."""
    item = Item.objects.filter(project_id=member.project_id, pk=pk).first()
    if item is None:
        raise Http404
    item.project = member.project
    return item


def item_seen_by(member: Member, pk: int) -> SeenItem:
    """An item that this member may see: any item for readers, those they worked on for annotators; else 404."""
    item = item_of(member, pk)
    if member.role in READERS or worked_on(item, member.user):
        return hidden_checks.seen_by(item, member)
    raise Http404


def worked_on(item: Item, user: User) -> bool:
    """Whether this person has or had the item in hand."""
    is_worker = Q(annotations__author=user) | Q(slots__holder=user)
    return Item.objects.filter(is_worker, pk=item.pk).exists()


# Pages that list objects and create new ones whose secret is shown once: tokens, webhooks.


def listed_or_made(
    request: HttpRequest,
    form_class: type[forms.Form],
    *,
    make: Callable[..., Any],
    page: Callable[..., HttpResponse],
    blamed: str,
) -> HttpResponse:
    """The page with an empty form; after a POST the created object, or the form with its errors (422).

    make: takes the form's values and returns the object that the page shows as `made`; if it refuses, the message is
    shown at the field `blamed`. page: takes a form, and made or status.
    """
    if request.method != "POST":
        return page(form_class())
    form = form_class(request.POST)
    if form.is_valid():
        try:
            return page(form_class(), made=make(**form.cleaned_data))
        except Refused as refused:
            form.add_error(blamed, str(refused))
    return page(form, status=422)


class WordsField(forms.CharField):
    """A list of words in one line, separated by commas; duplicates are removed."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, Sequence) and not isinstance(value, str) else value

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]  # a CharField that reads a list
        words = (word.strip() for word in re.split(r"[,;，；\n]", super().to_python(value) or ""))
        return list(dict.fromkeys(word for word in words if word))

    def has_changed(self, initial: Any, data: Any) -> bool:
        return list(initial or []) != self.to_python(data)


@prepared
def _unread(user: int) -> QuerySet[Notification]:
    return Notification.objects.filter(user=user, read_at=None)


def shell(request: HttpRequest) -> dict[str, Any]:
    """Context for every page's frame: the appearance, and the number of unread lines (queried only if shown)."""
    user: Any = getattr(request, "user", AnonymousUser())
    signed_in = user.is_authenticated
    theme = user.theme if signed_in else request.COOKIES.get("theme", "auto")
    return {
        "theme": theme if theme in ("light", "dark") else "auto",
        "mail_configured": settings.MAIL_CONFIGURED,
        "unread_count": SimpleLazyObject(lambda: _unread.count(user=user.pk) if signed_in else 0),
    }
