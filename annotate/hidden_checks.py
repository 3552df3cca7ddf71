"""Calibration and hidden checks: what a person must pass first, and checks that look like ordinary work.

The functions read rows that are usually loaded with the member.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q

from annotate.models import Annotation, Comment, Event, Item, Member, Project, Readiness, Slot
from annotate.models.items import ItemQuerySet
from annotate.models.records import EventQuerySet
from annotate.models.work import SlotQuerySet


def requirements_of(project: Project) -> Readiness | None:
    """What the project asks of a person before it hands them work; None if it asks nothing."""
    untyped_project: Any = project  # the stubs know the way back only when they happen to read the models in one order
    try:
        readiness: Readiness = untyped_project.readiness
    except Readiness.DoesNotExist:
        return None
    return readiness


def must_calibrate(member: Member) -> bool:
    """Whether work is closed to this person until they have passed the calibration. Leads need none."""
    if member.calibrated_at is not None or member.leads:
        return False
    readiness = requirements_of(member.project)
    return readiness is not None and readiness.calibration_each > 0


def is_closed(member: Member, stage: str) -> bool:
    """Whether this person gets no new work of this stage; what they hold they may finish."""
    if member.paused_at is not None:
        return True
    return stage == Slot.Stage.ANNOTATE and must_calibrate(member)


# Slots made for one person only, on items that are not work.


DRAWN_NUMBERS = range(1000, 32001)  # the queue counts from 1, so an item that becomes work again finds its numbers free
TRIES = 8


def own_slots(project: Project) -> SlotQuerySet:
    return Slot.objects.filter(project=project, own=True).exclude(state=Slot.State.VOID)


def own_slots_of(member: Member) -> SlotQuerySet:
    return own_slots(member.project).filter(reserved_for=member.user)


def draw_number() -> int:
    """A random slot number. If it is already taken, the caller draws another, so no lock is needed."""
    return random.choice(DRAWN_NUMBERS)  # noqa: S311 - a number to tell slots apart, not a secret


def until_free(make: Callable[[], Any]) -> Any:
    """The result of `make`, run in its own transaction; repeated if somebody drew the same number at the same time."""
    for _try in range(TRIES):
        try:
            with transaction.atomic():
                return make()
        except IntegrityError:
            continue
    return None


def answered_for(member: Member, *purposes: str) -> ItemQuerySet:
    """Items with these purposes that can be put before this person: decided, within their limits, not their own."""
    items = Item.objects.filter(project=member.project, purpose__in=purposes, state=Item.State.ACCEPTED)
    items = items.filter(base__isnull=False)
    if member.languages:
        items = items.filter(language__in=member.languages)
    if member.groups:
        items = items.filter(group__in=member.groups)
    wrote = Annotation.objects.filter(item=OuterRef("pk"), author=member.user, slot__own=False)
    return items.filter(~Exists(wrote))


def void_unfinished(slots: SlotQuerySet) -> int:
    """Void these slots: nobody is handed them any more; drafts stay with their authors."""
    return slots.unfinished().update(state=Slot.State.VOID, lease_until=None, token=None)


# Checks disguised for annotators: they look like work that nobody but the annotator has had in hand.


S = Item.State


def is_masked(item: Item, member: Member) -> bool:
    return member.role == Member.Role.ANNOTATOR and item.purpose != Item.Purpose.WORK


def as_work(item: Item, member: Member) -> Item:
    """The item, for reading only, with the state and round it would have if it were ordinary work of this person."""
    if not is_masked(item, member):
        return item
    is_submitted = Slot.objects.filter(item_id=item.pk, reserved_for=member.user, state=Slot.State.SUBMITTED).exists()
    item.state, item.round, item.base = (state_after_submit(member) if is_submitted else S.READY), 1, None
    item.changed_at = item.created_at
    return item


def state_after_submit(member: Member) -> S:
    """The state that submitted work would have."""
    return S.REVIEWING if member.project.reviews or member.project.overlap > 1 else S.ACCEPTED


def events(stored_events: EventQuerySet, item: Item, member: Member) -> list[Event]:
    """The events that an annotator may see: the import, and what they did themselves, in the words of ordinary work."""
    if is_masked(item, member):
        stored_events = stored_events.filter(Q(actor=member.user) | Q(verb="imported"))
    shown_events = list(stored_events)
    if is_masked(item, member):
        for event in shown_events:
            disguise_event(event, member)
    return shown_events


def disguise_event(event: Event, member: Member) -> None:
    """Changes the event, unsaved, into the one that ordinary work would have."""
    event.round = 1
    if event.verb == "imported":
        event.to_state = S.READY
    elif event.verb == "submitted":
        event.verb = "submitted" if state_after_submit(member) == S.REVIEWING else "accepted"
        event.from_state, event.to_state = S.READY, state_after_submit(member)
    elif event.verb == "withdrawn":
        event.from_state, event.to_state = state_after_submit(member), S.READY


def slots(stored_slots: Sequence[Slot], item: Item, member: Member) -> list[Slot]:
    """The annotator's own slots, without anything that shows that a slot was made for one person."""
    own_slots = [slot for slot in stored_slots if slot.holder_id == member.user_id]
    if is_masked(item, member):
        for slot in own_slots:
            slot.no, slot.round, slot.reserved_for = 1, 1, None
    return own_slots


def threads(comments: Sequence[Comment], item: Item, member: Member) -> list[Comment]:
    """Only the threads that this person began: comments from the time when the item was work would give it away."""
    if not is_masked(item, member):
        return list(comments)
    return [comment for comment in comments if comment.author_id == member.user_id]
