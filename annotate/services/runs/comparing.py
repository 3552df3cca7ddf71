"""Two runs beside each other: what each left at every item."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.models import Item, Job, Run
from annotate.services.runs.planning import purpose_of

CHUNK = 200
PAGE = 20
LOOKED_AT = 4000  # items that a page is looked for in at once, where it takes differing ones only
QUICK = 4000  # jobs of both runs together that are counted while somebody waits


@dataclass(frozen=True)
class Compared:
    """One item and the outcome of either run there; None where a run left none."""

    item: Item
    left: Any
    right: Any

    @property
    def equal(self) -> bool:
        return self.left is not None and self.left == self.right

    @property
    def differs(self) -> bool:
        """Also where only one of them left anything."""
        return bool(self.left != self.right)


@dataclass
class Comparison:
    """Counts over all items that either run was about.

    only_left, only_right: items where only that run left an outcome; neither: where both failed.
    """

    run: Run
    other: Run
    equal: int = 0
    differing: int = 0
    only_left: int = 0
    only_right: int = 0
    neither: int = 0

    @property
    def total(self) -> int:
        return self.equal + self.differing + self.only_left + self.only_right + self.neither


@dataclass(frozen=True)
class ComparedPage:
    """previous, next: the item id before or after which the page beside it lies; None where there is none.

    looked_at_all: False where the search was broken off before the page was full; it goes on there.
    """

    rows: Sequence[Compared]
    previous: int | None
    next: int | None
    looked_at_all: bool = True


def compare(run: Run, other: Run) -> Comparison:
    """How often they agree, item by item. Jobs without an item are left out."""
    found = Comparison(run, other)
    for items in _items(run, other):
        for compared in _outcomes(run, other, items):
            _count(found, compared)
    return found


def is_quick(run: Run, other: Run) -> bool:
    """Whether comparing all of it is nothing to wait for."""
    return Job.objects.filter(run__in=[run, other])[: QUICK + 1].count() <= QUICK


def compared_page(
    run: Run, other: Run, *, differing: bool, after: int | None = None, before: int | None = None, size: int = PAGE
) -> ComparedPage:
    """One page by item id. differing: only items that `differs`. after, before: item ids; at most one of them."""
    rows, last, ended = _search(run, other, differing, after, before, size)
    more = len(rows) > size
    rows = rows[:size]
    onward = rows[-1].item.pk if more else last
    beyond = onward if more or not ended else None
    if before is not None:
        rows = rows[::-1]
        return ComparedPage(rows, beyond, rows[-1].item.pk if rows else before - 1, more or ended)
    came_from = rows[0].item.pk if rows else (after or 0) + 1
    return ComparedPage(rows, came_from if after is not None else None, beyond, more or ended)


def _search(
    run: Run, other: Run, differing: bool, after: int | None, before: int | None, size: int
) -> tuple[list[Compared], int, bool]:
    """The page and one more, the last item looked at, and whether there was nothing left to look at."""
    rows, looked_at, last = list[Compared](), 0, before or after or 0
    for items in _items(run, other, after=after, before=before):
        rows += [one for one in _outcomes(run, other, items) if one.differs or not differing]
        looked_at, last = looked_at + len(items), items[-1].pk
        if len(rows) > size or looked_at >= LOOKED_AT:
            return rows, last, False
    return rows, last, True


def _outcomes(run: Run, other: Run, items: list[Item]) -> Iterator[Compared]:
    keys = [item.pk for item in items]
    left, right = purpose_of(run).outcomes(run, keys), purpose_of(other).outcomes(other, keys)
    return (Compared(item, left.get(item.pk), right.get(item.pk)) for item in items)


def _count(found: Comparison, compared: Compared) -> None:
    if compared.left is None and compared.right is None:
        found.neither += 1
    elif compared.right is None:
        found.only_left += 1
    elif compared.left is None:
        found.only_right += 1
    elif compared.equal:
        found.equal += 1
    else:
        found.differing += 1


def _items(run: Run, other: Run, *, after: int | None = None, before: int | None = None) -> Iterator[list[Item]]:
    """By key range, backwards from `before`: no long query that a writer would have to wait for."""
    about = Job.objects.filter(run__in=[run, other], item__isnull=False).values("item_id")
    found = Item.objects.filter(pk__in=about).defer("facts").order_by("pk" if before is None else "-pk")
    beyond = "pk__gt" if before is None else "pk__lt"
    last = (after or 0) if before is None else before
    while items := list(found.filter(**{beyond: last})[:CHUNK]):
        yield items
        last = items[-1].pk
