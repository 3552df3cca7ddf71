"""Figures of a project's overview: returns, skips, cost, coverage, states, pace and forecast.

Only work items count. Every figure links to a list of items that can be opened.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date as datetime_date
from datetime import datetime, timedelta
from itertools import groupby
from statistics import fmean, median
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Case, Count, Q, QuerySet, Subquery, Sum, Value, When
from django.db.models.expressions import RawSQL
from django.db.models.fields.json import KeyTextTransform

from annotate.items.queries import day_begins, in_slots_of, left_drafts, reviews
from annotate.kinds.values import GenerationRequest
from annotate.models import Annotation, Event, Item, ItemCount, Project, Skip, Slot, User
from lib.stats.intervals import Interval, mean_interval, wilson

TOO_FEW = 10
LATEST = 1000  # decisions from which a larger project's returns and cost are read
DECISIONS = ("accepted", "returned", "dropped")


def latest_items(project: Project, total: int) -> list[int] | None:
    """The items of the latest decisions, for returns and cost: of a million items, reading all texts takes a minute.

    None for a project of so few items, total, that all of them count.
    """
    if total <= LATEST:
        return None
    decisions = [
        decision
        for verb in DECISIONS
        for decision in Event.objects.filter(project=project, verb=verb)
        .order_by("-at")
        .values_list("at", "item")[:LATEST]
    ]
    return list({item for _at, item in sorted(decisions, reverse=True)[:LATEST]})


def _among(rows: QuerySet[Annotation], items: Sequence[int] | None) -> QuerySet[Annotation]:
    """The slots are limited too, so that the database does not join all slots of the project."""
    if items is None:
        return rows
    ids = _id_rows(items)
    return rows.filter(item__in=ids, slot__item__in=ids)


def _id_rows(ids: Sequence[int]) -> RawSQL:
    """A subquery of many ids as one parameter: a thousand of them take Django longer than the database."""
    if connection.vendor == "postgresql":
        return RawSQL("SELECT unnest(%s::bigint[])", [list(ids)])
    return RawSQL("SELECT value FROM json_each(%s)", [json.dumps(list(ids))])


@dataclass(frozen=True)
class ShareEstimate:
    """hits of n with Wilson's 95 % interval. Below TOO_FEW it is too few to conclude anything."""

    hits: int
    n: int

    @property
    def percent(self) -> float | None:
        return 100 * self.hits / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        bounds = wilson(self.hits, self.n)
        return Interval(100 * bounds.low, 100 * bounds.high) if bounds else None

    @property
    def too_few(self) -> bool:
        return self.n < TOO_FEW


@dataclass(frozen=True)
class ReturnShare:
    """How many reviewed items of a person or a group were sent back at least once."""

    name: str
    key: str
    sent_back: ShareEstimate


class Reviewed(NamedTuple):
    """What others decided about one person's texts on an item. returns: how often they sent one back."""

    item: int
    author: int
    group: str
    returns: int


def reviewed(project: Project, latest: Sequence[int] | None = None) -> list[Reviewed]:
    """latest: only these items; None for all of a project that has no more than LATEST."""
    decisions = reviews(project, of_few=latest is not None)
    rows = decisions.filter(slot__about__author__isnull=False, item__purpose=Item.Purpose.WORK)
    returns = Count("pk", filter=Q(outcome=Annotation.Outcome.RETURNED))
    columns = ("item", "slot__about__author", "item__group")
    return [Reviewed(*row) for row in _among(rows, latest).values_list(*columns).annotate(returns=returns).order_by()]


def returned_by_person(rows: Sequence[Reviewed]) -> list[ReturnShare]:
    """Items that a person wrote on and another one reviewed; the person with most returned items first."""
    shares = _returned((row.author, row) for row in rows)
    people = User.objects.in_bulk([author for author, _share in shares])
    return [ReturnShare(str(people[author]), str(author), share) for author, share in shares]


def returned_by_group(rows: Sequence[Reviewed], most: int = 5) -> list[ReturnShare]:
    shares = [(group, share) for group, share in _returned((row.group, row) for row in rows) if share.hits]
    return [ReturnShare(group, group, share) for group, share in shares[:most]]


