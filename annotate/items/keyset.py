"""Keyset pagination of items, forwards and backwards, in orders that stay fast with 100,000 items."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from annotate.models import Item
from annotate.web.pager import Slices, row_page

PAGE = 50


@dataclass(frozen=True)
class SortOrder:
    """A sort order: by a column and then by id, both in the same direction."""

    column: str
    backwards: bool
    read: Callable[[str], Any] = int

    def sorted(self, items: QuerySet[Item], *, reverse: bool) -> QuerySet[Item]:
        sign = "-" if self.backwards != reverse else ""
        columns = [f"{sign}{self.column}"] if self.column != "id" else []
        return items.order_by(*columns, f"{sign}id")

    def beyond(self, items: QuerySet[Item], cursor: "ItemCursor", *, reverse: bool) -> QuerySet[Item]:
        """The items after the cursor (before it, in reverse)."""
        way = "lt" if self.backwards != reverse else "gt"
        if self.column == "id":
            return items.filter(**{f"id__{way}": cursor.pk})
        further = Q(**{f"{self.column}__{way}": cursor.value})
        return items.filter(further | Q(**{self.column: cursor.value, f"id__{way}": cursor.pk}))

    def cursor(self, item: Item) -> "ItemCursor":
        return ItemCursor(item.pk, getattr(item, self.column))


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if timezone.is_naive(moment):
        raise ValueError("a moment without its zone")
    return moment.astimezone(UTC)  # as the database will; it fails for the first and last possible hours


ORDERS = {
    "first": SortOrder("id", False),
    "last": SortOrder("id", True),
    "changed": SortOrder("changed_at", True, _moment),
    "priority": SortOrder("priority", True),
}


@dataclass(frozen=True)
class ItemCursor:
    """A position in a list: the item there and its value in the sort column."""

    pk: int
    value: Any

    def __str__(self) -> str:
        value = self.value.isoformat() if isinstance(self.value, datetime) else self.value
        return f"{self.pk}~{value}"

    @classmethod
    def read(cls, text: str, order: SortOrder) -> "ItemCursor | None":
        """The position that an address names; None if it names none in this order."""
        number, _tilde, value = text.partition("~")
        try:
            cursor = cls(int(number), order.read(value))
        except (ValueError, OverflowError):
            return None
        in_range = all(abs(n) < 2**63 for n in (cursor.pk, cursor.value) if isinstance(n, int))
        return cursor if in_range else None


@dataclass(frozen=True)
class ItemPage:
    items: list[Item]
    previous: ItemCursor | None
    next: ItemCursor | None


SCANNED = 1000  # items


@dataclass(frozen=True)
class Scan:
    """An alternative query for a list: the items to scan, and the condition that they have to meet.

    Where many meet it, scanning the next SCANNED items fills a page long before an index has returned all matches.
    """

    items: QuerySet[Item]
    condition: Q


def page(
    items: QuerySet[Item],
    *,
    order: SortOrder,
    after: ItemCursor | None = None,
    before: ItemCursor | None = None,
    size: int = PAGE,
    scan: Scan | None = None,
) -> ItemPage:
    """One page in this order: after a position, before a position, or the first one. scan: tried first."""
    reverse, cursor = before is not None, before or after

    def ordered(unordered: QuerySet[Item]) -> QuerySet[Item]:
        rows = order.sorted(unordered.defer("facts", "metadata").select_related("batch"), reverse=reverse)
        return order.beyond(rows, cursor, reverse=reverse) if cursor else rows

    rows: Slices[Item] = ordered(items)
    if scan is not None:
        nearby = ordered(scan.items).values("pk")[:SCANNED]
        compared = list(ordered(Item.objects.filter(scan.condition, pk__in=nearby))[: size + 1])
        rows = compared if len(compared) > size else rows
    rows_page = row_page(rows, size, after=after is not None, before=reverse)
    return ItemPage(
        items=rows_page.rows,
        previous=order.cursor(rows_page.previous) if rows_page.previous else None,
        next=order.cursor(rows_page.next) if rows_page.next else None,
    )


def in_batches(items: QuerySet[Item], *, size: int = 1000) -> Iterator[list[Item]]:
    """All of them by ascending id, in batches, so that no database cursor stays open."""
    last_id = 0
    while rows := list(items.defer("facts").select_related("batch").filter(pk__gt=last_id).order_by("pk")[:size]):
        yield rows
        last_id = rows[-1].pk
