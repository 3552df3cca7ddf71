"""What waits for a reviewer and what was decided: lists to choose from. Handing out is the queue's business."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, Q
from django.utils import timezone

from annotate.models import Member, Slot
from annotate.models.work import LONGEST_WAITING, SlotQuerySet

PENDING, DONE, ALL = "pending", "done", "all"
SHOWN = (PENDING, DONE, ALL)
PAGE = 50
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class Page:
    """A page of review slots; `after` leads to the next one and is empty on the last."""

    slots: Sequence[Slot]
    after: str


class Cursor(NamedTuple):
    """The place of a slot in the list of what waits."""

    stage: str
    priority: int
    opens_at: datetime
    pk: int


def pending(member: Member) -> SlotQuerySet:
    """What this person may review or adjudicate, or somebody has in hand."""
    now = timezone.now()
    open_or_held = _reviews(member).filter(state__in=[Slot.State.OPEN, Slot.State.HELD])
    fitting = open_or_held.due(now).not_own_work(member.user).not_skipped_by(member.user)
    return fitting.filter(Q(holder=member.user) | Q(pk__in=fitting.not_already_in(member.user).values("pk")))


def done(member: Member) -> SlotQuerySet:
    return _reviews(member).filter(state=Slot.State.SUBMITTED)


def counts(member: Member) -> dict[str, int]:
    """How many are pending, done, and both."""
    pending_count = pending(member).count()
    decided = done(member).aggregate(n=Count("pk"))["n"]
    return {PENDING: pending_count, DONE: decided, ALL: pending_count + decided}


def page(member: Member, show: str, after: str = "", size: int = PAGE) -> Page:
    """The next slots of a list: pending ones in the order of the queue (LONGEST_WAITING), others newest first.

    after: the `after` of the page before; what cannot be read starts from the beginning.
    """
    slots = _from(_listed(member, show), show, _place(after))
    rows = list(
        slots.select_related("item", "holder", "about__author").defer("item__facts", "about__draft")[: size + 1]
    )
    page_slots = rows[:size]
    return Page(page_slots, _mark(page_slots[-1]) if len(rows) > size else "")


def _reviews(member: Member) -> SlotQuerySet:
    stages = [Slot.Stage.REVIEW, Slot.Stage.ADJUDICATE]
    return Slot.objects.filter(project_id=member.project_id, stage__in=stages)


def _listed(member: Member, show: str) -> SlotQuerySet:
    if show == PENDING:
        return pending(member)
    if show == DONE:
        return done(member)
    return _reviews(member).filter(Q(pk__in=pending(member).values("pk")) | Q(state=Slot.State.SUBMITTED))


def _from(slots: SlotQuerySet, show: str, cursor: Cursor | None) -> SlotQuerySet:
    if show != PENDING:
        return slots.filter(pk__lt=cursor.pk).order_by("-id") if cursor else slots.order_by("-id")
    if cursor:
        later = Q(opens_at__gt=cursor.opens_at) | Q(opens_at=cursor.opens_at, pk__gt=cursor.pk)
        rest_of_stage = Q(priority__lt=cursor.priority) | Q(priority=cursor.priority) & later
        slots = slots.filter(Q(stage__gt=cursor.stage) | Q(stage=cursor.stage) & rest_of_stage)
    return slots.order_by("stage", *LONGEST_WAITING)  # what is to be adjudicated comes before reviews


def _mark(slot: Slot) -> str:
    return f"{slot.stage}.{slot.priority}.{(slot.opens_at - EPOCH) // MICROSECOND}.{slot.pk}"


def _place(cursor_text: str) -> Cursor | None:
    try:
        stage, priority, opens_at, pk = cursor_text.split(".")
        cursor = Cursor(Slot.Stage(stage).value, int(priority), EPOCH + int(opens_at) * MICROSECOND, int(pk))
    except (ValueError, OverflowError):
        return None
    return cursor if abs(cursor.priority) < 2**15 and 0 <= cursor.pk < 2**63 else None