def _returned(rows: Iterable[tuple[Any, Reviewed]]) -> list[tuple[Any, ShareEstimate]]:
    """The rows, each with its person or group: (person or group, share of its items that came back), most first."""
    items: defaultdict[Any, dict[int, bool]] = defaultdict(dict)
    for name, row in rows:
        items[name][row.item] = items[name].get(row.item, False) or row.returns > 0
    shares = [(name, ShareEstimate(sum(returned.values()), len(returned))) for name, returned in items.items()]
    return sorted(shares, key=lambda share: (-share[1].hits, share[0]))


@dataclass(frozen=True)
class SkipShare:
    reason: str
    label: str
    items: int
    people: int


def skips(project: Project) -> list[SkipShare]:
    labels = dict(Skip._meta.get_field("reason").flatchoices)
    rows = (
        Skip.objects.filter(item__project=project, item__purpose=Item.Purpose.WORK)
        .values_list("reason")
        .annotate(items=Count("item", distinct=True), people=Count("person", distinct=True))
        .order_by("-items")
    )
    return [SkipShare(reason, str(labels[reason]), items, people) for reason, items, people in rows]


@dataclass(frozen=True)
class ItemCost:
    """People's minutes per accepted item, with all rounds and reviews; `left_out`: items without a recorded time."""

    mean: float | None
    median: float | None
    interval: Interval | None
    n: int
    left_out: int
    dropped: float
    undecided: float

    @property
    def too_few(self) -> bool:
        return self.n < TOO_FEW


def cost(project: Project, accepted: int, latest: Sequence[int] | None = None) -> ItemCost:
    """accepted: how many work items are accepted now. latest: only these items."""
    if latest is not None:
        accepted = Item.objects.counted().filter(pk__in=_id_rows(latest), state=Item.State.ACCEPTED).count()
    per_item, elsewhere = [], Counter[str]()
    written = Annotation.objects.filter(author__isnull=False)
    in_slots = in_slots_of(written, project, of_few=latest is not None)  # only there time is recorded
    for _item, state, seconds in (
        _among(in_slots, latest)
        .filter(item__purpose=Item.Purpose.WORK, active_seconds__gt=0)
        .values_list("item_id", "item__state")
        .annotate(Sum("active_seconds"))
        .order_by()
    ):
        if state == Item.State.ACCEPTED:
            per_item.append(seconds / 60)
        else:
            elsewhere["dropped" if state == Item.State.DROPPED else "undecided"] += seconds
    return ItemCost(
        mean=fmean(per_item) if per_item else None,
        median=median(per_item) if per_item else None,
        interval=mean_interval(per_item),
        n=len(per_item),
        left_out=accepted - len(per_item),
        dropped=elsewhere["dropped"] / 60,
        undecided=elsewhere["undecided"] / 60,
    )


# Coverage: the accepted items of each group against the number that the project wants.


@dataclass(frozen=True)
class CoverageRow:
    """found: accepted work items of the group whose field has the wanted value."""

    wanted: GenerationRequest
    found: int

    @property
    def is_met(self) -> bool:
        return self.found >= self.wanted.count

    @property
    def shown(self) -> int:
        """`found`, at most `wanted`: the filled part of the bar."""
        return min(self.found, self.wanted.count)


@dataclass(frozen=True)
class CoveragePart:
    """The groups under one heading, such as an ability."""

    name: str
    rows: Sequence[CoverageRow]

    @property
    def met(self) -> int:
        return sum(row.is_met for row in self.rows)


def coverage(project: Project) -> list[CoveragePart]:
    """The coverage by part, in the kind's order; empty where the kind has no such goal."""
    goals = project.kind.wanted(project.kind_options)
    counts_by_field = {field: _accepted_counts(project, field) for field in {goal.field for goal in goals}}
    rows = [CoverageRow(goal, counts_by_field[goal.field][goal.group, goal.value]) for goal in goals]
    return list(_parts(rows))


def _accepted_counts(project: Project, field: str) -> Counter[tuple[str, str]]:
    """(group, value of the field in what was accepted) -> accepted work items."""
    accepted = Item.objects.counted().filter(project=project, state=Item.State.ACCEPTED)
    valued = accepted.annotate(value=KeyTextTransform(field, "base__draft")).order_by()
    rows = valued.values_list("group", "value").annotate(n=Count("pk"))
    return Counter({(group, value): n for group, value, n in rows})


def _parts(rows: Sequence[CoverageRow]) -> Iterator[CoveragePart]:
    for name, members in groupby(rows, key=lambda row: row.wanted.part):
        yield CoveragePart(name, list(members))


# States, pace and leases.


