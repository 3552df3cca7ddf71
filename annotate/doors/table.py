"""The six doors of a project and the pages behind them: one table, to which apps above add their pages.

An app adds pages by `DOOR_PAGES` in its `hooks.py`: a function without arguments that gives them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from django.conf import settings
from django.urls import NoReverseMatch, get_script_prefix, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotate.engine.discovery import hooks
from annotate.intake import duplicate_search
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
    return duplicate_search.suits(member.project)


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


@lru_cache(maxsize=1024)
def existing_pages(_urls: str, _prefix: str, slug: str) -> Sequence[DoorPage]:
    return [page for page in all_pages() if page.address(slug)]
