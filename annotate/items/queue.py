"""The work queue: who gets which slot next. What happens to a slot that somebody holds: `leases`.

A claim is one conditional UPDATE whose row count says who won; the same ORM code runs on SQLite and PostgreSQL. It
needs no transaction: a window of candidates is read without a lock, and the UPDATE decides.

Items that ask a person again about another item, their parent, are only for people who answered the parent, and only
after enough other items, so that nobody answers from memory.

Items that belong together, a unit, go to one person in the order of the file: `turns` knows who has begun which.
"""

import random
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import groupby
from typing import Any, TypeVar

from django.db import IntegrityError
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotate import hidden_checks
from annotate.engine.discovery import hooks
from annotate.items import turns
from annotate.items.leases import lease_end
from annotate.models import Annotation, Item, Member, Project, Slot
from annotate.models.work import LONGEST_WAITING, SlotQuerySet, turn_of_another
from annotate.prepared import prepared, prepared_change

APART = 10  # default for kinds without this option


def within_reach(member: Member, slots: SlotQuerySet) -> SlotQuerySet:
    """Excludes items that ask again about one that this person has not answered, or not long enough ago."""
    if not member.project.kind.opinions:  # for other kinds, a parent is the item that this one was made of
        return slots
    apart = getattr(member.project.kind_options, "apart", APART)
    own_texts = Annotation.objects.filter(author=member.user, submitted_at__isnull=False)
    project_texts = own_texts.filter(slot__project_id=member.project_id, slot__stage="annotate").order_by(
        "-submitted_at"
    )
    since = project_texts.values_list("submitted_at", flat=True)[apart - 1 : apart].first()
    if since is None:
        return slots.filter(item__parent=None)
    answered = Exists(own_texts.filter(item=OuterRef("item__parent"), submitted_at__lt=since))
    return slots.filter(Q(item__parent=None) | answered)


# Work sources: work that another app adds while people work, such as the next pairs of a study. annotate knows none of
# them.


@dataclass(frozen=True)
class WorkSource:
    """waits: whether more could be added to a project now. add: adds it, and returns False if there was nothing to add
    or somebody else just did. is_spent: whether all planned work there is done, even if more could be asked.
    """

    waits: Callable[[Project], bool]
    add: Callable[[Project], bool]
    is_spent: Callable[[Project], bool]


@cache
def _sources() -> Sequence[WorkSource]:
    return hooks("WORK_SOURCE")


def waits(project: Project) -> bool:
    return project.kind.opinions and any(source.waits(project) for source in _sources())


def add(project: Project) -> bool:
    return project.kind.opinions and any(source.add(project) for source in _sources())


def is_spent(project: Project) -> bool:
    return project.kind.opinions and any(source.is_spent(project) for source in _sources())


# Claiming slots.


WINDOW, UNIT_WINDOW = 32, 256
FEW = 5  # no example of a kind has more rows
UnitRow = tuple[int, int, str | None, int]  # slot, priority, unit, number of the slot
WindowRow = TypeVar("WindowRow", tuple[int, int], UnitRow)


def candidates(member: Member, stage: str, now: datetime) -> SlotQuerySet:
    """The first open slots that this person may take, in queue order."""
    slots = limited_to(member, within_reach(member, _takeable(member.project_id, member.user_id, stage, now)))
    return slots.in_nobody_elses_turn(member.user_id, now) if member.project.kind.unit_column else slots


def is_limited(member: Member) -> bool:
    """Whether what is open to a person depends on more than the project, in `takeable_by`."""
    return bool(member.languages or member.groups or member.project.kind.unit_column)


def takeable_by(user: int, limited: Sequence[Member], stage: str, now: datetime) -> SlotQuerySet:
    """The open slots that one person may take in the project of an outer query of their memberships.

    limited: those of the memberships that `is_limited`. Without `within_reach`, which needs a query for each project.
    """
    slots = _takeable(OuterRef("project"), user, stage, now).order_by()
    for member in limited:
        unlimited = ~Q(project=member.project_id) | Q(reserved_for=user)
        if member.languages:
            slots = slots.filter(unlimited | Q(item__language__in=member.languages))
        if member.groups:
            slots = slots.filter(unlimited | Q(item__group__in=member.groups))
        if member.project.kind.unit_column:
            slots = slots.filter(unlimited | ~turn_of_another(user, now))
    return slots


def _takeable(project: int | OuterRef, user: int, stage: str, now: datetime) -> SlotQuerySet:
    slots = (
        Slot.objects.open()
        .filter(project_id=project, stage=stage)
        .due(now)
        .reserved_for_nobody_else(user, now)
        .not_skipped_by(user)
        .not_already_in(user)
        .not_own_work(user, stage)
    )
    return slots.order_by(*(("-priority", "id") if stage == Slot.Stage.ANNOTATE else LONGEST_WAITING))


