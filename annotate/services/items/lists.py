"""The list of a project's items: which filters there are, what each selects.

A filter is a field of `Filters` and a function of the same name in `SELECTS`; nothing a request says ever becomes a
lookup by itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from annotate.models import Annotation, Comment, Event, Item, Project, Skip, Slot
from annotate.models.items import ItemQuerySet

COUNTED_AT_MOST = 10_000
FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(2200, 1, 1)  # of `since` and `until`: beyond them days have no next day


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What a list shows; an empty value filters nothing. People are given as the id of their account or "anyone"."""

    q: str = ""
    state: str = ""
    group: str = ""
    language: str = ""
    batch: int | None = None
    purpose: str = ""
    priority: int | None = None
    drop_reason: str = ""
    assigned: str = ""
    held: str = ""
    by: str = ""
    reviewed: str = ""
    returned: str = ""
    skipped: str = ""
    comments: str = ""
    drafts: str = ""
    minutes: str = ""
    event: str = ""
    since: date | None = None
    until: date | None = None

    def given(self) -> dict[str, Any]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value not in ("", None)}


def matching(project: Project, filters: Filters) -> ItemQuerySet:
    """The items of a project that pass every filter, in no order."""
    items: ItemQuerySet = Item.objects.filter(project=project)
    for name, value in filters.given().items():
        if name in COLUMNS:
            items = items.filter(**{name: value})
        elif name in SELECTS:
            items = SELECTS[name](items, value, project)
    return _in_events(items, filters, project) if filters.event else items


def count_up_to(items: QuerySet[Item], most: int = COUNTED_AT_MOST) -> int:
    """How many there are, or most + 1 where there are more: counting further costs more than it tells."""
    return items.order_by().values("pk")[: most + 1].count()


def day_begins(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


COLUMNS = {"state", "group", "language", "batch", "purpose", "priority"}


def _search(items: ItemQuerySet, words: str, project: Project) -> ItemQuerySet:
    return items.filter(Q(key__icontains=words) | Q(title__icontains=words))


def _dropped_for(items: ItemQuerySet, reason: str, project: Project) -> ItemQuerySet:
    return items.filter(state=Item.State.DROPPED, drop_reason=reason)


def _assigned(items: ItemQuerySet, person: str, project: Project) -> ItemQuerySet:
    reserved = Slot.objects.open().filter(project=project, reserved_for__isnull=False, item__purpose=Item.Purpose.WORK)
    return items.filter(pk__in=_of(reserved, person, "reserved_for").values("item"))


def _held(items: ItemQuerySet, person: str, project: Project) -> ItemQuerySet:
    if person == "overdue":
        return items.filter(pk__in=Slot.objects.overdue(timezone.now()).filter(project=project).values("item"))
    held = Slot.objects.held().filter(project=project, holder__isnull=False)
    return items.filter(pk__in=_of(held, person, "holder").values("item"))


def _by(items: ItemQuerySet, person: str, project: Project) -> ItemQuerySet:
    submitted_slots = Slot.objects.filter(project=project, state=Slot.State.SUBMITTED, holder__isnull=False)
    return items.filter(pk__in=_of(submitted_slots, person, "holder").values("item"))


def _reviewed(items: ItemQuerySet, author: str, project: Project) -> ItemQuerySet:
    return items.filter(pk__in=_of(reviews(project), author, "slot__about__author").values("item"))


def _returned(items: ItemQuerySet, author: str, project: Project) -> ItemQuerySet:
    returned = reviews(project).filter(outcome=Annotation.Outcome.RETURNED)
    return items.filter(pk__in=_of(returned, author, "slot__about__author").values("item"))


def _skipped(items: ItemQuerySet, reason: str, project: Project) -> ItemQuerySet:
    skips = Skip.objects.filter(item__project=project)
    return items.filter(pk__in=(skips if reason == "any" else skips.filter(reason=reason)).values("item"))


def _with_open_comments(items: ItemQuerySet, value: str, project: Project) -> ItemQuerySet:
    return items.filter(pk__in=Comment.objects.unresolved().filter(item__project=project).values("item"))


def _with_left_drafts(items: ItemQuerySet, value: str, project: Project) -> ItemQuerySet:
    return items.filter(pk__in=left_drafts(project).values("item"))


def _with_minutes(items: ItemQuerySet, value: str, project: Project) -> ItemQuerySet:
    timed = people_wrote(project).filter(active_seconds__gt=0).values("item")
    return items.filter(pk__in=timed) if value == "counted" else items.exclude(pk__in=timed)


def _of(rows: QuerySet[Any], person: str, column: str) -> QuerySet[Any]:
    return rows if person == "anyone" else rows.filter(**{column: int(person)})


def _in_events(items: ItemQuerySet, filters: Filters, project: Project) -> ItemQuerySet:
    events = Event.objects.filter(project=project, verb=filters.event)
    if filters.since:
        events = events.filter(at__gte=day_begins(filters.since))
    if filters.until:
        events = events.filter(at__lt=day_begins(filters.until + timedelta(days=1)))
    return items.filter(pk__in=events.values("item"))


Select = Callable[[ItemQuerySet, str, Project], ItemQuerySet]
SELECTS: dict[str, Select] = {
    "q": _search,
    "drop_reason": _dropped_for,
    "assigned": _assigned,
    "held": _held,
    "by": _by,
    "reviewed": _reviewed,
    "returned": _returned,
    "skipped": _skipped,
    "comments": _with_open_comments,
    "drafts": _with_left_drafts,
    "minutes": _with_minutes,
}


def reviews(project: Project) -> QuerySet[Annotation]:
    """Decisions of people about other people's annotations, as far as all may know of them."""
    return Annotation.objects.in_the_open().filter(
        slot__project=project, slot__stage=Slot.Stage.REVIEW, submitted_at__isnull=False, author__isnull=False
    )


def people_wrote(project: Project) -> QuerySet[Annotation]:
    return Annotation.objects.filter(item__project=project, author__isnull=False)


def left_drafts(project: Project) -> QuerySet[Annotation]:
    """Unfinished texts of people who no longer hold the item: the lease ran out, was released, or they skipped it."""
    still_held = Q(slot__state=Slot.State.HELD, slot__holder=F("author"))
    drafts = people_wrote(project).filter(submitted_at=None, slot__project=project, revision__gt=0)
    return drafts.filter(item__purpose=Item.Purpose.WORK).exclude(still_held)
