"""Turns: a person who has begun a unit gets its next items, and nobody else gets one of them meanwhile.

A unit is what the items with the same value of the definition's `unit` column are together, such as the sentences of a
document. A turn lives as long as a lease since its holder last took or kept an item; then the next person may take it.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotate.models import Member, Project, Slot, UnitTurn
from annotate.prepared import prepared, prepared_change


@dataclass(frozen=True)
class UnitPlace:
    """A unit and the number of the slots of its items that one person works on."""

    unit: str
    no: int


def begun(member: Member) -> list[UnitPlace]:
    """The units that this person has begun and nobody has taken over, the latest first."""
    return [UnitPlace(*row) for row in _begun.rows(user=member.user_id, project=member.project_id)]


@prepared
def _begun(user: int, project: int) -> QuerySet[UnitTurn, tuple[str, int]]:
    turns = UnitTurn.objects.filter(holder=user, project=project)
    return turns.order_by("-until", "id").values_list("unit", "no")


def take(member: Member, place: UnitPlace, *, now: datetime, until: datetime) -> bool:
    """Begin a unit, or keep the turn that this person has; False if somebody else has it."""
    key: dict[str, Any] = {"project": member.project_id, "unit": place.unit, "no": place.no}
    if _taken(**key, user=member.user_id, now=now, until=until):
        return True
    try:
        with transaction.atomic():
            UnitTurn.objects.create(
                project_id=member.project_id, unit=place.unit, no=place.no, holder_id=member.user_id, until=until
            )
    except IntegrityError:  # one_person_has_a_turn_at_a_unit: somebody else was faster, or is in the middle of it
        return False
    return True


@prepared_change
def _taken(
    project: int, unit: str, no: int, user: int, now: datetime, until: datetime
) -> tuple[QuerySet[UnitTurn], dict[str, Any]]:
    free = UnitTurn.objects.filter(Q(holder=user) | Q(until__lte=now), project=project, unit=unit, no=no)
    return free, {"holder": user, "until": until}


def take_for(member: Member, slot_id: int, *, now: datetime, until: datetime) -> bool:
    """Whether this person may claim the slot, which is theirs, stands alone, or is of a unit that is now their turn."""
    row = _place_of.first(slot=slot_id)
    if row is None:
        return False
    unit, no, reserved_for = row
    return unit is None or reserved_for == member.user_id or take(member, UnitPlace(unit, no), now=now, until=until)


@prepared
def _place_of(slot: int) -> QuerySet[Slot, tuple[str | None, int, int | None]]:
    return Slot.objects.filter(pk=slot).values_list("unit", "no", "reserved_for")[:1]


def keep(project: Project, user: int | None, until: datetime) -> None:
    """Their turns end no earlier than the lease that was just renewed."""
    if project.kind.unit_column:
        UnitTurn.objects.filter(project=project, holder=user).update(until=until)


def end(project: int, user: int | None, unit: str = "") -> None:
    """Let others go on with this unit, or with all that this person has begun."""
    turns = UnitTurn.objects.filter(project=project, holder=user)
    (turns.filter(unit=unit) if unit else turns).delete()


def first_end(project: Project) -> datetime | None:
    """When the first of all turns ends, if its holder does not keep it."""
    turns = UnitTurn.objects.filter(project=project, until__gt=timezone.now())
    return turns.order_by("until").values_list("until", flat=True).first()
