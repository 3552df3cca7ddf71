"""Checks among the work: which hand-outs are one, and how one takes the place of an item of the queue.

Whether the n-th hand-out of a person is a check is drawn from a keyed hash, so that it stays the same however often it
is asked, and how many are to come can be counted beforehand: "12 of 80" holds whether the twelfth was a check or not.
"""

import uuid
from decimal import Decimal

from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotate.models import Annotation, Item, Member, Readiness, Skip, Slot
from annotate.models.items import ItemQuerySet
from annotate.services import flow, queue
from annotate.services.readiness import asking, places

PURPOSES = (Item.Purpose.GOLD, Item.Purpose.ATTENTION)
SALT = "annotate.readiness"


def asked_of(member: Member) -> Readiness | None:
    """What is asked of those who get checks in their stream; None for others, and where there are none."""
    readiness = None if member.leads else asking.asked_by(member.project)
    return readiness if readiness is not None and readiness.check_share > 0 else None


def is_drawn(member: Member, number: int, share: Decimal) -> bool:
    """Whether this person's hand-out of this number, from 0, is a check."""
    return _number(member, f"place-{number}") < share


def _number(member: Member, label: str) -> float:
    """0..1, the same for the same; nobody without the installation's key can tell it beforehand."""
    digest = salted_hmac(SALT, f"{member.pk}:{label}", algorithm="sha256").digest()
    return int.from_bytes(digest[:8]) / 2**64


def waiting(member: Member) -> ItemQuerySet:
    """The checks that this person has not had."""
    had = Slot.objects.filter(item=OuterRef("pk"), no__gte=places.FIRST, reserved_for=member.user)
    skipped = Skip.objects.filter(item=OuterRef("pk"), person=member.user)
    return places.answered_for(member, *PURPOSES).filter(~Exists(had), ~Exists(skipped))


def handed_in(member: Member) -> int:
    """How many items of the stream this person has handed in: the number of the next one."""
    slots = Slot.objects.filter(project_id=member.project_id, holder=member.user, stage=Slot.Stage.ANNOTATE)
    return slots.filter(state=Slot.State.SUBMITTED).exclude(item__purpose=Item.Purpose.CALIBRATION).count()


def still_to_come(member: Member, *, first: int, work: int) -> int:
    """How many checks are handed out before this many work items are done, the next hand-out being number `first`."""
    readiness = asked_of(member)
    check_count = waiting(member).count() if readiness and work else 0
    total, number = 0, first
    while readiness and work > 0 and total < check_count:
        if is_drawn(member, number, readiness.check_share):
            total += 1
        else:
            work -= 1
        number += 1
    return total


def next_check(member: Member) -> Slot | None:
    """A check for this person, held, where their next hand-out is one and the queue has work to hide it in."""
    readiness = asked_of(member)
    if readiness is None or queue.reached_limit(member) or _holds_something(member):
        return None
    if not is_drawn(member, handed_in(member), readiness.check_share):
        return None
    ids = list(waiting(member).values_list("pk", flat=True))
    if not ids:
        return None
    # The same for two windows at once: the second one fails at one_slot_a_person_a_round and finds what is held.
    item_id = min(ids, key=lambda pk: _number(member, f"item-{pk}"))
    pk = places.until_free(lambda: _take_the_place(member, item_id))
    return Slot.objects.select_related("item__base__slot").get(pk=pk) if pk else None


def _holds_something(member: Member) -> bool:
    slots = Slot.objects.held_by(member.user).filter(project_id=member.project_id, stage=Slot.Stage.ANNOTATE)
    return slots.exists()


def _take_the_place(member: Member, item_id: int) -> int | None:
    """The slot that would have been handed out holds the check; its work gets a new slot at the end of the queue.

    So nothing about the number in the address tells that this was made for one person.
    """
    if _holds_something(member):
        return None
    slot = _next_of_the_queue(member)
    if slot is None:
        return None
    for pk in sorted([slot.item_id, item_id]):  # the order in which everybody locks several
        flow.lock(pk)
    if not Item.objects.filter(pk=item_id, state=Item.State.ACCEPTED, purpose__in=PURPOSES).exists():
        return None
    now = timezone.now()
    open_slot = Slot.objects.open().filter(pk=slot.pk, item_id=slot.item_id, reserved_for=None)
    changed = open_slot.update(
        item_id=item_id,
        round=Item.objects.values_list("round", flat=True).get(pk=item_id),
        no=places.drawn_number(),
        state=Slot.State.HELD,
        holder=member.user,
        reserved_for=member.user,
        token=uuid.uuid4(),
        lease_until=queue.lease_end(member.project, now),
    )
    if not changed:
        return None
    same = ("item_id", "project_id", "stage", "round", "no", "priority", "opens_at", "blind")
    Slot.objects.create(**{name: getattr(slot, name) for name in same})
    return slot.pk


def _next_of_the_queue(member: Member) -> Slot | None:
    """One that nobody has written in, and that is kept for nobody."""
    fresh = queue.candidates(member, Slot.Stage.ANNOTATE, timezone.now()).filter(reserved_for=None)
    fresh = fresh.filter(item__purpose=Item.Purpose.WORK, no__lt=places.FIRST, about=None)
    return fresh.filter(~Exists(Annotation.objects.filter(slot=OuterRef("pk")))).first()
