"""The figures of a project's overview. Only work items count; every figure is a list of items that can be opened."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Count, Q

from annotate.models import Event, Item, Project, Slot
from annotate.services.items.lists import day_begins, left_drafts
from lib.stats.intervals import mean_interval

DAYS = 14
LEASES_SHOWN = 50
OPEN = (Item.State.IMPORTED, Item.State.READY, Item.State.REVIEWING, Item.State.ADJUDICATING)


@dataclass(frozen=True)
class States:
    """Work items by state; `aside` counts what is left out: calibration, gold and attention items."""

    counts: Counter[str]
    aside: int

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def undecided(self) -> int:
        return sum(self.counts[state] for state in OPEN)


def states(project: Project) -> States:
    counts, aside = Counter[str](), 0
    rows = Item.objects.filter(project=project).values_list("state", "purpose").annotate(Count("pk")).order_by()
    for state, purpose, n in rows:
        if purpose == Item.Purpose.WORK:
            counts[state] += n
        else:
            aside += n
    return States(counts, aside)


@dataclass(frozen=True)
class Day:
    date: date
    accepted: int


@dataclass(frozen=True)
class Pace:
    """Distinct items accepted on each of the past days (today last), in the past seven days and the seven before.

    An item that was accepted and reopened still counts on the day it was accepted.
    """

    days: Sequence[Day]
    week: int
    week_before: int

    @property
    def since(self) -> date:
        return self.days[-7].date

    @property
    def before_since(self) -> date:
        return self.days[-14].date

    @property
    def before_until(self) -> date:
        return self.days[-8].date


def pace(project: Project, today: date) -> Pace:
    dates = [today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
    spans = {f"day_{index}": (day, day) for index, day in enumerate(dates)}
    spans |= {"week": (dates[-7], dates[-1]), "week_before": (dates[-14], dates[-8])}
    accepted = Event.objects.filter(project=project, verb="accepted", at__gte=day_begins(dates[0]))
    aside = Item.objects.filter(project=project).exclude(purpose=Item.Purpose.WORK)
    counts = accepted.exclude(item__in=aside).aggregate(
        **{name: _distinct_items(*span) for name, span in spans.items()}
    )
    days = [Day(day, counts[f"day_{index}"]) for index, day in enumerate(dates)]
    return Pace(days, counts["week"], counts["week_before"])


def _distinct_items(first_day: date, last_day: date) -> Count:
    within = Q(at__gte=day_begins(first_day), at__lt=day_begins(last_day + timedelta(days=1)))
    return Count("item", filter=within, distinct=True)


@dataclass(frozen=True)
class Forecast:
    """When the undecided items are done at the pace of the past days; late is None where the pace may be nothing."""

    early: date
    late: date | None


def forecast(undecided: int, pace: Pace, today: date) -> Forecast | None:
    """None where nothing is left, or where the pace says nothing."""
    per_day = mean_interval([day.accepted for day in pace.days])
    if not undecided or per_day is None or per_day.high <= 0:
        return None
    early, late = (_after(today, undecided, speed) for speed in (per_day.high, per_day.low))
    return Forecast(early, late) if early else None


def _after(today: date, items: int, per_day: float) -> date | None:
    days = items / per_day if per_day > 0 else float("inf")
    return today + timedelta(days=round(days)) if days < 3650 else None


@dataclass(frozen=True)
class Leases:
    shown: Sequence[Slot]
    count: int
    overdue: int

    @property
    def next_end(self) -> datetime | None:
        return self.shown[0].lease_until if self.shown else None


def leases(project: Project, now: datetime) -> Leases:
    """Who holds what until when, the earliest end first."""
    held = Slot.objects.held().filter(project=project)
    counts = held.aggregate(count=Count("pk"), overdue=Count("pk", filter=Q(lease_until__lt=now)))
    slots = held.select_related("item", "holder").defer("item__facts").order_by("lease_until", "pk")[:LEASES_SHOWN]
    return Leases(list(slots), **counts)


def left_draft_count(project: Project) -> int:
    return left_drafts(project).aggregate(n=Count("item", distinct=True))["n"]


def waiting_longest(project: Project) -> Item | None:
    """The undecided work item that nothing has happened to for the longest time."""
    open_items = Item.objects.counted().filter(project=project, state__in=OPEN)
    return open_items.defer("facts").order_by("changed_at", "pk").first()
