"""Two runs beside each other: what each left at every item."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from annotate.models import Item, Job, Run
from annotate.services.runs.planning import purpose_of

CHUNK = 200
SHOWN = 200  # items that a comparison lists; it counts all


@dataclass(frozen=True)
class Compared:
    """One item and the outcome of either run there; None where a run left none."""

    item: Item
    left: Any
    right: Any

    @property
    def equal(self) -> bool:
        return self.left is not None and self.left == self.right


@dataclass
class Comparison:
    """Counts over all items that either run was about; `items` are the first of them, those that differ before others.

    only_left, only_right: items where only that run left an outcome; neither: where both failed.
    """

    run: Run
    other: Run
    equal: int = 0
    differing: int = 0
    only_left: int = 0
    only_right: int = 0
    neither: int = 0
    items: list[Compared] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.equal + self.differing + self.only_left + self.only_right + self.neither


def compare(run: Run, other: Run, *, most: int = SHOWN) -> Comparison:
    """Item by item. most: how many are listed. Jobs without an item are left out."""
    found, alike = Comparison(run, other), list[Compared]()
    for items in _items(run, other):
        keys = [item.pk for item in items]
        left, right = purpose_of(run).outcomes(run, keys), purpose_of(other).outcomes(other, keys)
        for item in items:
            compared = Compared(item, left.get(item.pk), right.get(item.pk))
            _count(found, compared)
            listed = alike if compared.equal else found.items
            if len(listed) < most:
                listed.append(compared)
    found.items = (found.items + alike)[:most]
    return found


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


def _items(run: Run, other: Run) -> Iterator[list[Item]]:
    """By key range: no long query that a writer would have to wait for."""
    about = Job.objects.filter(run__in=[run, other], item__isnull=False).values("item_id")
    last = 0
    while items := list(Item.objects.filter(pk__in=about, pk__gt=last).order_by("pk")[:CHUNK]):
        yield items
        last = items[-1].pk
