"""The overview's figures about who and what needs help, and what the work cost. Only work items count."""

from collections import Counter
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum

from annotate.models import Annotation, Item, Project, Skip, User
from annotate.services.items.lists import people_wrote, reviews
from lib.stats.intervals import Interval, mean_interval, share_interval

TOO_FEW = 10


@dataclass(frozen=True)
class Share:
    """hits of n; the interval is Wilson's at 95 %. Below TOO_FEW it says nothing yet."""

    hits: int
    n: int

    @property
    def percent(self) -> float | None:
        return 100 * self.hits / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        bounds = share_interval(self.hits, self.n)
        return Interval(100 * bounds.low, 100 * bounds.high) if bounds else None

    @property
    def too_few(self) -> bool:
        return self.n < TOO_FEW


@dataclass(frozen=True)
class Returned:
    """Of the reviewed items of a person or a group: how many were sent back at least once."""

    name: str
    key: str
    sent_back: Share


def returned_by_person(project: Project) -> list[Returned]:
    """Most items sent back first. Items that a person wrote on and another one reviewed."""
    rows = _returned(project, F("slot__about__author"))
    people = User.objects.in_bulk([row["who"] for row in rows])
    return [Returned(str(people[row["who"]]), str(row["who"]), Share(row["hits"], row["n"])) for row in rows]


def returned_by_group(project: Project, most: int = 5) -> list[Returned]:
    rows = [row for row in _returned(project, F("item__group")) if row["hits"]]
    return [Returned(row["who"], row["who"], Share(row["hits"], row["n"])) for row in rows[:most]]


def _returned(project: Project, who: F) -> QuerySet[Any, Any]:
    sent_back = Q(outcome=Annotation.Outcome.RETURNED)
    reviewed = reviews(project).filter(slot__about__author__isnull=False, item__purpose=Item.Purpose.WORK)
    return (
        reviewed.annotate(who=who)
        .values("who")
        .annotate(n=Count("item", distinct=True), hits=Count("item", filter=sent_back, distinct=True))
        .order_by("-hits", "who")
    )


@dataclass(frozen=True)
class Skipped:
    reason: str
    label: str
    items: int
    people: int


def skips(project: Project) -> list[Skipped]:
    labels = dict(Skip._meta.get_field("reason").flatchoices)
    rows = (
        Skip.objects.filter(item__project=project, item__purpose=Item.Purpose.WORK)
        .values_list("reason")
        .annotate(items=Count("item", distinct=True), people=Count("person", distinct=True))
        .order_by("-items")
    )
    return [Skipped(reason, str(labels[reason]), items, people) for reason, items, people in rows]


@dataclass(frozen=True)
class Cost:
    """People's minutes for each accepted item, all rounds and reviews included; `left_out` has no time recorded."""

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


def cost(project: Project, accepted: int) -> Cost:
    """accepted: how many work items are accepted now."""
    per_item, elsewhere = [], Counter[str]()
    for _item, state, seconds in (
        people_wrote(project)
        .filter(item__purpose=Item.Purpose.WORK, active_seconds__gt=0)
        .values_list("item_id", "item__state")
        .annotate(Sum("active_seconds"))
        .order_by()
    ):
        if state == Item.State.ACCEPTED:
            per_item.append(seconds / 60)
        else:
            elsewhere["dropped" if state == Item.State.DROPPED else "undecided"] += seconds
    return Cost(
        mean=fmean(per_item) if per_item else None,
        median=median(per_item) if per_item else None,
        interval=mean_interval(per_item),
        n=len(per_item),
        left_out=accepted - len(per_item),
        dropped=elsewhere["dropped"] / 60,
        undecided=elsewhere["undecided"] / 60,
    )