@prepared
def _annotating_window(project: int, user: int, now: datetime) -> QuerySet[Slot, tuple[int, int]]:
    """The window of annotators without limits, in a project without questions that are asked again."""
    return _takeable(project, user, Slot.Stage.ANNOTATE, now).values_list("id", "priority")[:WINDOW]


def limited_to(member: Member, slots: SlotQuerySet) -> SlotQuerySet:
    """Only the languages and groups assigned to this person; slots reserved for them are always included."""
    if member.languages:
        slots = slots.filter(Q(item__language__in=member.languages) | Q(reserved_for=member.user))
    if member.groups:
        slots = slots.filter(Q(item__group__in=member.groups) | Q(reserved_for=member.user))
    return slots


def claim_next(member: Member, stage: str) -> Slot | None:
    """The next slot for this person, held under a new lease; None if there is nothing (see progress.why_empty).

    A slot that they already hold comes first, so that a reload never takes a second item. Reviewers see the list of
    waiting work, and get its first slot; annotators do not see it, and are kept from competing for one row.
    """
    project = member.project
    if project.paused or hidden_checks.is_closed(member, stage) or reached_limit(member):
        return None
    held = _held_by.first(user=member.user_id, project=member.project_id, stage=stage)
    if held:
        return held
    if stage == Slot.Stage.ANNOTATE and project.kind.unit_column:
        return _next_of_units(member)
    while True:
        window = _window(member, stage)
        if not window:
            return None
        rows = _shuffled(window, opinions=project.kind.opinions) if stage == Slot.Stage.ANNOTATE else window
        if slot := _first_claimed([row[0] for row in rows], member):
            return slot


def _first_claimed(slot_ids: Sequence[int], member: Member) -> Slot | None:
    return next(filter(None, (claim(slot_id, member) for slot_id in slot_ids)), None)


@prepared
def _held_by(user: int, project: int, stage: str) -> QuerySet[Slot]:
    return Slot.objects.held_by(user).filter(project=project, stage=stage).order_by("id")[:1]


@prepared
def _reserved_for(user: int, project: int, stage: str) -> QuerySet[Slot]:
    """Without checks: a returned check is mixed with the rest, like any work."""
    reserved_slots = Slot.objects.open().filter(project_id=project, stage=stage, reserved_for=user)
    return reserved_slots.filter(item__purpose=Item.Purpose.WORK)


def _window(member: Member, stage: str) -> list[tuple[int, int]]:
    """(slot, priority) of the next few slots; slots reserved for this person, such as a returned item, come first."""
    now = timezone.now()
    if window := _reserved_window(member, stage, now):
        return window
    limited = member.languages or member.groups or member.project.kind.opinions
    if stage == Slot.Stage.ANNOTATE and not limited:
        return _annotating_window.rows(project=member.project_id, user=member.user_id, now=now)
    return list(candidates(member, stage, now).values_list("id", "priority")[:WINDOW])


def _reserved_window(member: Member, stage: str, now: datetime) -> list[tuple[int, int]]:
    if not _reserved_for.exists(user=member.user_id, project=member.project_id, stage=stage):
        return []
    own_slots = candidates(member, stage, now).filter(reserved_for=member.user).values_list("id", "priority")
    return list(own_slots[:WINDOW])


def _shuffled(window: Iterable[WindowRow], *, opinions: bool = False) -> list[WindowRow]:
    """By priority, shuffled within equal priority, so that fifty people do not compete for one row.

    Up to FEW rows keep the order of the file, as people expect of an example; so few are all tried, whoever else takes
    one of them. Opinions are always shuffled, so that the first item does not influence everybody's next ones alike.
    """
    order: list[WindowRow] = []
    for _priority, group in groupby(window, key=lambda row: row[1]):
        rows = list(group)
        if opinions or len(rows) > FEW:
            random.shuffle(rows)
        order += rows
    return order


# Items that belong together. Whoever begins a unit takes a turn at it first; then its slots are theirs, one by one.


def _next_of_units(member: Member) -> Slot | None:
    """As `claim_next`: what is reserved, then the rest of a unit that this person has begun, then an item that stands
    alone or the first one of a unit that nobody else has begun.
    """
    reserved = _reserved_window(member, Slot.Stage.ANNOTATE, timezone.now())
    if slot := _first_claimed([row[0] for row in reserved], member):
        return slot
    while True:
        if slot := _next_of_begun(member):
            return slot
        window = _window_of_units(member)
        if not window:
            return None
        if slot := _claimed_or_begun(member, window):
            return slot


def _next_of_begun(member: Member) -> Slot | None:
    """A turn ends where nothing is left for its holder, so that others get what they have skipped."""
    for place in turns.begun(member):
        if slot := _first_claimed(_rest(member, place), member):
            return slot
        turns.end(member.project_id, member.user_id, place.unit)
    return None


