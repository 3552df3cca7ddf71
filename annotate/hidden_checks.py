"""Calibration and hidden checks: what a person must pass first, and checks that look like ordinary work.

The functions read rows that are usually loaded with the member.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q

from annotate.models import Annotation, Comment, Item, Member, Project, Readiness, Slot, User
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


@dataclass(frozen=True)
class SeenItem:
    """An item as a member sees it. The stored one is left alone: where it stands is only told by the other fields.

    base_id: the annotation on which it stands; None if there is none, or if it is the expected answer of a check.
    """

    item: Item
    state: str
    round: int
    base_id: int | None
    changed_at: datetime


def seen_by(item: Item, member: Member) -> SeenItem:
    """A check stands where it would if it were ordinary work of this person."""
    if not is_masked(item, member):
        return SeenItem(item, item.state, item.round, item.base_id, item.changed_at)
    is_submitted = Slot.objects.filter(item_id=item.pk, reserved_for=member.user, state=Slot.State.SUBMITTED).exists()
    state = state_after_submit(member) if is_submitted else S.READY
    return SeenItem(item, state, round=1, base_id=None, changed_at=item.created_at)


def state_after_submit(member: Member) -> S:
    """The state that submitted work would have."""
    return S.REVIEWING if member.project.reviews or member.project.overlap > 1 else S.ACCEPTED


@dataclass(frozen=True)
class SeenEvent:
    """A line of an item's history as a member sees it."""

    verb: str
    from_state: str
    to_state: str
    round: int
    actor: User | None
    annotation_id: int | None
    note: str
    at: datetime

    @property
    def actor_id(self) -> int | None:
        return self.actor.pk if self.actor else None


def events(stored_events: EventQuerySet, item: Item, member: Member) -> list[SeenEvent]:
    """The events that an annotator may see: the import, and what they did themselves, in the words of ordinary work."""
    masked = is_masked(item, member)
    if masked:
        stored_events = stored_events.filter(Q(actor=member.user) | Q(verb="imported"))
    columns = [field.name for field in fields(SeenEvent)]
    seen_events = [SeenEvent(**{name: getattr(event, name) for name in columns}) for event in stored_events]
    return [replace(event, **disguise(event.verb, member)) for event in seen_events] if masked else seen_events


def disguise(verb: str, member: Member) -> dict[str, Any]:
    """The columns of an event about a check that differ, with the values that they would have for ordinary work."""
    if verb == "imported":
        return {"round": 1, "to_state": S.READY}
    after = state_after_submit(member)
    if verb == "submitted":
        shown_verb = "submitted" if after == S.REVIEWING else "accepted"
        return {"round": 1, "verb": shown_verb, "from_state": S.READY, "to_state": after}
    if verb == "withdrawn":
        return {"round": 1, "from_state": after, "to_state": S.READY}
    return {"round": 1}


@dataclass(frozen=True)
class SeenSlot:
    """A slot as a member sees it."""

    pk: int
    stage: str
    round: int
    no: int
    state: str
    holder: User | None
    reserved_for: User | None
    lease_until: datetime | None

    @property
    def stage_label(self) -> str:
        return str(Slot.Stage(self.stage).label)


def slots(stored_slots: Sequence[Slot], item: Item, member: Member) -> list[SeenSlot]:
    """For an annotator their own slots, without anything that shows that a slot was made for one person."""
    columns = [field.name for field in fields(SeenSlot)]
    if member.role == Member.Role.ANNOTATOR:
        stored_slots = [slot for slot in stored_slots if slot.holder_id == member.user_id]
    seen_slots = [SeenSlot(**{name: getattr(slot, name) for name in columns}) for slot in stored_slots]
    if not is_masked(item, member):
        return seen_slots
    return [replace(slot, no=1, round=1, reserved_for=None) for slot in seen_slots]


def threads(comments: Sequence[Comment], item: Item, member: Member) -> list[Comment]:
    """Only the threads that this person began: comments from the time when the item was work would give it away."""
    if not is_masked(item, member):
        return list(comments)
    return [comment for comment in comments if comment.author_id == member.user_id]
