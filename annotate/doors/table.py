"""The six doors of a project and the pages behind them: one table, to which apps above add their pages.

An app adds pages by `DOOR_PAGES` in its `hooks.py`: a function without arguments that gives them. `Way` is the way to
one page for one member: the doors, the row of the open door, and the trail.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from itertools import groupby

from django.conf import settings
from django.urls import NoReverseMatch, get_script_prefix, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotate.doors.waiting import Waiting, shown, waiting_for
from annotate.engine.discovery import hooks
from annotate.formats.chatlog.conversations import scenarios_of
from annotate.models import Member
from annotate.web.access import EVERYONE, LEADS, READERS, REVIEWERS, WORKERS


@dataclass(frozen=True)
class Door:
    """word: its name in the table of pages. plain: its title for members whose pages behind it are only texts to read,
    if that differs.
    """

    word: str
    title: str | Promise
    plain: str | Promise = ""


def everybody(member: Member) -> bool:
    return True


@dataclass(frozen=True)
class DoorPage:
    """A page behind a door. order: ascending within the door. name: of its address, which holds only the project.

    roles: who sees it; fits: which of these members do. aside: it stands in the row only while it is open, because
    another page of the door lists it. count: what of `Waiting` its entry shows. of_project: False for a page of the
    whole installation.
    """

    door: str
    order: int
    name: str
    title: str | Promise
    roles: tuple[str, ...]
    fits: Callable[[Member], bool] = everybody
    aside: bool = False
    count: str = ""
    of_project: bool = True

    def is_for(self, member: Member) -> bool:
        return member.role in self.roles and self.fits(member)

    def address(self, slug: str) -> str:
        """ "" where this installation has no such page."""
        arguments = (slug,) if self.of_project else ()
        return _address(settings.ROOT_URLCONF, get_script_prefix(), self.name, arguments)


@lru_cache(maxsize=4096)
def _address(_urls: str, _prefix: str, name: str, arguments: tuple[str, ...]) -> str:
    try:
        return reverse(name, args=arguments)
    except NoReverseMatch:
        return ""


def _takes_chat_logs(member: Member) -> bool:
    """Whether the project's items are asked by people, so that two of them can ask the same."""
    return bool(scenarios_of(member.project.kind_slug))


def _takes_reports(member: Member) -> bool:
    return member.project.kind.takes_reports


def _asks_own_questions(member: Member) -> bool:
    return member.project.kind.defined


def _administers(member: Member) -> bool:
    return member.user.is_staff or member.user.is_superuser


DOORS = (
    Door("overview", _("Overview")),
    Door("work", pgettext_lazy("part of a project", "Work")),
    Door("data", _("Data")),
    Door("models", _("Models")),
    Door("results", _("Results")),
    Door("team", _("Team & settings"), plain=_("Guidelines")),
)
PAGES = (
    DoorPage("overview", 10, "overview", _("Overview"), READERS),
    DoorPage("work", 10, "work", _("Annotate"), WORKERS, count="to_annotate"),
    DoorPage("work", 20, "review", _("Review"), REVIEWERS, count="to_review"),
    DoorPage("work", 30, "disputes", _("Disputes"), REVIEWERS),
    DoorPage("work", 40, "my_corrections", _("My corrections"), WORKERS, count="returned"),
    DoorPage("work", 50, "my_drafts", _("My drafts"), WORKERS, count="drafts"),
    DoorPage("work", 60, "my_pace", _("My pace"), WORKERS),
    DoorPage("data", 10, "items", _("Items"), READERS),
    DoorPage("data", 30, "import", _("Import"), LEADS),
    DoorPage("data", 35, "media", _("Files"), LEADS, _asks_own_questions),
    DoorPage("data", 40, "collect", _("Chat logs"), LEADS, _takes_chat_logs),
    DoorPage("data", 50, "survey_lead", _("Public survey"), LEADS, _takes_reports),
    DoorPage("data", 60, "near_duplicates", _("Near-duplicates"), LEADS, _takes_chat_logs),
    DoorPage("data", 70, "samples", _("Samples"), LEADS),
    DoorPage("data", 80, "releases", _("Releases"), READERS),
    DoorPage("models", 10, "runs", _("Runs"), LEADS),
    DoorPage("models", 20, "prompts", _("Prompts"), LEADS),
    DoorPage("models", 40, "classification", _("Classification"), LEADS),
    DoorPage("models", 50, "endpoints", _("Endpoints"), LEADS, _administers, of_project=False),
    DoorPage("results", 900, "anchoring", _("Effect of suggestions"), ("lead", "viewer")),
    DoorPage("team", 10, "people", _("People"), LEADS),
    DoorPage("team", 20, "readiness", _("Calibration"), LEADS),
    DoorPage("team", 30, "pace", _("Pace"), LEADS),
    DoorPage("team", 35, "questions", _("Questions"), LEADS, _asks_own_questions),
    DoorPage("team", 40, "guidelines", _("Guidelines"), EVERYONE),
    DoorPage("team", 50, "precedents", _("Precedents"), EVERYONE),
    DoorPage("team", 60, "project_settings", _("Settings"), LEADS),
    DoorPage("team", 70, "tokens", _("API tokens"), LEADS),
    DoorPage("team", 80, "webhooks", _("Webhooks"), LEADS),
    DoorPage("team", 90, "project_audit", _("Audit trail"), LEADS),
)
TEXTS = {"guidelines", "precedents"}  # pages that a member only reads


