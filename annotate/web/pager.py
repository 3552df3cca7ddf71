"""The pager of every list: numbered pages, pages that follow a row, and pages from an index on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest

RowT = TypeVar("RowT")
RowT_co = TypeVar("RowT_co", covariant=True)
MOST_DIGITS = 18  # of a number in an address: a larger one may not fit into a column


def numbered_page(
    request: HttpRequest, rows: QuerySet[Any] | Sequence[Any], size: int, parameter: str = "page"
) -> Page[Any]:
    """The page that `?page=` names, for `files/_pages.html`: the first where it names none, the last beyond the end.

    parameter: another name, where a page has several lists, for `items/_earlier.html`.
    """
    return Paginator(rows, size).get_page(request.GET.get(parameter))


def newest_page(rows: Sequence[Any], size: int, number: str | int | None) -> Page[Any]:
    """Rows from old to new, for `items/_earlier.html`: page 1 has the newest, each page begins with its oldest."""
    page = Paginator(rows[::-1], size).get_page(number)
    page.object_list = page.object_list[::-1]
    return page


def row_named(request: HttpRequest, name: str) -> int | None:
    """The id of the row at which an address begins, such as `?after=12`; None if it names none."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else None


class Slices(Protocol[RowT_co]):
    """A query set or a list."""

    def __getitem__(self, part: slice, /) -> Iterable[RowT_co]: ...


@dataclass(frozen=True)
class RowPage(Generic[RowT]):
    """One page in the order of its list. previous, next: its first and its last row, beyond which the neighbouring
    pages lie; None where there is no such page.
    """

    rows: list[RowT]
    previous: RowT | None
    next: RowT | None


def row_page(rows: Slices[RowT], size: int, *, after: bool = False, before: bool = False) -> RowPage[RowT]:
    """The first `size` of these rows. It reads one row more and counts nothing, so that long lists stay fast.

    after: they are the rows after a row of another page. before: they are those before one, in reverse order. At most
    one of both; without either, the list from its beginning.
    """
    page_rows = list(rows[: size + 1])
    more, page_rows = len(page_rows) > size, page_rows[:size]
    if before:
        page_rows.reverse()
    if not page_rows:
        return RowPage([], None, None)
    has_previous, has_next = (more, True) if before else (after, more)
    return RowPage(page_rows, page_rows[0] if has_previous else None, page_rows[-1] if has_next else None)


@dataclass(frozen=True)
class IndexPage(Generic[RowT]):
    """One page of a list in memory. total: rows of all pages. previous, next: where the neighbouring pages start."""

    rows: Sequence[RowT]
    total: int
    start: int
    previous: int | None
    next: int | None


def index_page(rows: Sequence[RowT], size: int, start: int = 0) -> IndexPage[RowT]:
    """The rows from the index `start` on, at most `size`."""
    previous = max(start - size, 0) if start else None
    following = start + size if start + size < len(rows) else None
    return IndexPage(rows[start : start + size], len(rows), start, previous, following)
