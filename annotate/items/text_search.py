"""Searching the items of a project by what is written in them, and the excerpts around the matches."""

from collections.abc import Iterable

from django.db import connection
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.expressions import RawSQL
from django.db.models.lookups import In

from annotate.bulk_rows import fetched
from annotate.items.search_index import encoded, written_texts
from annotate.models import Item, Project, SearchPending, SearchText
from annotate.models.items import ItemQuerySet
from annotate.sqlite_hints import Unindexed, by_primary_key
from lib.texts.grams import Excerpt, Query, excerpt, query

ALL_HOLDING = {  # vendor -> the ids of all items that hold these pieces, whatever the planner knows about the tables
    "postgresql": "SELECT * FROM annotate_items_holding(%s::bigint[])",
    "sqlite": "SELECT rowid FROM annotate_searchgrams WHERE annotate_searchgrams MATCH %s",
}
LOOKED_THROUGH = 1000  # items that wait for the index and are searched by key and title
RARE = 5000  # hits in the index of SQLite, at most, for which each hit is looked up instead of each item


def hits(project: Project, words: str, *, whole: bool = False) -> ItemQuerySet:
    """The project's items whose key, title or texts contain the words, as a part and in any case.

    Of the newest items, which no worker has indexed yet, only key and title are compared. whole: all hits are wanted,
    or thousands of them, and not a page.
    """
    searched = query(words)
    if not searched.text:
        return Item.objects.filter(project=project, pk__in=[])
    waiting = _waiting_hits(project, words)
    if connection.vendor == "sqlite":
        return _hits_on_sqlite(project, searched, waiting)
    condition = _indexed_hits(project.pk, searched, whole=whole)
    if waiting:
        # As a subquery only where it must be: alone, PostgreSQL reads a few rows of a frequent word and stops.
        condition = Q(pk__in=Item.objects.filter(condition).values("pk")) | Q(pk__in=waiting)
    return Item.objects.filter(condition, project=project)


def _indexed_hits(project_id: int, searched: Query, *, whole: bool) -> Q:
    """Items of other projects may be among them."""
    pieces = encoded(project_id, searched.grams)
    condition = Q(search_grams__grams__holds=pieces)
    if whole:  # else PostgreSQL looks for the hits of a frequent word item by item, which is quick only for a page
        condition = Q(pk__in=RawSQL(ALL_HOLDING["postgresql"], [pieces]))  # noqa: S611 - our own words
    return condition if searched.exact else condition & Q(search_text__text__holds=searched.text)


def _hits_on_sqlite(project: Project, searched: Query, waiting: list[int]) -> ItemQuerySet:
    """The same with the plan in the statement: SQLite knows neither how frequent a word is nor, as a rule, its tables.

    The index is read once. If it has few hits, each is looked up; otherwise the list is read in its order, and SQLite
    stops where the page is full.
    """
    pieces = encoded(project.pk, searched.grams)
    all_holding = RawSQL(ALL_HOLDING["sqlite"], [pieces])  # noqa: S611 - our own words
    # Not as a join: with one, SQLite begins with the texts, and looks for each of them through all hits.
    texts = SearchText.objects.filter(item=OuterRef("pk"), text__holds=searched.text)
    contains = Q() if searched.exact else Q(Exists(texts))
    if not waiting and _is_rare(pieces):
        return by_primary_key(Item.objects.all()).filter(Q(pk__in=all_holding) & contains, project=project)
    condition = Q(In(Unindexed(F("pk")), all_holding)) & contains
    return Item.objects.filter(condition | Q(pk__in=waiting) if waiting else condition, project=project)


def _is_rare(pieces: list[int] | str) -> bool:
    ((count,),) = fetched(f"SELECT COUNT(*) FROM ({ALL_HOLDING['sqlite']} LIMIT {RARE + 1})", [pieces])  # noqa: S608
    return int(count) <= RARE


def compared(words: str) -> Q:
    """The same condition as `hits` for items that are indexed, but not by the index: for few items."""
    return Q(search_text__text__holds=query(words).text)


def _waiting_hits(project: Project, words: str) -> list[int]:
    waiting = SearchPending.objects.filter(project=project).order_by("-pk").values("item")[:LOOKED_THROUGH]
    named = Q(key__icontains=words) | Q(title__icontains=words)
    return list(Item.objects.filter(named, project=project, pk__in=waiting).values_list("pk", flat=True))


def excerpts(project: Project, item_ids: Iterable[int], words: str) -> dict[int, Excerpt]:
    """item id -> the first match in its texts; an item with none there has no entry."""
    kind, searched = project.kind, query(words).text
    items = Item.objects.filter(pk__in=list(item_ids), project=project).only("facts", "schema")
    found = {item.pk: _first_excerpt(written_texts(kind, item), searched) for item in items}
    return {pk: match for pk, match in found.items() if match}


def _first_excerpt(texts: Iterable[str], searched: str) -> Excerpt | None:
    return next((match for text in texts if (match := excerpt(text, searched))), None)