@cache
def all_pages() -> Sequence[DoorPage]:
    """The pages of all apps, door by door."""
    doors = [door.word for door in DOORS]
    pages = [*PAGES, *(page for more in hooks("DOOR_PAGES") for page in more())]
    return sorted(pages, key=lambda page: (doors.index(page.door), page.order))


def pages_for(member: Member) -> list[DoorPage]:
    """The pages that this member sees and that this installation has."""
    existing = existing_pages(settings.ROOT_URLCONF, get_script_prefix(), member.project.slug)
    return [page for page in existing if page.is_for(member)]


def address_for(member: Member, name: str) -> str:
    """The address of the page of this name; empty where this member does not see it, or the installation lacks it."""
    existing = existing_pages(settings.ROOT_URLCONF, get_script_prefix(), member.project.slug)
    addresses = (page.address(member.project.slug) for page in existing if page.name == name and page.is_for(member))
    return next(addresses, "")


@lru_cache(maxsize=1024)
def existing_pages(_urls: str, _prefix: str, slug: str) -> Sequence[DoorPage]:
    return [page for page in all_pages() if page.address(slug)]


def no_count() -> str:
    return ""


@dataclass(frozen=True)
class Step:
    """A link. is_open: it leads to the page, or to the door, in which the reader is. count: asked when it is shown."""

    title: str | Promise
    href: str
    is_open: bool = False
    count: Callable[[], str] = no_count


@dataclass(frozen=True)
class Way:
    """tab: the name of the page that is open, or of the one that it belongs to; "" for none. path: of the request."""

    member: Member
    tab: str
    path: str

    @cached_property
    def doors(self) -> Sequence[Step]:
        """The doors that have a page for this member. Each leads to its first page."""
        return [self._door(word, pages[0]) for word, pages in self._pages.items()]

    @cached_property
    def open_door(self) -> Step | None:
        return next((door for door in self.doors if door.is_open), None)

    @cached_property
    def row(self) -> Sequence[Step]:
        """The pages of the open door; empty if it has only one."""
        pages = self._pages.get(self._page.door, []) if self._page else []
        steps = [self._step(page) for page in pages if not page.aside or page == self._page]
        return steps if len(steps) > 1 else []

    @cached_property
    def trail(self) -> Sequence[Step]:
        """From the door down to the open page. Empty where that is the only page of its door, or where none is open."""
        if self._page is None or self.open_door is None:
            return []
        page = self._step(self._page)
        if self.row:
            return [Step(self.open_door.title, self.open_door.href), page]
        return [] if self.is_at_end else [page]

    @property
    def is_at_end(self) -> bool:
        """Whether the last step of the trail is this very page, and not one above it."""
        return self._page is not None and self._page.address(self._slug) == self.path

    @property
    def current(self) -> str:
        """What the open door is marked as: the page itself, or a place that the page is in."""
        return "page" if self.is_at_end and not self.row else "true"

    @property
    def _slug(self) -> str:
        return self.member.project.slug

    @cached_property
    def _pages(self) -> dict[str, list[DoorPage]]:
        return {word: list(pages) for word, pages in groupby(pages_for(self.member), lambda page: page.door)}

    @cached_property
    def _page(self) -> DoorPage | None:
        return next((page for pages in self._pages.values() for page in pages if page.name == self.tab), None)

    @cached_property
    def waiting(self) -> Waiting:
        """One statement, in place of the one for unread notifications."""
        return waiting_for(self.member)

    def _door(self, word: str, first_page: DoorPage) -> Step:
        is_open = self._page is not None and self._page.door == word
        count = partial(self._count, "work") if word == "work" else no_count
        return Step(self._title(word), first_page.address(self._slug), is_open, count)

    def _count(self, name: str) -> str:
        return shown(getattr(self.waiting, name))

    def _title(self, word: str) -> str | Promise:
        door = next(door for door in DOORS if door.word == word)
        only_texts = all(page.name in TEXTS for page in self._pages[word])
        return door.plain if only_texts and door.plain else door.title

    def _step(self, page: DoorPage) -> Step:
        count = partial(self._count, page.count) if page.count else no_count
        return Step(page.title, page.address(self._slug), page == self._page, count)