DAYS = 14
LEASES_SHOWN = 50
ASIDE = [purpose for purpose in Item.Purpose.values if purpose != Item.Purpose.WORK]
OPEN = (Item.State.IMPORTED, Item.State.READY, Item.State.REVIEWING, Item.State.ADJUDICATING)


# state -> (fill of the bar, swatch of the legend), in the order of the bar
LOOKS = {
    Item.State.ACCEPTED: ("ok", "ok"),
    Item.State.ADJUDICATING: ("caution", "caution"),
    Item.State.REVIEWING: ("info", "info"),
    Item.State.READY: ("hollow", "plain"),
    Item.State.IMPORTED: ("gap", "gap"),
    Item.State.DROPPED: ("2", "soft"),
}


def state_parts(counts: Counter[str]) -> list[tuple[str, int]]:
    """The parts of a bar of items by state: (fill, items)."""
    return [(fill, counts[state]) for state, (fill, _swatch) in LOOKS.items()]


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
    for purpose, state, n in ItemCount.objects.filter(project=project).totals("purpose", "state"):
        if purpose == Item.Purpose.WORK:
            counts[state] += n
        else:
            aside += n
    return States(counts, aside)


@dataclass(frozen=True)
class Day:
    date: datetime_date
    accepted: int


@dataclass(frozen=True)
class AcceptancePace:
    """Distinct items accepted on each of the past days (today last), in the past seven days and the seven before.

    An item that was accepted and reopened still counts on the day it was accepted.
    """

    days: Sequence[Day]
    week: int
    week_before: int

    @property
    def since(self) -> datetime_date:
        return self.days[-7].date

    @property
    def before_since(self) -> datetime_date:
        return self.days[-14].date

    @property
    def before_until(self) -> datetime_date:
        return self.days[-8].date


def pace(project: Project, today: datetime_date) -> AcceptancePace:
    dates = [today - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
    accepted = Event.objects.filter(project=project, verb="accepted", at__gte=day_begins(dates[0]))
    accepted = accepted.filter(at__lt=day_begins(today + timedelta(days=1)))
    aside = Item.objects.filter(project=project, purpose__in=ASIDE)
    days, weeks = (_items_since(accepted.exclude(item__in=aside), begins) for begins in (dates, dates[::7]))
    return AcceptancePace([Day(day, days[day]) for day in dates], weeks[dates[7]], weeks[dates[0]])


def _items_since(events: QuerySet[Event], begins: Sequence[datetime_date]) -> Counter[datetime_date]:
    """The distinct items of the events from each of these days to the next one, the last without an end."""
    spans = [When(at__gte=day_begins(day), then=Value(index)) for index, day in reversed(list(enumerate(begins)))]
    rows = events.annotate(span=Case(*spans)).values_list("span").annotate(n=Count("item", distinct=True)).order_by()
    return Counter({begins[index]: n for index, n in rows})


@dataclass(frozen=True)
class Forecast:
    """When the undecided items are done at the pace of the past days; late is None where that pace may be zero."""

    early: datetime_date
    late: datetime_date | None


def forecast(undecided: int, pace: AcceptancePace, today: datetime_date) -> Forecast | None:
    """The forecast; None where nothing is left, or where the pace is unknown."""
    per_day = mean_interval([day.accepted for day in pace.days])
    if not undecided or per_day is None or per_day.high <= 0:
        return None
    early, late = (_date_after(today, undecided, speed) for speed in (per_day.high, per_day.low))
    return Forecast(early, late) if early else None


def _date_after(today: datetime_date, items: int, per_day: float) -> datetime_date | None:
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
    """The held slots with holder and end of the lease, the earliest end first."""
    held = Slot.objects.held().filter(project=project)
    counts = held.aggregate(count=Count("pk"), overdue=Count("pk", filter=Q(lease_until__lt=now)))
    slots = held.select_related("item", "holder").defer("item__facts").order_by("lease_until", "pk")[:LEASES_SHOWN]
    return Leases(list(slots), **counts)


def left_draft_count(project: Project) -> int:
    return left_drafts(project).aggregate(n=Count("item", distinct=True))["n"]


def waiting_longest(project: Project) -> Item | None:
    """The undecided work item with the oldest last change: the oldest of each state, looked up in an index."""
    items = Item.objects.counted().filter(project=project).order_by("changed_at", "pk")
    is_oldest = Q()
    for state in OPEN:
        is_oldest |= Q(pk=Subquery(items.filter(state=state).values("pk")[:1]))
    return items.filter(is_oldest).defer("facts").first()
