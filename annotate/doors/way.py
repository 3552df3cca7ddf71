"""The way through a project for one member on one page: the doors, the row of the open door, and the trail."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby

from django.utils.functional import Promise

from annotate.doors.table import DOORS, TEXTS, DoorPage, pages_for
from annotate.doors.waiting import Waiting, shown, waiting_for
from annotate.models import Member


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
