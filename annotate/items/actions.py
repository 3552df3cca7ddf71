"""A lead's actions on items: drop, restore, reopen, review again, requeue, assign, set priority; also in bulk.

Every verb works on one item, is atomic and writes history. Raises NotApplicable if the item's state does not allow it.
Bulk work runs in parts.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet, TextChoices
from django.utils import timezone
from django.utils.translation import gettext_lazy

from annotate.audit.trail import record
from annotate.errors import WrongState
from annotate.items import flow, leases, slots
from annotate.models import Item, Member, Project, Reopening, Skip, Slot, User
from annotate.notices.inbox import notify


class RefusalReason(TextChoices):
    DROPPED = "dropped", gettext_lazy("already dropped")
    NOT_DROPPED = "not_dropped", gettext_lazy("not dropped, so nothing to restore")
    NOT_ACCEPTED = "not_accepted", gettext_lazy("not accepted, so nothing to reopen")
    NO_TEXT = "no_text", gettext_lazy("not accepted with a text, so nothing to review again")
    DECIDED = "decided", gettext_lazy("accepted or dropped; reopen or restore first")
    QUEUED = "queued", gettext_lazy("already in the queue")
    NO_OPEN_WORK = "no_open_work", gettext_lazy("no open work for this person's role")
    SKIPPED = "skipped", gettext_lazy("skipped by this person")
    OWN_WORK = "own_work", gettext_lazy("this person has already worked on it")
    ASSIGNED = "assigned", gettext_lazy("already assigned to this person")
    NOT_ASSIGNED = "not_assigned", gettext_lazy("not assigned")
    SAME = "same", gettext_lazy("already has this priority")
    RACED = "raced", gettext_lazy("changed by someone else in the meantime")
    ASIDE = "aside", gettext_lazy("a check with an expected answer, not work; make it work first")


class NotApplicable(Exception):
    """This verb does not apply to this item; `why` gives the reason."""

    def __init__(self, why: RefusalReason) -> None:
        self.why = why
        super().__init__(str(why.label))


def drop(item: Item, *, by: User | None, reason: str, note: str = "") -> None:
    """Remove it from the dataset; its holder keeps the draft. Raises NotApplicable, WrongState."""
    if item.state == Item.State.DROPPED:
        raise NotApplicable(RefusalReason.DROPPED)
    with transaction.atomic():
        flow.move(item, "dropped", by=by, drop_reason=reason, note=note)
        _take_from_holders(item, by=by)


def restore(item: Item, *, by: User, note: str = "") -> None:
    """Reopen a dropped item for work, from its last text. Raises NotApplicable, WrongState."""
    if item.state != Item.State.DROPPED:
        raise NotApplicable(RefusalReason.NOT_DROPPED)
    _must_be_work(item)
    _open_another_round(item, "restored", by=by, note=note)


def reinstate(item: Item, *, by: User | None, note: str = "") -> None:
    """Accept a dropped item again, as it was before it was dropped. Raises NotApplicable, WrongState.

    Only for items that were accepted when they were dropped: the caller checks this in their history.
    """
    if item.state != Item.State.DROPPED:
        raise NotApplicable(RefusalReason.NOT_DROPPED)
    flow.move(item, "reinstated", by=by, note=note)


def reopen(item: Item, *, by: User | None, note: str = "", reopening: Reopening | None = None) -> None:
    """Reopen an accepted item for work, from the accepted text. Raises NotApplicable, WrongState.

    reopening: the reopening of stale items that this is part of.
    """
    if item.state != Item.State.ACCEPTED:
        raise NotApplicable(RefusalReason.NOT_ACCEPTED)
    _must_be_work(item)
    _open_another_round(item, "reopened", by=by, note=note, reopening=reopening)


def recheck(item: Item, *, by: User) -> None:
    """Put an accepted text into one more review. Raises NotApplicable, WrongState."""
    if item.state != Item.State.ACCEPTED or item.base is None:
        raise NotApplicable(RefusalReason.NO_TEXT)
    _must_be_work(item)
    review_again(item, item.project, by=by)


def review_again(item: Item, project: Project, *, by: User) -> None:
    """One more review of an accepted text, by a person who has not written on the item. Raises WrongState."""
    assert item.base is not None
    with transaction.atomic():
        flow.lock(item.pk)
        flow.move(item, "rechecked", by=by)
        slots.open_reviews(item, project, about=item.base, opens_at=timezone.now(), people=1)


def requeue(item: Item, *, by: User, note: str = "") -> None:
    """Take an undecided item from its holder and hand it out again, to anybody. Raises NotApplicable, WrongState.

    An item that waits for its suggestion stops waiting.
    """
    if item.state in (Item.State.ACCEPTED, Item.State.DROPPED):
        raise NotApplicable(RefusalReason.DECIDED)
    if item.state == Item.State.IMPORTED:
        with transaction.atomic():
            flow.move(item, "ready", by=by, note=note)
            slots.open_annotating(item, item.project)
        return
    if item.state == Item.State.READY and not _is_taken(item):
        raise NotApplicable(RefusalReason.QUEUED)
    _open_another_round(item, "requeued", by=by, note=note)


def set_priority(item: Item, *, by: User, priority: int) -> None:
    """Set the priority; a higher one is handed out earlier. Raises NotApplicable."""
    if item.priority == priority:
        raise NotApplicable(RefusalReason.SAME)
    with transaction.atomic():
        Item.objects.filter(pk=item.pk).update(priority=priority)
        Slot.objects.open().filter(item_id=item.pk).update(priority=priority)
        flow.record(item, "priority", by=by, note=str(priority))


def assign(item: Item, *, to: Member, by: User) -> Slot:
    """Reserve the item's open work for one person, until they did it or the lead assigns it to somebody else.

    Slots that the person skipped, and reviews of their own text, cannot be assigned to them. Raises NotApplicable.
    """
    slot = _assignable(item, to)
    with transaction.atomic():
        still_open = Slot.objects.open().filter(pk=slot.pk)
        if not still_open.update(reserved_for=to.user, reserved_until=None):
            raise NotApplicable(RefusalReason.RACED)
        flow.record(item, "assigned", by=by, note=str(to.user))
    return slot


def unassign(item: Item, *, by: User) -> None:
    """Let anybody take it again. Raises NotApplicable."""
    reserved = Slot.objects.open().filter(item_id=item.pk, reserved_for__isnull=False)
    with transaction.atomic():
        if not reserved.update(reserved_for=None, reserved_until=None):
            raise NotApplicable(RefusalReason.NOT_ASSIGNED)
        flow.record(item, "unassigned", by=by)


def take_lease(slot: Slot, *, by: User) -> None:
    """Put a held slot back into the queue; its holder keeps the draft and is notified. Raises WrongState."""
    item, holder = slot.item, slot.holder
    with transaction.atomic():
        if not leases.free(slot):
            raise WrongState(str(gettext_lazy("This item is no longer in progress. Reload the page.")))
        flow.record(item, "released", by=by, note=str(holder))
        notify(holder, item, "removed", by=by)
        record("item.released", item, before={"holder": str(getattr(holder, "username", ""))}, after={})


def tell_assigned(to: User, project: Project, *, count: int, by: User) -> None:
    notify(to, None, "assigned", by=by, note=str(count), project=project)


def _must_be_work(item: Item) -> None:
    if item.purpose != Item.Purpose.WORK:
        raise NotApplicable(RefusalReason.ASIDE)


def _open_another_round(
    item: Item, verb: str, *, by: User | None, note: str, reopening: Reopening | None = None
) -> None:
    with transaction.atomic():
        flow.move(item, verb, by=by, note=note, reopening=reopening)
        _take_from_holders(item, by=by)
        slots.open_annotating(item, item.project)


def _take_from_holders(item: Item, *, by: User | None) -> None:
    held = Slot.objects.held().filter(item_id=item.pk).select_related("holder")
    holders = [slot.holder for slot in held]
    slots.close(item)
    for holder in holders:
        notify(holder, item, "removed", by=by)


def _is_taken(item: Item) -> bool:
    now_with_somebody = Slot.objects.filter(item_id=item.pk, round=item.round).exclude(
        state=Slot.State.OPEN, reserved_for=None
    )
    return now_with_somebody.exists()


def _assignable(item: Item, to: Member) -> Slot:
    if item.state in (Item.State.ACCEPTED, Item.State.DROPPED):
        raise NotApplicable(RefusalReason.DECIDED)
    open_slots = Slot.objects.open().filter(item_id=item.pk, round=item.round, stage__in=to.stages)
    if open_slots.filter(reserved_for=to.user, reserved_until=None).exists():
        raise NotApplicable(RefusalReason.ASSIGNED)
    if not open_slots.exists():
        raise NotApplicable(RefusalReason.NO_OPEN_WORK)
    fitting = open_slots.not_skipped_by(to.user).not_already_in(to.user).not_own_work(to.user)
    slot = fitting.order_by(F("reserved_for").asc(nulls_first=True), "no").first()
    if slot is None:
        skipped = Skip.objects.filter(item_id=item.pk, person=to.user).exists()
        raise NotApplicable(RefusalReason.SKIPPED if skipped else RefusalReason.OWN_WORK)
    return slot


# Bulk work: one verb for many items, in parts short enough for a request, each item by its own service, all results
# counted.


AT_ONCE = 500  # items in one request
TOGETHER = 100  # items in one transaction: others must be able to write in between

Verb = Callable[[Item], None]


@dataclass
class BulkOutcome:
    """The result for a part of a selection. `after` is the last item seen; finished if nothing is left."""

    done: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    after: int = 0
    finished: bool = True

    @property
    def reasons(self) -> list[tuple[str, str, int]]:
        """(code, words, count), the most frequent first."""
        return [(why, str(RefusalReason(why).label), count) for why, count in self.left_out.most_common()]


def work_through(
    items: QuerySet[Item],
    verb: Verb,
    *,
    project: Project,
    recorded: Mapping[str, Any] | None = None,
    after: int = 0,
    most: int | None = None,
) -> BulkOutcome:
    """Apply a verb to the next items after an id, at most AT_ONCE of them; most bounds how many may be done.

    recorded: what the audit trail says about it, beside the keys of the items; an entry for each part that changed
    some.
    """
    outcome = BulkOutcome(after=after)
    ahead = items.defer("facts").filter(pk__gt=after).order_by("pk")
    selected = list(ahead[: AT_ONCE + 1])
    outcome.finished = len(selected) <= AT_ONCE
    queue = iter(selected[:AT_ONCE])
    while batch := list(islice(queue, TOGETHER)):
        _apply_to_all(verb, batch, outcome, project=project, recorded=recorded, most=most)
    outcome.finished = outcome.finished or outcome.done == most
    return outcome


def _apply_to_all(
    verb: Verb,
    batch: Iterable[Item],
    outcome: BulkOutcome,
    *,
    project: Project,
    recorded: Mapping[str, Any] | None,
    most: int | None,
) -> None:
    """One part in one transaction, with its entry in the audit trail."""
    keys = []
    with transaction.atomic():
        for item in batch:
            if outcome.done == most:
                break
            item.project = project
            keys += [item.key] if _apply(verb, item, outcome) else []
        if keys:
            record("items.changed", project, after={**(recorded or {}), "items": keys})


def _apply(verb: Verb, item: Item, outcome: BulkOutcome) -> bool:
    outcome.after = item.pk
    try:
        verb(item)
    except NotApplicable as exclusion:
        outcome.left_out[exclusion.why] += 1
    except WrongState:
        outcome.left_out[RefusalReason.RACED] += 1
    else:
        outcome.done += 1
        return True
    return False


@dataclass(frozen=True, kw_only=True)
class Instruction:
    """What a lead wants done to every selected item. Raises Refused if it can never be done."""

    verb: str
    by: User
    to: Member | None = None
    priority: int = 0
    reason: str = ""
    note: str = ""

    def recorded(self) -> dict[str, Any]:
        """What the audit trail says of it: no note, which is in the history of each item."""
        to = {"to": self.to.user.username} if self.to else {}
        priority = {"priority": self.priority} if self.verb == "priority" else {}
        return {"verb": self.verb, **to, **priority, **({"reason": self.reason} if self.reason else {})}

    def apply(self, item: Item) -> None:
        match self.verb:
            case "assign":
                assert self.to is not None
                assign(item, to=self.to, by=self.by)
            case "unassign":
                unassign(item, by=self.by)
            case "priority":
                set_priority(item, by=self.by, priority=self.priority)
            case "drop":
                drop(item, by=self.by, reason=self.reason, note=self.note)
            case "requeue":
                requeue(item, by=self.by, note=self.note)
            case "restore":
                restore(item, by=self.by, note=self.note)
            case "reopen":
                reopen(item, by=self.by, note=self.note)
            case "recheck":
                recheck(item, by=self.by)
            case _:
                raise ValueError(self.verb)
