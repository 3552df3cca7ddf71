"""Whom a question would tell something that they must not know yet.

Whoever asks about an item says what they think of it. As long as somebody can still do the same work on that item
independently, nobody but the asker sees the question or its ruling, wherever it would be shown.
"""

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotate.models import Annotation, Precedent, Skip, Slot, User
from annotate.models.work import GIVEN_UP


def shown_to(precedents: QuerySet[Precedent], person: Any) -> QuerySet[Precedent]:
    """Without what is hidden from this person: their own stay, and those of items that they have given up to read."""
    given_up = Skip.objects.filter(item=OuterRef("item"), person=person, note=GIVEN_UP)
    return precedents.exclude(~Q(asked_by=person) & sealed(person) & ~Q(Exists(given_up)))


def sealed(person: Any) -> Q:
    """Whether a question is about work that others are to do independently of its asker; for filters.

    The asker has a part in a round and stage of the item, and another slot of it is unfinished; or this person had a
    part in a disagreement about it, which they can take back until somebody has taken it up.
    """
    part = Annotation.objects.filter(
        item=OuterRef("item"),
        author=OuterRef(OuterRef("asked_by")),
        slot__round=OuterRef("round"),
        slot__stage=OuterRef("stage"),
    )
    now = Slot.objects.filter(item=OuterRef("item"), round=OuterRef("item__round"))
    not_theirs = Q(holder=None) | ~Q(holder=OuterRef("asked_by"))
    parallel_slots = now.unfinished().filter(not_theirs).filter(Exists(part))
    dispute = now.filter(stage=Slot.Stage.ADJUDICATE).open()
    return Q(Exists(parallel_slots)) | Q(Exists(now.filter(holder=person))) & Q(Exists(dispute))


def in_hand(item_id: int, person: User) -> bool:
    """Whether this person has an unfinished part in the item themselves, or one that they can still take back."""
    own_slots = Slot.objects.filter(item_id=item_id, holder=person)
    dispute = Slot.objects.open().filter(item_id=item_id, stage=Slot.Stage.ADJUDICATE)
    return own_slots.held().exists() or (own_slots.exists() and dispute.exists())
