"""How far somebody is, and the truth about why there is nothing for them to do."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.cache import caches
from django.db.models import Count, Min, Q, QuerySet, Sum
from django.utils import timezone

from annotate.models import Annotation, Item, Member, Slot, User
from annotate.services import more_work, queue
from annotate.services.readiness import asking, calibration, stream

# Counting stops here: a queue of thousands reads "500+", and fifty people do not count it at every page.
COUNTED = 500
COUNTED_FOR = 60  # seconds


@dataclass(frozen=True)
class Progress:
    """done of total; `more`: the queue is longer than was counted."""

    done: int
    total: int
    more: bool = False

    @property
    def current(self) -> int:
        return self.done + 1

    @property
    def shown_total(self) -> str:
        return f"{self.total}+" if self.more else str(self.total)


def progress(member: Member, *, fresh: bool = False, at_work: bool = False) -> Progress:
    """What this person has handed in, of that and what is still within their reach.

    The total is counted at most once a minute, so that it does not jump while others work; fresh counts now.
    at_work: on an item of the queue, taken before a calibration was asked for, the calibration is not what they are at.
    """
    if asking.must_calibrate(member) and not at_work:
        standing = calibration.standing(member)
        return Progress(standing.done, standing.total)
    slots = Slot.objects.filter(project_id=member.project_id, holder=member.user, stage=Slot.Stage.ANNOTATE)
    slots = slots.exclude(item__purpose=Item.Purpose.CALIBRATION)
    submitted_count = slots.filter(state=Slot.State.SUBMITTED).count()
    key = f"total-{member.pk}"
    total, more = (None if fresh else caches["local"].get(key)) or (0, False)
    if total <= submitted_count:
        held = slots.held().count()
        reach = within_reach(member)
        checks = stream.still_to_come(member, first=submitted_count + held, work=reach)
        total, more = submitted_count + held + reach + checks, reach >= COUNTED
        caches["local"].set(key, (total, more), COUNTED_FOR)
    return Progress(submitted_count, total, more)


def within_reach(member: Member) -> int:
    """How many items this person could take, counted up to COUNTED; what their limits leave, if that is less."""
    if member.project.paused or asking.is_closed(member, Slot.Stage.ANNOTATE):
        return 0
    candidates = queue.candidates(member, Slot.Stage.ANNOTATE, timezone.now()).values("item_id").order_by()
    count = candidates.distinct()[:COUNTED].count()  # items, of which several slots may be open
    return min(count, _left(member, count))


def _left(member: Member, most: int) -> int:
    if member.daily_limit is None and member.total_limit is None:
        return most
    allowances = [most]
    if member.daily_limit is not None:
        allowances.append(member.daily_limit - submitted(member).filter(submitted_at__gte=_midnight()).count())
    if member.total_limit is not None:
        allowances.append(member.total_limit - submitted(member).count())
    return max(0, min(allowances))


def submitted(member: Member) -> QuerySet[Annotation]:
    """What this person handed in, and what their limits count: checks among the work too, the calibration not."""
    annotations = Annotation.objects.filter(
        author=member.user, slot__project_id=member.project_id, submitted_at__isnull=False
    )
    return annotations.exclude(item__purpose=Item.Purpose.CALIBRATION)


def _midnight() -> datetime:
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)


@dataclass(frozen=True)
class Totals:
    """What one person has done in a project, and what became of it."""

    items: int
    time: timedelta
    accepted: int
    fixed: int
    returned: int


def totals(member: Member) -> Totals:
    annotations = submitted(member).filter(slot__stage=Slot.Stage.ANNOTATE)
    sums = annotations.aggregate(items=Count("id"), seconds=Sum("active_seconds"))
    reviews = Annotation.objects.filter(slot__about__author=member.user, slot__project_id=member.project_id)
    fates = reviews.in_the_open().aggregate(
        accepted=Count("id", filter=Q(outcome=Annotation.Outcome.ACCEPTED)),
        fixed=Count("id", filter=Q(outcome__in=[Annotation.Outcome.FIXED, Annotation.Outcome.REVISED])),
        returned=Count("id", filter=Q(outcome=Annotation.Outcome.RETURNED)),
    )
    return Totals(items=sums["items"], time=timedelta(seconds=sums["seconds"] or 0), **fates)


@dataclass(frozen=True)
class Nothing:
    """Why there is nothing to do; the rest where it applies.

    why: paused (the project), stopped (this person), calibration, limit, others, waiting, spent (all votes that a study
    asks for are in), done or none.
    """

    why: str
    count: int = 0
    until: datetime | None = None
    totals: Totals | None = None
    whom: tuple[User, ...] = ()


def why_empty(member: Member) -> Nothing | None:
    """The reason why claim_next gives this person nothing; None when there is something."""
    whom = tuple(User.objects.filter(memberships__project_id=member.project_id, memberships__role="lead")[:3])
    if member.project.paused:
        return Nothing("paused", whom=whom)
    if member.paused_at is not None:
        return Nothing("stopped", whom=whom)
    if asking.must_calibrate(member):
        return Nothing("calibration", whom=whom)
    if queue.reached_limit(member):
        return Nothing("limit", totals=totals(member), whom=whom)
    if queue.candidates(member, Slot.Stage.ANNOTATE, timezone.now()).exists():
        return None
    if more_work.waits(member.project):
        return None
    return _held_by_others(member) or _waiting(member) or _finished(member, whom)


def _held_by_others(member: Member) -> Nothing | None:
    """Items that come to this person if their present holder does not hand them in."""
    slots = Slot.objects.held().filter(project_id=member.project_id, stage=Slot.Stage.ANNOTATE)
    slots = slots.exclude(holder=member.user).not_skipped_by(member.user).not_already_in(member.user)
    figures = queue.limited_to(member, slots).aggregate(count=Count("id"), until=Min("lease_until"))
    return Nothing("others", **figures) if figures["count"] else None


def _waiting(member: Member) -> Nothing | None:
    """Items that are there, but not yet work: they wait for a suggestion."""
    count = Item.objects.counted().filter(project_id=member.project_id, state=Item.State.IMPORTED).count()
    return Nothing("waiting", count=count) if count else None


def _finished(member: Member, whom: tuple[User, ...]) -> Nothing:
    work_totals = totals(member)
    if more_work.is_spent(member.project):
        return Nothing("spent", totals=work_totals, whom=whom)
    return Nothing("done" if work_totals.items else "none", totals=work_totals, whom=whom)
