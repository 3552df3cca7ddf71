"""A person's progress in a project, and the reason when there is no work for them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.cache import caches
from django.db.models import Count, Min, Q, QuerySet, Sum
from django.utils import timezone

from annotate import hidden_checks
from annotate.items import queue, turns
from annotate.models import Annotation, Item, Member, Project, Slot, User
from annotate.models.items import ItemCount
from annotate.models.work import turn_of_another
from annotate.prepared import prepared
from annotate.readiness import calibration
from annotate.readiness import checks as readiness_checks
from annotate.web.number_formats import whole

# Counting stops here: a queue of thousands is shown as "500+", and fifty people do not count it on every page.
COUNTED_AT_MOST = 500
COUNTED_FOR = 60  # seconds
IN_REVIEW = (Item.State.REVIEWING, Item.State.ADJUDICATING)


@dataclass(frozen=True)
class WorkProgress:
    """done of total; `more`: the queue is longer than was counted."""

    done: int
    total: int
    more: bool = False

    @property
    def current(self) -> int:
        return self.done + 1

    @property
    def shown_total(self) -> str:
        total = whole(self.total)
        return f"{total}+" if self.more else total


def progress(member: Member, *, fresh: bool = False, at_work: bool = False) -> WorkProgress:
    """How many items this person has submitted, out of those and the ones that they can still take.

    The total is counted at most once a minute, so that it does not jump while others work; fresh counts now.
    at_work: the person works on an item of the queue that they took before a calibration was required, so their
    progress is that of the queue and not of the calibration.
    """
    if hidden_checks.must_calibrate(member) and not at_work:
        standing = calibration.standing(member)
        return WorkProgress(standing.done, standing.total)
    submitted_count = _submitted.count(user=member.user_id, project=member.project_id)
    key = f"total-{member.pk}"
    total, more = (None if fresh else caches["local"].get(key)) or (0, False)
    if total <= submitted_count:
        held = _held.count(user=member.user_id, project=member.project_id)
        reach = within_reach(member)
        checks = readiness_checks.still_to_come(member, first=submitted_count + held, work=reach)
        total, more = submitted_count + held + reach + checks, reach >= COUNTED_AT_MOST
        caches["local"].set(key, (total, more), COUNTED_FOR)
    return WorkProgress(submitted_count, total, more)


@prepared
def _submitted(user: int, project: int) -> QuerySet[Slot]:
    return Slot.objects.done_by(user, project=project)


@prepared
def _held(user: int, project: int) -> QuerySet[Slot]:
    slots = Slot.objects.held_by(user).filter(project_id=project, stage=Slot.Stage.ANNOTATE)
    return slots.exclude(item__purpose=Item.Purpose.CALIBRATION)


def within_reach(member: Member) -> int:
    """How many items this person could take, counted up to COUNTED_AT_MOST, or what their limits leave if less."""
    if member.project.paused or hidden_checks.is_closed(member, Slot.Stage.ANNOTATE):
        return 0
    candidates = queue.candidates(member, Slot.Stage.ANNOTATE, timezone.now()).values("item_id").order_by()
    count = candidates.distinct()[:COUNTED_AT_MOST].count()  # items, of which several slots may be open
    return min(count, _items_left(member, count))


def _items_left(member: Member, most: int) -> int:
    if member.daily_limit is None and member.total_limit is None:
        return most
    allowances = [most]
    if member.daily_limit is not None:
        allowances.append(member.daily_limit - submitted(member).filter(submitted_at__gte=_midnight()).count())
    if member.total_limit is not None:
        allowances.append(member.total_limit - submitted(member).count())
    return max(0, min(allowances))


def submitted(member: Member) -> QuerySet[Annotation]:
    """This person's submissions, as their limits count them: with the checks among the work, without calibration."""
    annotations = Annotation.objects.filter(
        author=member.user, slot__project_id=member.project_id, submitted_at__isnull=False
    )
    return annotations.exclude(item__purpose=Item.Purpose.CALIBRATION)