def _claimed_or_begun(member: Member, window: Iterable[UnitRow]) -> Slot | None:
    """An item that stands alone, held; or None, and perhaps this person has begun a unit."""
    firsts = {row[2:] if row[2] else row: row for row in reversed(list(window))}
    for slot_id, _priority, unit, no in _shuffled(sorted(firsts.values(), key=lambda row: -row[1])):
        now = timezone.now()
        if not unit:
            if slot := claim(slot_id, member):
                return slot
        elif turns.take(member, turns.UnitPlace(unit, no), now=now, until=lease_end(member.project, now)):
            return None
    return None


def _window_of_units(member: Member) -> list[UnitRow]:
    """A longer window, because the first rows may all be of one unit."""
    now = timezone.now()
    if member.languages or member.groups:
        slots = candidates(member, Slot.Stage.ANNOTATE, now).values_list("id", "priority", "unit", "no")
        return list(slots[:UNIT_WINDOW])
    return _unlimited_window_of_units.rows(project=member.project_id, user=member.user_id, now=now)


@prepared
def _unlimited_window_of_units(
    project: int, user: int, now: datetime
) -> QuerySet[Slot, tuple[int, int, str | None, int]]:
    slots = _takeable(project, user, Slot.Stage.ANNOTATE, now).in_nobody_elses_turn(user, now)
    return slots.values_list("id", "priority", "unit", "no")[:UNIT_WINDOW]


def _rest(member: Member, place: turns.UnitPlace) -> list[int]:
    """The slots of a unit that this person may take, in the order of the file."""
    now = timezone.now()
    if member.languages or member.groups:
        slots = candidates(member, Slot.Stage.ANNOTATE, now).filter(unit=place.unit, no=place.no)
        return list(slots.order_by("item_id").values_list("id", flat=True)[:WINDOW])
    return _unlimited_rest.rows(project=member.project_id, user=member.user_id, unit=place.unit, no=place.no, now=now)


@prepared
def _unlimited_rest(project: int, user: int, unit: str, no: int, now: datetime) -> QuerySet[Slot, int]:
    slots = _takeable(project, user, Slot.Stage.ANNOTATE, now).filter(unit=unit, no=no)
    return slots.order_by("item_id").values_list("id", flat=True)[:WINDOW]


def claim(slot_id: int, member: Member) -> Slot | None:
    """Claim one open slot; None if somebody else was faster or this person may not have it."""
    now = timezone.now()
    place: dict[str, Any] = {"slot": slot_id, "project": member.project_id, "user": member.user_id, "now": now}
    lease: dict[str, Any] = {"token": uuid.uuid4(), "until": lease_end(member.project, now)}
    if member.project.kind.unit_column and not turns.take_for(member, slot_id, now=now, until=lease["until"]):
        return None
    try:
        if member.project.kind.opinions:
            slots = within_reach(member, _claimable(**place))
            claimed_count = slots.update(**_hold(member.user_id, **lease))
        else:
            claimed_count = _claimed(**place, **lease)
    except IntegrityError:  # one_slot_a_person_a_round: this person has another slot of the item already
        return None
    return _with_base.first(slot=slot_id) if claimed_count else None


def _claimable(slot: int, project: int, user: int, now: datetime) -> SlotQuerySet:
    open_slot = Slot.objects.open().filter(pk=slot, project_id=project).due(now)
    return open_slot.reserved_for_nobody_else(user, now).not_own_work(user).not_given_up_by(user)


def _hold(user: int, token: uuid.UUID, until: datetime) -> dict[str, Any]:
    return {"state": Slot.State.HELD, "holder": user, "token": token, "lease_until": until}


@prepared_change
def _claimed(
    slot: int, project: int, user: int, now: datetime, token: uuid.UUID, until: datetime
) -> tuple[SlotQuerySet, dict[str, Any]]:
    return _claimable(slot, project, user, now), _hold(user, token, until)


@prepared
def _with_base(slot: int) -> QuerySet[Slot]:
    return Slot.objects.select_related("item__base__slot").filter(pk=slot)


def reached_limit(member: Member) -> bool:
    """Whether this person has submitted as much as the lead wants from them, today or in total."""
    if member.daily_limit is None and member.total_limit is None:
        return False
    annotations = member.user.annotations.filter(item__project_id=member.project_id, submitted_at__isnull=False)
    annotations = annotations.exclude(item__purpose=Item.Purpose.CALIBRATION)
    today = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    if member.daily_limit is not None and annotations.filter(submitted_at__gte=today).count() >= member.daily_limit:
        return True
    return member.total_limit is not None and annotations.count() >= member.total_limit
