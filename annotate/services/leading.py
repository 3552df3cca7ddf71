"""What a lead does to items: drop, restore, reopen, put back, assign, change priority, take a lease back.

Every verb works on one item, is atomic and writes history. Raises LeftOut where the item is not in a state for it.
"""

from django.db import transaction
from django.db.models import F, TextChoices
from django.utils.translation import gettext_lazy as _

from annotate.models import Item, Member, Project, Skip, Slot, User
from annotate.services import flow, queue, slots
from annotate.services.errors import WrongState
from annotate.services.notifying import notify


class WhyNot(TextChoices):
    DROPPED = "dropped", _("dropped already")
    NOT_DROPPED = "not_dropped", _("not dropped, so there is nothing to restore")
    NOT_ACCEPTED = "not_accepted", _("not accepted, so there is nothing to reopen")
    DECIDED = "decided", _("accepted or dropped; reopen or restore first")
    QUEUED = "queued", _("waiting in the queue already")
    NO_OPEN_WORK = "no_open_work", _("no open work that this person's role includes")
    SKIPPED = "skipped", _("skipped by this person before")
    OWN_WORK = "own_work", _("this person has worked on it already")
    ASSIGNED = "assigned", _("assigned to this person already")
    NOT_ASSIGNED = "not_assigned", _("assigned to nobody")
    SAME = "same", _("has this priority already")
    RACED = "raced", _("changed by somebody else meanwhile")
    ASIDE = "aside", _("no work but a check with an expected answer; make it work first")


class LeftOut(Exception):
    """This verb does not apply to this item; `why` says for what reason."""

    def __init__(self, why: WhyNot) -> None:
        self.why = why
        super().__init__(str(why.label))


def drop(item: Item, *, by: User | None, reason: str, note: str = "") -> None:
    """Out of the dataset; whoever holds it keeps the draft. Raises LeftOut, WrongState."""
    if item.state == Item.State.DROPPED:
        raise LeftOut(WhyNot.DROPPED)
    with transaction.atomic():
        flow.move(item, "dropped", by=by, drop_reason=reason, note=note)
        _take_from_holders(item, by=by)


def restore(item: Item, *, by: User, note: str = "") -> None:
    """A dropped item is work again, from its last text. Raises LeftOut, WrongState."""
    if item.state != Item.State.DROPPED:
        raise LeftOut(WhyNot.NOT_DROPPED)
    _must_be_work(item)
    _open_another_round(item, "restored", by=by, note=note)


def reinstate(item: Item, *, by: User | None, note: str = "") -> None:
    """A dropped item is accepted again, as it was before it was dropped. Raises LeftOut, WrongState.

    Only for items that were accepted when they were dropped: the caller knows that from their history.
    """
    if item.state != Item.State.DROPPED:
        raise LeftOut(WhyNot.NOT_DROPPED)
    flow.move(item, "reinstated", by=by, note=note)


def reopen(item: Item, *, by: User | None, note: str = "") -> None:
    """An accepted item is work again, from the accepted text. Raises LeftOut, WrongState."""
    if item.state != Item.State.ACCEPTED:
        raise LeftOut(WhyNot.NOT_ACCEPTED)
    _must_be_work(item)
    _open_another_round(item, "reopened", by=by, note=note)


def requeue(item: Item, *, by: User, note: str = "") -> None:
    """Take an undecided item from whoever has it and hand it out anew, to anybody. Raises LeftOut, WrongState.

    An item that waits for its suggestion stops waiting.
    """
    if item.state in (Item.State.ACCEPTED, Item.State.DROPPED):
        raise LeftOut(WhyNot.DECIDED)
    if item.state == Item.State.IMPORTED:
        with transaction.atomic():
            flow.move(item, "ready", by=by, note=note)
            slots.open_annotating(item, item.project)
        return
    if item.state == Item.State.READY and not _taken(item):
        raise LeftOut(WhyNot.QUEUED)
    _open_another_round(item, "requeued", by=by, note=note)


