"""Slots of one person alone, on items that are no work. Their numbers begin where those of the queue never get."""

import random
from collections.abc import Callable
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef

from annotate.models import Annotation, Item, Member, Project, Slot
from annotate.models.items import ItemQuerySet
from annotate.models.work import SlotQuerySet

FIRST, LAST = 1000, 32000
TRIES = 8


def is_own_place(slot: Slot) -> bool:
    """Whether this slot was made for one person, so that handing in moves no item."""
    return slot.no >= FIRST


def places(project: Project) -> SlotQuerySet:
    slots = Slot.objects.filter(project=project, stage=Slot.Stage.ANNOTATE, no__gte=FIRST)
    return slots.exclude(state=Slot.State.VOID)


def places_of(member: Member) -> SlotQuerySet:
    return places(member.project).filter(reserved_for=member.user)


def drawn_number() -> int:
    """Any: who draws one that is taken draws again, so that nobody has to wait for anybody."""
    return random.randint(FIRST, LAST)  # noqa: S311 - a number to tell slots apart, not a secret


def until_free(make: Callable[[], Any]) -> Any:
    """What `make` gives, in a transaction of its own; again where somebody drew the same number at the same time."""
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
    wrote = Annotation.objects.filter(item=OuterRef("pk"), author=member.user, slot__no__lt=FIRST)
    return items.filter(~Exists(wrote))


def void_unfinished(slots: SlotQuerySet) -> int:
    """Nobody is handed these any more; what was written in them stays with its author."""
    return slots.unfinished().update(state=Slot.State.VOID, lease_until=None, token=None)
