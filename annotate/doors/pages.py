"""The page behind Ctrl+K, with the part of it that the dialog shows, and the tour.

Ctrl+K finds projects, pages, items by their key, people and actions, as far as the person may open them. Titles match
in the language of the page and in English. Annotators find no items: keys could tell which of their items are checks,
or ask again about another one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.functional import Promise
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.doors.table import DOORS, DoorPage, pages_for
from annotate.doors.tour import ENDED, Tour
from annotate.models import Item, Member, User
from annotate.web.access import EVERYONE, LEADS, READERS, membership, person, project_page

MOST = 8  # of each sort
LONGEST = 120  # characters of a query that are read

# What people do in a project, apart from opening its pages; and the pages outside of projects.
ACTIONS = (
    DoorPage("", 10, "run_new", gettext_lazy("Plan a run"), LEADS),
    DoorPage("", 20, "guidelines_edit", gettext_lazy("Edit guidelines"), LEADS),
    DoorPage("", 30, "tour", gettext_lazy("Tour"), EVERYONE),
)
OUTSIDE = (
    ("home", gettext_lazy("My work")),
    ("projects", gettext_lazy("Projects")),
    ("inbox", gettext_lazy("Notifications")),
    ("preferences", gettext_lazy("Preferences")),
    ("guide", gettext_lazy("Guide")),
)


@dataclass(frozen=True)
class Target:
    """where: what else tells it apart, such as the door of a page."""

    title: str
    href: str
    where: str = ""


@dataclass(frozen=True)
class TargetGroup:
    title: str
    targets: Sequence[Target]


def targets(user: User, member: Member | None, text: str) -> list[TargetGroup]:
    """The groups with matches, at most MOST in each. member: of the project in which the person is, if they are in one.

    An empty text finds the pages of the project and the person's projects, but no items and no people.
    """
    query = text.strip()[:LONGEST]
    groups = [
        (_("Pages"), [*(_pages(member, query) if member else []), *(_outside(query) if query or not member else [])]),
        (_("Actions"), _actions(member, query) if member and query else []),
        (_("Items"), _items(user, member, query) if query else []),
        (_("People"), _people(member, query) if member and query else []),
        (_("Projects"), projects(user, query)),
    ]
    most = MOST if query else LONGEST
    return [TargetGroup(title, entries[:most]) for title, entries in groups if entries]


def _matches(title: str | Promise, query: str) -> bool:
    """In any case, in the language of the page or in English."""
    needle = query.casefold()
    if needle in str(title).casefold():
        return True
    with translation.override("en"):
        return needle in str(title).casefold()


def _pages(member: Member, query: str) -> Iterable[Target]:
    slug, doors = member.project.slug, {door.word: door.title for door in DOORS}
    pages = pages_for(member)
    return [
        Target(str(page.title), page.address(slug), str(doors[page.door]))
        for page in pages
        if _matches(page.title, query) or _matches(doors[page.door], query)
    ]


def _outside(query: str) -> list[Target]:
    return [Target(str(title), reverse(name)) for name, title in OUTSIDE if _matches(title, query)]


def _actions(member: Member, query: str) -> list[Target]:
    pages = [page for page in ACTIONS if page.is_for(member) and _matches(page.title, query)]
    return [Target(str(page.title), page.address(member.project.slug)) for page in pages]


def _items(user: User, member: Member | None, query: str) -> list[Target]:
    """Items of the open project whose keys contain the text, and those of other projects that have just this key."""
    readable = Q(project__members__in=Member.objects.of(user).who_can(*READERS))
    condition = Q(key=query)
    if member and member.role in READERS:
        condition |= Q(project=member.project, key__icontains=query)
    items = (
        Item.objects.filter(condition & readable)
        .select_related("project")
        .only("key", "project__slug", "project__name")
    )
    return [
        Target(item.key, reverse("item", args=[item.project.slug, item.pk]), item.project.name)
        for item in items.order_by("key", "pk")[:MOST]
    ]


def _people(member: Member, query: str) -> list[Target]:
    """Only leads open the pages of people."""
    if not member.leads:
        return []
    names = ("display_name", "first_name", "last_name", "username", "email")
    condition = Q()
    for name in names:
        condition |= Q(**{f"user__{name}__icontains": query})
    members = Member.objects.filter(condition, project=member.project).select_related("user").order_by("pk")
    slug = member.project.slug
    return [
        Target(str(row.user), reverse("member", args=[slug, row.pk]), str(row.get_role_display()))
        for row in members[:MOST]
    ]


def projects(user: User, query: str = "") -> list[Target]:
    """Each leads to the first page that the person sees in it."""
    members = Member.objects.of(user).select_related("project", "user").order_by("project__name", "pk")
    if query:
        members = members.filter(Q(project__name__icontains=query) | Q(project__slug__icontains=query))
    return [
        Target(row.project.name, pages_for(row)[0].address(row.project.slug), str(row.get_role_display()))
        for row in members[: MOST if query else LONGEST]
    ]


IN_MENU = 12  # projects; the others stand on the page of all projects


@require_safe
@never_cache
@login_required
def jump(request: HttpRequest) -> HttpResponse:
    """?q= what to look for; ?from= the project in which the person is. A project that is not theirs counts as none."""
    user, text = person(request), request.GET.get("q", "")
    if request.htmx and request.GET.get("part") == "projects":  # type: ignore[attr-defined]  # set by django-htmx
        return render(request, "jump/_projects.html", {"projects": projects(user)[:IN_MENU]})
    member = _member(user, request.GET.get("from", ""))
    context = {"groups": targets(user, member, text), "q": text, "from": member.project.slug if member else ""}
    template = "jump/_found.html" if request.htmx else "jump/jump.html"  # type: ignore[attr-defined]  # django-htmx
    return render(request, template, context)


def _member(user: User, slug: str) -> Member | None:
    return (
        Member.objects.of(user).filter(project__slug=slug).select_related("project", "user").first() if slug else None
    )


@login_required
def tour(request: HttpRequest, slug: str) -> HttpResponse:
    """All steps of the tour for this person's role. A POST shows the step `to` on its page, or ends the tour: 0."""
    member = membership(request, slug)
    person_tour = Tour(member)
    if request.method != "POST":
        return project_page(request, member, "tour/tour.html", {"taken": person_tour}, tab="")
    to = request.POST.get("to", "")
    person_tour.go(int(to) if to.isascii() and to.isdecimal() and len(to) < 3 else ENDED)
    if person_tour.number:
        return redirect(f"{person_tour.path}#tour")
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx
        return HttpResponse()
    return redirect(_back(request) or person_tour.path)


def _back(request: HttpRequest) -> str:
    """The path of the page on which the tour was ended; "" where it is not one of ours."""
    target = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return target if safe and target.startswith("/") else ""
