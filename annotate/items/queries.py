"""The list of a project's items: its filters and its rows; its pages are in annotate/items/keyset.py.

A filter is a field of `ItemFilters` and a function of the same name in `SELECTS`; no value of a request is ever used as
a lookup itself.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import date, datetime, time, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.db import connection
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from annotate.bulk_rows import fetched
from annotate.items import text_search
from annotate.items.metadata_columns import ColumnText, ColumnValue, HasColumn, text_of
from annotate.models import Annotation, Comment, Event, Item, Project, Skip, Slot
from annotate.models.items import ItemQuerySet
from annotate.sqlite_hints import Unindexed
from lib.texts.grams import Excerpt

COUNTED_AT_MOST = 10_000
HITS_AT_MOST = 1_000  # of a search: each is looked at, which takes ten times as long as counting an item
# Limits of `since` and `until`: beyond them, adding a day may fail.
FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(2200, 1, 1)


@dataclass(frozen=True, kw_only=True)
class ItemFilters:
    """The filters of a list; an empty value filters nothing. A person is the id of their account or "anyone".

    metadata: a column that only leads see, and so is this filter; with `value`, its value as text.
    """

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
    run: int | None = None
    event: str = ""
    since: date | None = None
    until: date | None = None
    metadata: str = ""
    value: str = ""

    def given(self) -> dict[str, Any]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value not in ("", None)}


def matching(project: Project, filters: ItemFilters, *, whole: bool = False) -> ItemQuerySet:
    """The items of a project that pass every filter, unordered. whole: all are wanted, or thousands, and not a page."""
    words = filters.q
    items = text_search.hits(project, words, whole=whole) if words else Item.objects.filter(project=project)
    for name, value in filters.given().items():
        if name in COLUMNS:
            items = items.filter(**{name: value})
        elif name in SELECTS:
            items = SELECTS[name](items, value, project)
    items = _with_metadata(items, filters) if filters.metadata else items
    return _in_events(items, filters, project) if filters.event else items


def to_count(project: Project, filters: ItemFilters, items: ItemQuerySet) -> ItemQuerySet:
    """The same items, for a count of them. items: those that match.

    No index has both the state and the group. SQLite compares the ids in the index of each, and reads no item.
    """
    if connection.vendor != "sqlite" or filters.q or not (filters.state and filters.group):
        return items
    of_group = Item.objects.filter(project=project, group=filters.group)
    return matching(project, replace(filters, group="")).filter(pk__in=of_group.values("pk"))


def _with_metadata(items: ItemQuerySet, filters: ItemFilters) -> ItemQuerySet:
    """Those that have the column, or this value of it: as a text, or as the number or truth value that it spells."""
    items = items.filter(HasColumn(F("metadata"), filters.metadata))
    if not filters.value:
        return items
    valued = items.alias(metadata_value=ColumnValue(filters.metadata, "metadata"))
    return valued.filter(any_of_values("metadata_value", [filters.value]))


def any_of_values(name: str, texts: Sequence[str]) -> Q:
    """Whether a value of metadata, annotated under this name, is one of the texts, or a number that one spells."""
    values: list[Any] = list(texts)
    for text in texts:
        with suppress(ValueError):
            spelled = json.loads(text)
            values += [spelled] if isinstance(spelled, int | float) else []
    return reduce(or_, (Q(**{name: value}) for value in values), Q())


@dataclass(frozen=True)
class ValueCounts:
    """How many items have each value of a metadata column, the most frequent first.

    counts: (value as text, count); others: how many further values there are; cut: whether only the first
    COUNTED_AT_MOST items were counted.
    """

    column: str
    counts: Sequence[tuple[str, int]]
    others: int
    cut: bool


MOST_VALUES = 40  # of a metadata column that are listed


def value_counts(project: Project, filters: ItemFilters) -> ValueCounts:
    """Of the items that pass all filters but the one by value. Lists and objects are no values to filter by."""
    items = matching(project, replace(filters, value=""), whole=True)
    column = ColumnText(filters.metadata, "metadata")
    values = list(items.order_by().values_list(column, flat=True)[: COUNTED_AT_MOST + 1])
    counter = Counter(text for value in values[:COUNTED_AT_MOST] if (text := text_of(value)))
    counts = counter.most_common(MOST_VALUES)
    return ValueCounts(filters.metadata, counts, len(counter) - len(counts), len(values) > COUNTED_AT_MOST)


def count_up_to(items: QuerySet[Item], most: int = COUNTED_AT_MOST) -> int:
    """The number of items, or most + 1 if there are more: counting further costs more than it is worth."""
    return items.order_by().values("pk")[: most + 1].count()


def distinct_values(project: Project, column: str, *, purpose: str = "", most: int = 500) -> list[str]:
    """The different values of a column of the project's items, in order; of items of this purpose, if one is given.

    The column is the one after the project, or after project and purpose, in an index.
    """
    sql, params = _index_scan(project, column, purpose, most)
    return [value for (value,) in fetched(sql, params)]


def languages_and_groups(project: Project, *, most: int) -> tuple[set[str], set[str]]:
    """The different languages and groups of all items. One query. most: of groups that are read."""
    scans = [("language", _index_scan(project, "language", purpose, most)) for purpose in Item.Purpose.values]
    scans.append(("group", _index_scan(project, "group", "", most)))
    sql = " UNION ".join(f"SELECT '{name}', value FROM ({scan}) AS {name}s" for name, (scan, _params) in scans)  # noqa: S608
    values: dict[str, set[str]] = {"language": set(), "group": set()}
    for name, value in fetched(sql, [param for _name, (_scan, params) in scans for param in params]):
        values[name].add(value)
    return values["language"], values["group"]


def _index_scan(project: Project, column: str, purpose: str, most: int) -> tuple[str, list[Any]]:
    """A loose index scan: the database looks up the smallest value, then the next larger one, and so on, where DISTINCT
    would read every item.
    """
    table, name = map(connection.ops.quote_name, (Item._meta.db_table, column))
    of_purpose = " AND purpose = %s" if purpose else ""
    smallest = f"SELECT MIN({name}) AS value FROM {table} WHERE project_id = %s{of_purpose}"  # noqa: S608 - our own names
    larger = f"({smallest} AND {name} > step.value)"
    sql = (
        f"WITH RECURSIVE step AS ({smallest} UNION ALL SELECT {larger} FROM step WHERE step.value IS NOT NULL) "  # noqa: S608
        "SELECT value FROM step WHERE value IS NOT NULL LIMIT %s"
    )
    place = [project.pk, purpose] if purpose else [project.pk]
    return sql, [*place, *place, most]


def day_begins(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


COLUMNS = {"state", "group", "language", "batch", "purpose", "priority"}


def _dropped_for(items: ItemQuerySet, reason: str, project: Project) -> ItemQuerySet:
    return items.filter(state=Item.State.DROPPED, drop_reason=reason)


def _assigned(items: ItemQuerySet, person: str, project: Project) -> ItemQuerySet:
    reserved = Slot.objects.open().filter(project=project, reserved_for__isnull=False, item__purpose=Item.Purpose.WORK)
    return items.filter(pk__in=_of(reserved, person, "reserved_for").values("item"))


def _held_by(items: ItemQuerySet, person: str, project: Project) -> ItemQuerySet:
    if person == "overdue":
        return items.filter(pk__in=Slot.objects.overdue(timezone.now()).filter(project=project).values("item"))
    held = Slot.objects.held().filter(project=project, holder__isnull=False)
    return items.filter(pk__in=_of(held, person, "holder").values("item"))


def _by(items: ItemQuerySet, person: str, project: Project) -> ItemQuerySet:
    submitted_slots = Slot.objects.filter(project=project, state=Slot.State.SUBMITTED)
    if person == "anyone":
        return items.filter(pk__in=submitted_slots.filter(holder__isnull=False).values("item"))
    # All stages are named: that column comes before the holder in the index `submitted_slots`.
    own_slots = submitted_slots.filter(holder=int(person), stage__in=Slot.Stage.values)
    return items.filter(pk__in=own_slots.values("item"))


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


def _with_suggestion_of(items: ItemQuerySet, run: int, project: Project) -> ItemQuerySet:
    return items.filter(pk__in=Annotation.objects.filter(run=run, run__project=project).values("item"))


def _of(rows: QuerySet[Any], person: str, column: str) -> QuerySet[Any]:
    return rows if person == "anyone" else rows.filter(**{column: int(person)})


def _in_events(items: ItemQuerySet, filters: ItemFilters, project: Project) -> ItemQuerySet:
    events = Event.objects.filter(project=project, verb=filters.event)
    if filters.since:
        events = events.filter(at__gte=day_begins(filters.since))
    if filters.until:
        events = events.filter(at__lt=day_begins(filters.until + timedelta(days=1)))
    return items.filter(pk__in=events.values("item"))


Select = Callable[[ItemQuerySet, Any, Project], ItemQuerySet]
SELECTS: dict[str, Select] = {
    "drop_reason": _dropped_for,
    "assigned": _assigned,
    "held": _held_by,
    "by": _by,
    "reviewed": _reviewed,
    "returned": _returned,
    "skipped": _skipped,
    "comments": _with_open_comments,
    "drafts": _with_left_drafts,
    "minutes": _with_minutes,
    "run": _with_suggestion_of,
}


def reviews(project: Project, *, of_few: bool = False) -> QuerySet[Annotation]:
    """People's decisions about other people's annotations, as far as everybody may know them.

    of_few: the caller selects a few items, and the database begins with them, not with all slots of the project.
    """
    decisions = Annotation.objects.in_the_open().filter(
        slot__stage=Slot.Stage.REVIEW, submitted_at__isnull=False, author__isnull=False
    )
    return in_slots_of(decisions, project, of_few=of_few)


def in_slots_of(texts: QuerySet[Annotation], project: Project, *, of_few: bool) -> QuerySet[Annotation]:
    """Those of them whose slots belong to the project. of_few: as for `reviews`."""
    if of_few:
        return texts.alias(of_project=Unindexed(F("slot__project"))).filter(of_project=project.pk)
    return texts.filter(slot__project=project)


def people_wrote(project: Project) -> QuerySet[Annotation]:
    return Annotation.objects.filter(item__project=project, author__isnull=False)


def left_drafts(project: Project) -> QuerySet[Annotation]:
    """Unfinished texts of people who no longer hold the item: the lease expired or was released, or they skipped it."""
    still_held = Q(slot__state=Slot.State.HELD, slot__holder=F("author"))
    # By the project of the slot alone, and without its index: SQLite begins with the few drafts, not with all slots.
    drafts = Annotation.objects.filter(author__isnull=False, submitted_at=None, revision__gt=0)
    drafts = drafts.alias(of_project=Unindexed(F("slot__project"))).filter(of_project=project.pk)
    return drafts.filter(item__purpose=Item.Purpose.WORK).exclude(still_held)


# Rows: what a list shows for each item, its holder and the number of waiting comments.


@dataclass(frozen=True)
class ItemRow:
    """excerpt: where the words that were searched for are in the item's texts; None if they are not there.

    values: of the columns that show fields of the kind or metadata.
    """

    item: Item
    slots: Sequence[Slot]
    open_comments: int
    excerpt: Excerpt | None = None
    values: Sequence[str] = ()

    @property
    def held(self) -> list[Slot]:
        return [slot for slot in self.slots if slot.state == Slot.State.HELD]

    @property
    def assigned(self) -> list[Slot]:
        return [slot for slot in self.slots if slot.state == Slot.State.OPEN]


def rows_of(
    items: Sequence[Item],
    excerpts: Mapping[int, Excerpt] | None = None,
    values: Mapping[int, Sequence[str]] | None = None,
) -> list[ItemRow]:
    """The rows of these items, in two queries however many there are. excerpts, values: by item id."""
    ids = [item.pk for item in items]
    in_hand = defaultdict(list)
    reserved = Q(state=Slot.State.OPEN, reserved_for__isnull=False)
    for slot in Slot.objects.filter(Q(state=Slot.State.HELD) | reserved, item__in=ids).select_related(
        "holder", "reserved_for"
    ):
        in_hand[slot.item_id].append(slot)
    threads = Comment.objects.unresolved().filter(item__in=ids).order_by()
    comments = dict(threads.values_list("item").annotate(Count("pk")))
    excerpt_of, values_of = (excerpts or {}).get, (values or {}).get
    return [
        ItemRow(item, in_hand[item.pk], comments.get(item.pk, 0), excerpt_of(item.pk), values_of(item.pk, ()))
        for item in items
    ]