def set_priority(item: Item, *, by: User, priority: int) -> None:
    """Higher is handed out earlier. Raises LeftOut."""
    if item.priority == priority:
        raise LeftOut(WhyNot.SAME)
    with transaction.atomic():
        Item.objects.filter(pk=item.pk).update(priority=priority)
        Slot.objects.open().filter(item_id=item.pk).update(priority=priority)
        flow.record(item, "priority", by=by, note=str(priority))


def assign(item: Item, *, to: Member, by: User) -> Slot:
    """Reserve the item's open work for one person, until they did it or the lead assigns it anew. Raises LeftOut.

    What the person skipped, and reviews of what they wrote themselves, cannot be assigned to them.
    """
    slot = _assignable(item, to)
    with transaction.atomic():
        still_open = Slot.objects.open().filter(pk=slot.pk)
        if not still_open.update(reserved_for=to.user, reserved_until=None):
            raise LeftOut(WhyNot.RACED)
        flow.record(item, "assigned", by=by, note=str(to.user))
    return slot


def unassign(item: Item, *, by: User) -> None:
    """Anybody may take it again. Raises LeftOut."""
    reserved = Slot.objects.open().filter(item_id=item.pk, reserved_for__isnull=False)
    with transaction.atomic():
        if not reserved.update(reserved_for=None, reserved_until=None):
            raise LeftOut(WhyNot.NOT_ASSIGNED)
        flow.record(item, "unassigned", by=by)


def take_lease(slot: Slot, *, by: User) -> None:
    """Put a held slot back into the queue; its holder keeps the draft and is told. Raises WrongState."""
    item, holder = slot.item, slot.holder
    with transaction.atomic():
        if not queue.free(slot):
            raise WrongState(str(_("This item is not held any more. Load the page again.")))
        flow.record(item, "released", by=by, note=str(holder))
        notify(holder, item, "removed", by=by)


def tell_assigned(to: User, project: Project, *, count: int, by: User) -> None:
    notify(to, None, "assigned", by=by, note=str(count), project=project)


def _must_be_work(item: Item) -> None:
    if item.purpose != Item.Purpose.WORK:
        raise LeftOut(WhyNot.ASIDE)


def _open_another_round(item: Item, verb: str, *, by: User | None, note: str) -> None:
    with transaction.atomic():
        flow.move(item, verb, by=by, note=note)
        _take_from_holders(item, by=by)
        slots.open_annotating(item, item.project)


def _take_from_holders(item: Item, *, by: User | None) -> None:
    held = Slot.objects.held().filter(item_id=item.pk).select_related("holder")
    holders = [slot.holder for slot in held]
    slots.close(item)
    for holder in holders:
        notify(holder, item, "removed", by=by)


def _taken(item: Item) -> bool:
    now_with_somebody = Slot.objects.filter(item_id=item.pk, round=item.round).exclude(
        state=Slot.State.OPEN, reserved_for=None
    )
    return now_with_somebody.exists()


def _assignable(item: Item, to: Member) -> Slot:
    if item.state in (Item.State.ACCEPTED, Item.State.DROPPED):
        raise LeftOut(WhyNot.DECIDED)
    open_slots = Slot.objects.open().filter(item_id=item.pk, round=item.round, stage__in=to.stages)
    if open_slots.filter(reserved_for=to.user, reserved_until=None).exists():
        raise LeftOut(WhyNot.ASSIGNED)
    if not open_slots.exists():
        raise LeftOut(WhyNot.NO_OPEN_WORK)
    fitting = open_slots.not_skipped_by(to.user).not_already_in(to.user).not_own_work(to.user)
    slot = fitting.order_by(F("reserved_for").asc(nulls_first=True), "no").first()
    if slot is None:
        skipped = Skip.objects.filter(item_id=item.pk, person=to.user).exists()
        raise LeftOut(WhyNot.SKIPPED if skipped else WhyNot.OWN_WORK)
    return slot