def _midnight() -> datetime:
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)


@dataclass(frozen=True)
class WorkTotals:
    """How much one person has done in a project, and the outcomes of it."""

    items: int
    time: timedelta
    accepted: int
    fixed: int
    returned: int


def totals(member: Member) -> WorkTotals:
    annotations = submitted(member).filter(slot__stage=Slot.Stage.ANNOTATE)
    sums = annotations.aggregate(items=Count("id"), seconds=Sum("active_seconds"))
    reviews = Annotation.objects.filter(slot__about__author=member.user, slot__project_id=member.project_id)
    fates = reviews.in_the_open().aggregate(
        accepted=Count("id", filter=Q(outcome=Annotation.Outcome.ACCEPTED)),
        fixed=Count("id", filter=Q(outcome__in=[Annotation.Outcome.FIXED, Annotation.Outcome.REVISED])),
        returned=Count("id", filter=Q(outcome=Annotation.Outcome.RETURNED)),
    )
    return WorkTotals(items=sums["items"], time=timedelta(seconds=sums["seconds"] or 0), **fates)


@dataclass(frozen=True)
class Nothing:
    """Why there is nothing to do; the other fields are set where they apply.

    why: paused (the project), stopped (this person), calibration, limit, others, waiting, spent (all votes that a study
    asks for are in), done or none. in_review: items that wait for a reviewer or an adjudicator.
    """

    why: str
    count: int = 0
    until: datetime | None = None
    totals: WorkTotals | None = None
    whom: tuple[User, ...] = ()
    in_review: int = 0


def why_empty(member: Member) -> Nothing | None:
    """The reason why claim_next gives this person nothing; None when there is something."""
    whom = tuple(User.objects.filter(memberships__project_id=member.project_id, memberships__role="lead")[:3])
    if member.project.paused:
        return Nothing("paused", whom=whom)
    if member.paused_at is not None:
        return Nothing("stopped", whom=whom)
    if hidden_checks.must_calibrate(member):
        return Nothing("calibration", whom=whom)
    if queue.reached_limit(member):
        return Nothing("limit", totals=totals(member), whom=whom)
    if queue.candidates(member, Slot.Stage.ANNOTATE, timezone.now()).exists():
        return None
    if queue.waits(member.project):
        return None
    return _held_by_others(member) or _items_waiting(member) or _finished(member, whom)


def _held_by_others(member: Member) -> Nothing | None:
    """Items that this person may get if the present holder does not submit them, or does not finish their unit."""
    others = Q(state=Slot.State.HELD) & ~Q(holder=member.user)
    if member.project.kind.unit_column:
        others |= Q(state=Slot.State.OPEN) & Q(turn_of_another(member.user, timezone.now()))
    slots = Slot.objects.filter(others, project_id=member.project_id, stage=Slot.Stage.ANNOTATE)
    slots = slots.not_skipped_by(member.user).not_already_in(member.user)
    figures = queue.limited_to(member, slots).aggregate(count=Count("id"), until=Min("lease_until"))
    if not figures["count"]:
        return None
    return Nothing("others", figures["count"], figures["until"] or turns.first_end(member.project))


def _items_waiting(member: Member) -> Nothing | None:
    """Items that exist but cannot be worked on yet, because they wait for a suggestion."""
    count = Item.objects.counted().filter(project_id=member.project_id, state=Item.State.IMPORTED).count()
    return Nothing("waiting", count=count) if count else None


def _finished(member: Member, whom: tuple[User, ...]) -> Nothing:
    work_totals = totals(member)
    if queue.is_spent(member.project):
        return Nothing("spent", totals=work_totals, whom=whom)
    in_review = _items_in_review(member.project)
    return Nothing("done" if work_totals.items else "none", totals=work_totals, whom=whom, in_review=in_review)


def _items_in_review(project: Project) -> int:
    counts = ItemCount.objects.filter(project=project, purpose=Item.Purpose.WORK, state__in=IN_REVIEW)
    return counts.aggregate(n=Sum("items"))["n"] or 0
