"""Leases of slots: how long a person holds a slot, and how the lease ends.

A slot is renewed, returned, skipped, submitted, taken back, or freed by a lead or when its lease has expired. Each is
one conditional UPDATE whose row count says who won; the same ORM code runs on SQLite and PostgreSQL.
"""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.errors import LeaseLost
from annotate.items import flow, turns
from annotate.models import Item, Member, Project, Skip, Slot, User
from annotate.models.work import GIVEN_UP, SlotQuerySet
from annotate.prepared import prepared_change

SWEPT_AT_ONCE = 500


def lease_end(project: Project, now: datetime) -> datetime:
    return now + timedelta(minutes=project.lease_minutes)


def extend(slot: Slot, token: uuid.UUID) -> datetime:
    """A heartbeat: the lease is renewed. Raises LeaseLost."""
    until = lease_end(slot.project, timezone.now())
    _change_held(slot, token, lease_until=until)
    turns.keep(slot.project, slot.holder_id, until)
    return until


def release(slot: Slot, token: uuid.UUID) -> None:
    """Return a slot to the queue; the draft stays with its author. Raises LeaseLost."""
    _change_held(slot, token, state=Slot.State.OPEN, holder=None, token=None, lease_until=None)


def skip(slot: Slot, token: uuid.UUID, *, person: User, reason: str, note: str = "") -> None:
    """Return an item for good: it is never handed to this person again. Raises LeaseLost."""
    with transaction.atomic():
        release(slot, token)
        reserved_slots = Slot.objects.filter(pk=slot.pk, reserved_for=person, item__purpose=Item.Purpose.WORK)
        reserved_slots.update(reserved_for=None, reserved_until=None)
        Skip.objects.update_or_create(item_id=slot.item_id, person=person, defaults={"reason": reason, "note": note})


def unskip(slot_id: int, member: Member, take: Callable[[], Slot | None]) -> Slot | None:
    """Undo a skip: the slot is this person's again if nobody has claimed it meanwhile; otherwise None, and still
    skipped.

    take: claims this very slot.
    """
    skips = Skip.objects.filter(person=member.user, item__slots__pk=slot_id, item__project_id=member.project_id)
    skips = skips.exclude(note=GIVEN_UP)
    skipped = skips.first()
    if skipped is None:
        return None
    skips.delete()
    slot = take()
    if slot is None:
        skipped.save(force_insert=True)
    return slot


def finish(slot: Slot, token: uuid.UUID, holder: int | None) -> None:
    """The start of a submission, inside its transaction: the slot is done, its item locked.

    holder: the id of the person who submits. Raises LeaseLost, also if the token is that of somebody else's lease.
    """
    flow.lock(slot.item_id)
    if not _finished(slot=slot.pk, token=token, holder=holder):
        raise _lease_lost()


@prepared_change
def _finished(slot: int, token: uuid.UUID, holder: int) -> tuple[SlotQuerySet, dict[str, Any]]:
    return Slot.objects.held_by(holder).filter(pk=slot, token=token), {
        "state": Slot.State.SUBMITTED,
        "lease_until": None,
    }


def take_back(slot: Slot, person: User, project: Project) -> Slot:
    """Give a submitted slot back to its holder. Raises LeaseLost if it is not theirs to take."""
    token, until = uuid.uuid4(), lease_end(project, timezone.now())
    own_slot = Slot.objects.filter(pk=slot.pk, state=Slot.State.SUBMITTED, holder=person)
    if not own_slot.update(state=Slot.State.HELD, token=token, lease_until=until):
        raise LeaseLost(_("You can no longer change this."))
    turns.keep(project, person.pk, until)
    return Slot.objects.get(pk=slot.pk)


def free(slot: Slot) -> bool:
    """Take a held slot from its holder, for a lead, and put it back into the queue; False if it was no longer held."""
    held = Slot.objects.held().filter(pk=slot.pk, token=slot.token)
    freed = bool(held.update(state=Slot.State.OPEN, holder=None, token=None, lease_until=None))
    if freed and slot.unit:
        turns.end(slot.project_id, slot.holder_id, slot.unit)
    return freed


def sweep(now: datetime | None = None) -> int:
    """Put every slot with an expired lease back into the queue; returns how many. Drafts stay with their authors.

    The history of each item records who had it.
    """
    overdue = Slot.objects.overdue(now or timezone.now()).order_by("id")
    swept = 0
    while freed := _sweep(overdue):
        swept += freed
    return swept


def _sweep(overdue: SlotQuerySet) -> int:
    """The first of these slots, in the same number of statements for one or five hundred."""
    with transaction.atomic():
        # Rows that somebody is changing are left to the next sweep, so that there is no deadlock.
        due = overdue.select_for_update(skip_locked=True, of=("self",)).select_related("holder")
        slots = list(due[:SWEPT_AT_ONCE])
        Slot.objects.filter(pk__in=[slot.pk for slot in slots]).update(
            state=Slot.State.OPEN, holder=None, token=None, lease_until=None
        )
        flow.record_expired(slots)
    return len(slots)


def _change_held(slot: Slot, held_under: uuid.UUID, /, **changes: Any) -> None:
    if not Slot.objects.held().filter(pk=slot.pk, token=held_under).update(**changes):
        raise _lease_lost()


def _lease_lost() -> LeaseLost:
    return LeaseLost(_("This item is no longer reserved for you. Your text is kept under My drafts."))
