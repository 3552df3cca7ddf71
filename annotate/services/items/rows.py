"""What a list shows beside each item: who has it and how many comments wait."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from annotate.models import Comment, Item, Slot


@dataclass(frozen=True)
class ItemRow:
    item: Item
    slots: Sequence[Slot]
    open_comments: int

    @property
    def held(self) -> list[Slot]:
        return [slot for slot in self.slots if slot.state == Slot.State.HELD]

    @property
    def assigned(self) -> list[Slot]:
        return [slot for slot in self.slots if slot.state == Slot.State.OPEN]


def rows_of(items: Sequence[Item]) -> list[ItemRow]:
    """The rows of these items, in two queries however many they are."""
    ids = [item.pk for item in items]
    in_hand = defaultdict(list)
    reserved = Q(state=Slot.State.OPEN, reserved_for__isnull=False)
    for slot in Slot.objects.filter(Q(state=Slot.State.HELD) | reserved, item__in=ids).select_related(
        "holder", "reserved_for"
    ):
        in_hand[slot.item_id].append(slot)
    threads = Comment.objects.unresolved().filter(item__in=ids).order_by()
    comments = dict(threads.values_list("item").annotate(Count("pk")))
    return [ItemRow(item, in_hand[item.pk], comments.get(item.pk, 0)) for item in items]
