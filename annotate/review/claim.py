"""A reviewer's lists of pending and decided reviews, and claiming one of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, TypeVar

from django.db.models import Count, Q, QuerySet, Window
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.errors import Refused
from annotate.items import drafts, leases, queue
from annotate.models import Annotation, Item, Member, Skip, Slot
from annotate.models.work import LONGEST_WAITING, SlotQuerySet
from annotate.prepared import prepared
from annotate.review.adjudication import table_of
from annotate.web.pager import row_page

PENDING, DONE, ALL = "pending", "done", "all"
LIST_CHOICES = (PENDING, DONE, ALL)
STAGES = (Slot.Stage.REVIEW, Slot.Stage.ADJUDICATE)
NEWEST = ("-id",)
IN_ORDER = ("stage", *LONGEST_WAITING)  # adjudications come before reviews
PAGE = 50
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
QuerySetT = TypeVar("QuerySetT", bound=QuerySet[Any, Any])


@dataclass(frozen=True)
class ReviewListPage:
    """A page of review slots; `after` is the cursor of the next page and is empty on the last one.

    pending_count: of the whole list, where reading the page has counted it.
    """

    slots: Sequence[Slot]
    after: str
    pending_count: int | None = None


class ReviewCursor(NamedTuple):
    """The position of a slot in the list of pending reviews."""

    stage: str
    priority: int
    opens_at: datetime
    pk: int


class ReviewNeighbours(NamedTuple):
    """The slots before and after one in its list; None at an end of the list."""

    previous: int | None
    next: int | None


def pending(member: Member) -> SlotQuerySet:
    """The slots that this person may review or adjudicate, also those that somebody holds now."""
    return _pending(member.user_id, member.project_id, timezone.now())


def _pending(user: Any, project: Any, now: Any) -> SlotQuerySet:
    """Open ones or held ones: each state has an index without the submitted slots."""
    in_project = Q(project_id=project, stage__in=STAGES)
    unfinished = Q(in_project, state=Slot.State.OPEN) | Q(in_project, state=Slot.State.HELD)
    return Slot.objects.filter(unfinished).fitting_reviews(user, now)


def done_slots(member: Member) -> SlotQuerySet:
    return in_review(member).filter(state=Slot.State.SUBMITTED)


def counts(member: Member, listed: ReviewListPage) -> dict[str, int]:
    """How many are pending, done, and both. listed: a page, which may have counted those that are pending."""
    count = listed.pending_count
    if count is None:
        count = _all_pending.count(user=member.user_id, project=member.project_id, now=timezone.now())
    decided = done_slots(member).aggregate(n=Count("pk"))["n"]
    return {PENDING: count, DONE: decided, ALL: count + decided}


def page(member: Member, show: str, after: str = "", size: int = PAGE) -> ReviewListPage:
    """The next slots of a list: pending ones in the order of the queue (LONGEST_WAITING), others newest first.

    after: the `after` of the page before; an unreadable cursor starts from the beginning.
    """
    cursor, pending_count = _place(after), None
    if show == PENDING and cursor is None:
        first = _first_pending.rows(user=member.user_id, project=member.project_id, now=timezone.now())
        ids, pending_count = [pk for pk, _count in first], first[0][1] if first else 0
    else:
        ids = _ids(member, show, cursor, size + 1)
    slots = Slot.objects.filter(pk__in=ids).order_by(*(IN_ORDER if show == PENDING else NEWEST))
    slots = slots.select_related("item", "holder", "about__author").defer("item__facts", "about__draft")
    found = row_page(slots, size)
    return ReviewListPage(found.rows, _mark(found.next) if found.next else "", pending_count)


@prepared
def _all_pending(user: int, project: int, now: datetime) -> SlotQuerySet:
    return _pending(user, project, now)


@prepared
def _first_pending(user: int, project: int, now: datetime) -> QuerySet[Slot, Any]:
    """Ids of the first page, each with the number of all: who may review a slot is asked once, not again to count."""
    return _pending(user, project, now).order_by(*IN_ORDER).values_list("pk", Window(Count("pk")))[: PAGE + 1]


def neighbours(member: Member, slot: Slot, first_page: ReviewListPage | None = None) -> ReviewNeighbours:
    """The reviews before and after this one: of a decided one in the list of those, else in the list of pending ones.

    first_page: of the pending ones; if it holds them, nothing is queried.
    """
    ids = [row.pk for row in first_page.slots] if first_page else []
    at = ids.index(slot.pk) if slot.pk in ids else len(ids)
    if first_page and at < len(ids) - bool(first_page.after):
        return ReviewNeighbours(*[[None, *ids, None][place] for place in (at, at + 2)])
    if slot.state == Slot.State.SUBMITTED:
        decided = done_slots(member).values_list("pk", flat=True)
        before, after = decided.filter(pk__gt=slot.pk).order_by("id"), decided.filter(pk__lt=slot.pk).order_by("-id")
    else:
        waiting, cursor = pending(member).values_list("pk", flat=True), _cursor(slot)
        before, after = _before(waiting, cursor), _after(waiting, cursor)
    return ReviewNeighbours(before.first(), after.first())


def in_review(member: Member) -> SlotQuerySet:
    """The slots that are decided on the pages of review."""
    return Slot.objects.filter(project_id=member.project_id, stage__in=STAGES)


def _ids(member: Member, show: str, cursor: ReviewCursor | None, most: int) -> list[int]:
    """At least those of the first `most` slots of a list after a cursor."""
    if show == PENDING:
        slots = _after(pending(member), cursor) if cursor else pending(member).order_by(*IN_ORDER)
        return list(slots.values_list("pk", flat=True)[:most])
    parts = [done_slots(member)] if show == DONE else [done_slots(member), pending(member)]
    rest = [part.filter(pk__lt=cursor.pk) if cursor else part for part in parts]
    return [pk for part in rest for pk in part.order_by(*NEWEST).values_list("pk", flat=True)[:most]]


def _after(slots: QuerySetT, cursor: ReviewCursor) -> QuerySetT:
    later = Q(opens_at__gt=cursor.opens_at) | Q(opens_at=cursor.opens_at, pk__gt=cursor.pk)
    rest_of_stage = Q(priority__lt=cursor.priority) | Q(priority=cursor.priority) & later
    return slots.filter(Q(stage__gt=cursor.stage) | Q(stage=cursor.stage) & rest_of_stage).order_by(*IN_ORDER)


def _before(slots: QuerySetT, cursor: ReviewCursor) -> QuerySetT:
    """In reverse order: the nearest first."""
    earlier = Q(opens_at__lt=cursor.opens_at) | Q(opens_at=cursor.opens_at, pk__lt=cursor.pk)
    rest_of_stage = Q(priority__gt=cursor.priority) | Q(priority=cursor.priority) & earlier
    rest = Q(stage__lt=cursor.stage) | Q(stage=cursor.stage) & rest_of_stage
    return slots.filter(rest).order_by(*IN_ORDER).reverse()


def _cursor(slot: Slot) -> ReviewCursor:
    return ReviewCursor(slot.stage, slot.priority, slot.opens_at, slot.pk)


def _mark(slot: Slot) -> str:
    return f"{slot.stage}.{slot.priority}.{(slot.opens_at - EPOCH) // MICROSECOND}.{slot.pk}"


def _place(cursor_text: str) -> ReviewCursor | None:
    try:
        stage, priority, opens_at, pk = cursor_text.split(".")
        cursor = ReviewCursor(Slot.Stage(stage).value, int(priority), EPOCH + int(opens_at) * MICROSECOND, int(pk))
    except (ValueError, OverflowError):
        return None
    return cursor if abs(cursor.priority) < 2**15 and 0 <= cursor.pk < 2**63 else None


# Claiming a review: the next one or one picked from the list, and the reason why one is not available.


def take_next(member: Member) -> Slot | None:
    """Claim the next item to decide about and open a draft in it; None when there is nothing.

    Adjudications come before items that nobody has reviewed.
    """
    for stage in (Slot.Stage.ADJUDICATE, Slot.Stage.REVIEW):
        if slot := queue.claim_next(member, stage):
            open_review(slot, member)
            return slot
    return None


def take(member: Member, slot: Slot) -> Slot:
    """Claim this review and open a draft in it. Raises Refused with the reason if it is not available."""
    held = Slot.objects.held_by(member.user).filter(pk=slot.pk).first()
    if held is None:
        _check_limits(member)
        held = None if is_skipped(slot, member) else queue.claim(slot.pk, member)
    if held is None:
        raise Refused(why_not(slot, member))
    open_review(held, member)
    return held


def back_from_skip(member: Member, slot: Slot) -> Slot | None:
    """Undo a skip: the review is this person's again, if nobody has taken it up meanwhile."""

    def take_it() -> Slot | None:
        try:
            return take(member, slot)
        except Refused:
            return None

    return leases.unskip(slot.pk, member, take_it)


