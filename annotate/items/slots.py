"""Slots, the units of work on an item: opened and closed; and the order in which each person sees an item's parts."""

import hashlib
import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from annotate.models import Annotation, Item, Project, Slot, User
from annotate.models.work import SlotQuerySet
from annotate.prepared import prepared


def dealt_to(item: Item, person_id: int | None) -> int:
    """The deal of this item. An item that asks again about another gets that one's deal; its facts are exchanged
    instead.
    """
    return deal(item.parent_id or item.pk, person_id)


def deal(item_id: int, person_id: int | None) -> int:
    """A number that is always the same for this person and item, even and odd equally often; 0 for nobody.

    It is computed from the two ids alone, so that it is the same in every process and after a restore, and nothing
    shown can depend on whose answers an item holds.
    """
    if person_id is None:
        return 0
    return int.from_bytes(hashlib.sha256(f"deal/{item_id}/{person_id}".encode()).digest()[:6])


# Opening and closing slots. Called inside the transaction that moves the item.


UNDO_SECONDS = 10
RETURNED_STAYS_RESERVED = timedelta(days=3)


def open_annotating(item: Item, project: Project, *, reserved_for: Sequence[User | None] = ()) -> list[Slot]:
    """The slots of a round in which people write: one, or as many as the project's overlap.

    reserved_for: people who get them first, a slot each, if the previous round named as many.
    """
    until = timezone.now() + RETURNED_STAYS_RESERVED
    unit = unit_digest(project, item.facts, item.metadata) if project.kind.unit_column else None
    firsts = reserved_for or [None] * people_for(unit or item.key, project)
    slots = [
        Slot(
            item_id=item.pk,
            project_id=project.pk,
            stage=Slot.Stage.ANNOTATE,
            round=item.round,
            no=no,
            priority=item.priority,
            reserved_for=user,
            reserved_until=until if user else None,
            blind=drawn_blind(project),
            unit=unit,
        )
        for no, user in enumerate(firsts, start=1)
    ]
    return Slot.objects.bulk_create(slots)


def open_reviews(
    item: Item, project: Project, *, about: Annotation, opens_at: datetime | None = None, people: int = 0
) -> list[Slot]:
    """The reviews of one annotation; they open after the seconds in which its author may undo.

    people: how many people review it, if that is not decided by the project's settings.
    """
    return Slot.objects.bulk_create(
        Slot(
            item_id=item.pk,
            project_id=project.pk,
            stage=Slot.Stage.REVIEW,
            round=item.round,
            no=no,
            priority=item.priority,
            about=about,
            opens_at=opens_at or _after_undo(),
        )
        for no in range(1, (people or reviews_for(item.key, project)) + 1)
    )


def open_adjudication(item: Item, project: Project, *, about: Annotation | None = None) -> Slot:
    """The decision between people who disagree. about: the annotation that they reviewed; None if each wrote one."""
    return Slot.objects.create(
        item_id=item.pk,
        project_id=project.pk,
        stage=Slot.Stage.ADJUDICATE,
        round=item.round,
        priority=item.priority,
        about=about,
        opens_at=_after_undo(),
    )


def _after_undo() -> datetime:
    return timezone.now() + timedelta(seconds=UNDO_SECONDS)


NEWEST = 20_000  # slots among which `correct_times` looks for those that were made while the clock ran ahead


def correct_times(now: datetime, skew: timedelta) -> int:
    """Slots that a clock ahead of its time has dated into the future open now; returns how many.

    Otherwise nobody would get them until that time comes again. skew: the allowed difference between clocks.
    """
    newest = Slot.objects.aggregate(pk=Max("pk"))["pk"] or 0
    ahead = Slot.objects.open().filter(opens_at__gt=now + timedelta(seconds=UNDO_SECONDS) + skew)
    return ahead.update(opens_at=now) if ahead.filter(pk__gt=newest - NEWEST).exists() else 0


def is_shared(slot: Slot) -> bool:
    """Whether others do the same work on the item in this round, or have done it."""
    return _siblings.exists(item=slot.item_id, number=slot.round, stage=slot.stage, slot=slot.pk)


@prepared
def _siblings(item: int, number: int, stage: str, slot: int) -> QuerySet[Slot]:
    """number: of the round."""
    same = Slot.objects.filter(item_id=item, round=number, stage=stage)
    return same.exclude(state=Slot.State.VOID).exclude(pk=slot)


def next_stage(slot: Slot) -> SlotQuerySet:
    """The slots that were opened because this slot and its siblings were finished."""
    later_slots = Slot.objects.filter(item_id=slot.item_id, round=slot.round)
    if slot.stage == Slot.Stage.ANNOTATE:
        return later_slots.filter(stage__in=[Slot.Stage.REVIEW, Slot.Stage.ADJUDICATE])
    return later_slots.filter(stage=Slot.Stage.ADJUDICATE)


def close(item: Item) -> int:
    """Void all open or held slots of this item; holders keep their drafts. Returns how many were held."""
    unfinished = Slot.objects.filter(item_id=item.pk, state__in=[Slot.State.OPEN, Slot.State.HELD])
    held = unfinished.held().count()
    # One statement for both: between two statements a slot could change its state and be missed.
    unfinished.update(state=Slot.State.VOID, lease_until=None, token=None, reserved_for=None)
    return held


def remove_untouched(slots: SlotQuerySet) -> bool:
    """Delete slots that nobody has begun; False, and nothing changed, if one was claimed or written in."""
    # Locked before they are read: a claim at the same time waits, and then finds nothing.
    locked = list(slots.select_for_update())
    if begun(slots):
        return False
    Slot.objects.filter(pk__in=[slot.pk for slot in locked]).delete()
    return True


def begun(slots: SlotQuerySet) -> bool:
    """Whether somebody holds or has finished one of these, or left a text in it that would be deleted with it."""
    written = Exists(Annotation.objects.filter(slot=OuterRef("pk"), revision__gt=0))
    return slots.filter(~Q(state=Slot.State.OPEN) | written).exists()


def unit_digest(project: Project, facts: Mapping[str, Any], metadata: Mapping[str, Any] | None) -> str | None:
    """What the slots of items that belong together share; None for an item that stands alone.

    A digest, because the value may be long, or metadata that people must not know.
    """
    unit = project.kind.unit_of(facts, metadata)
    return None if unit is None else hashlib.sha256(f"{project.pk}/{unit}".encode()).hexdigest()[:32]


def people_for(key: str, project: Project) -> int:
    """How many people write on the item with this key, or with this digest of its unit, whose items are drawn as one:
    the overlap, for the share of items that gets it.
    """
    if project.overlap == 1:
        return 1
    return project.overlap if _draw(project, key) < project.overlap_share else 1


def reviews_for(key: str, project: Project) -> int:
    """How many people review the item with this key: a second one for the share of items that gets it."""
    if project.reviews < 2:
        return 1
    return 2 if _draw(project, f"second:{key}") < project.second_share else 1


def drawn_blind(project: Project) -> bool:
    return project.blind_share > 0 and random.random() < project.blind_share  # noqa: S311 - a draw, not a secret


def _draw(project: Project, key: str) -> float:
    """A number in 0..1 that stays the same for this item, so that a re-import draws alike."""
    return random.Random(f"{project.pk}:{key}").random()  # noqa: S311 - a draw, not a secret
