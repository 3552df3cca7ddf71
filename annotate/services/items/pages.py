"""Pages of a list of items by keyset, forth and back, in orders that stay cheap at 100,000 items."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from annotate.models import Item

PAGE = 50


@dataclass(frozen=True)
class Order:
    """A sort order: by a column and then by id, both in the same direction."""

    column: str
    backwards: bool
    read: Callable[[str], Any] = int

    def sorted(self, items: QuerySet[Item], *, reverse: bool) -> QuerySet[Item]:
        sign = "-" if self.backwards != reverse else ""
        columns = [f"{sign}{self.column}"] if self.column != "id" else []
        return items.order_by(*columns, f"{sign}id")

    def beyond(self, items: QuerySet[Item], cursor: "Cursor", *, reverse: bool) -> QuerySet[Item]:
        """What comes after the cursor (before it, in reverse)."""
        way = "lt" if self.backwards != reverse else "gt"
        if self.column == "id":
            return items.filter(**{f"id__{way}": cursor.pk})
        further = Q(**{f"{self.column}__{way}": cursor.value})
        return items.filter(further | Q(**{self.column: cursor.value, f"id__{way}": cursor.pk}))

    def cursor(self, item: Item) -> "Cursor":
        return Cursor(item.pk, getattr(item, self.column))


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if timezone.is_naive(moment):
        raise ValueError("a moment without its zone")
    return moment.astimezone(UTC)  # as the database will; the first and the last hours there are, cannot


ORDERS = {
    "first": Order("id", False),
    "last": Order("id", True),
    "changed": Order("changed_at", True, _moment),
    "priority": Order("priority", True),
}


@dataclass(frozen=True)
class Cursor:
    """A place in a list: the item there and its value in the column of the order."""

    pk: int
    value: Any

    def __str__(self) -> str:
        value = self.value.isoformat() if isinstance(self.value, datetime) else self.value
        return f"{self.pk}~{value}"

    @classmethod
    def read(cls, text: str, order: Order) -> "Cursor | None":
        """The place that an address names; None where it names none of this order."""
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
    previous: Cursor | None
    next: Cursor | None


def page(
    items: QuerySet[Item], *, order: Order, after: Cursor | None = None, before: Cursor | None = None, size: int = PAGE
) -> ItemPage:
    """One page in this order: after a place, before a place, or the first one."""
    reverse, cursor = before is not None, before or after
    ordered = order.sorted(items.defer("facts").select_related("batch"), reverse=reverse)
    rows = list((order.beyond(ordered, cursor, reverse=reverse) if cursor else ordered)[: size + 1])
    more, rows = len(rows) > size, rows[:size]
    if reverse:
        rows.reverse()
    has_previous = more if reverse else after is not None
    has_next = more if not reverse else True
    return ItemPage(
        items=rows,
        previous=order.cursor(rows[0]) if rows and has_previous else None,
        next=order.cursor(rows[-1]) if rows and has_next else None,
    )


def in_batches(items: QuerySet[Item], *, size: int = 1000) -> Iterator[list[Item]]:
    """All of them by ascending id, read in parts that hold no cursor open."""
    last_id = 0
    while rows := list(items.defer("facts").select_related("batch").filter(pk__gt=last_id).order_by("pk")[:size]):
        yield rows
        last_id = rows[-1].pk