def open_review(slot: Slot, member: Member) -> Annotation:
    item = Item.objects.select_related("base__slot", "project").get(pk=slot.item_id)
    start = table_of(slot, item).start() if slot.stage == Slot.Stage.ADJUDICATE else None
    return drafts.open_draft(slot, author=member.user, item=item, project=member.project, start=start)


def is_own_work(slot: Slot, member: Member) -> bool:
    """Whether this person had a part in the item, so that they may not decide about it."""
    return not Slot.objects.filter(pk=slot.pk).not_own_work(member.user).exists()


def is_skipped(slot: Slot, member: Member) -> bool:
    return Skip.objects.filter(item_id=slot.item_id, person=member.user).exists()


def _check_limits(member: Member) -> None:
    if member.project.paused:
        raise Refused(_("Work is paused: %(reason)s") % {"reason": member.project.paused_reason})
    if member.paused_at is not None:
        raise Refused(_("You are paused: %(reason)s Ask your lead.") % {"reason": member.paused_reason})
    if queue.reached_limit(member):
        raise Refused(_("You have reached the limit that your lead set for you."))


def why_none(member: Member) -> str:
    """Why `take_next` gave nothing."""
    try:
        _check_limits(member)
    except Refused as refused:
        return str(refused)
    return _("No reviews waiting for you. The listed ones are in progress by others, or not for you.")


def why_not(slot: Slot, member: Member) -> str:
    """Why this person cannot take up this review now."""
    now = Slot.objects.select_related("holder").get(pk=slot.pk)
    if is_own_work(slot, member) and now.stage == Slot.Stage.ADJUDICATE:
        return _("You took part in this disagreement, so someone else decides.")
    if is_own_work(slot, member):
        return _("You wrote text in this item, so someone else reviews it.")
    if now.state == Slot.State.HELD:
        return _("%(name)s has started this review.") % {"name": now.holder}
    if now.state != Slot.State.OPEN:
        return _("This review is closed: it was decided, or the item was taken back or moved on.")
    if is_skipped(slot, member):
        return _("You skipped this item, so someone else reviews it.")
    if now.reserved_for_id not in (None, member.user_id):
        return _("This review is reserved for someone else.")
    return _("Its author can still take it back for a few seconds, or you worked on this item in another role.")
