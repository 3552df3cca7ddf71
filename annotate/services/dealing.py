"""Which way round a person sees an item whose parts have no order of their own."""

import hashlib

from annotate.models import Item


def dealt_to(item: Item, person_id: int | None) -> int:
    """The deal of this item; one that asks again about another is dealt like that one, and its facts are exchanged."""
    return deal(item.parent_id or item.pk, person_id)


def deal(item_id: int, person_id: int | None) -> int:
    """A number that is always the same for this person and item, even and odd alike often; 0 for nobody.

    It follows from the two ids alone, so that it is the same in every process and after a restore, and nothing that is
    shown can depend on whose answers an item holds.
    """
    if person_id is None:
        return 0
    return int.from_bytes(hashlib.sha256(f"deal/{item_id}/{person_id}".encode()).digest()[:6])
