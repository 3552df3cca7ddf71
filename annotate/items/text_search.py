"""Searching the items of a project by what is written in them, and the excerpts around the matches."""

from collections.abc import Iterable

from django.db import connection
from django.db.models import Q
from django.db.models.expressions import RawSQL

from annotate.items.search_index import encoded, written_texts
from annotate.models import Item, Project, SearchPending
from lib.texts.grams import Excerpt, Query, excerpt, query

ALL_HOLDING = {  # vendor -> the ids of all items that hold these pieces, whatever the planner knows about the tables
    "postgresql": "SELECT * FROM annotate_items_holding(%s::bigint[])",
    "sqlite": "SELECT rowid FROM annotate_searchgrams WHERE annotate_searchgrams MATCH %s",
}
LOOKED_THROUGH = 1000  # items that wait for the index and are searched by key and title


def hits(project: Project, words: str, *, whole: bool = False) -> Q:
    """Condition of the project's items whose key, title or texts contain the words, as a part and in any case.

    Of the newest items, which no worker has indexed yet, only key and title are compared. whole: all hits are wanted,
    or thousands of them, and not a page.
    """
    searched = query(words)
    if not searched.text:
        return Q(pk__in=[])
    condition = _indexed_hits(project.pk, searched, whole=whole)
    waiting = _waiting_hits(project, words)
    # As a subquery only where it must be: alone, both databases read a few rows of a frequent word and stop.
    return Q(pk__in=Item.objects.filter(condition).values("pk")) | Q(pk__in=waiting) if waiting else condition


def _indexed_hits(project_id: int, searched: Query, *, whole: bool) -> Q:
    """Items of other projects may be among them."""
    pieces = encoded(project_id, searched.grams)
    if whole or connection.vendor == "sqlite":
        # Else both look for the hits of a frequent word item by item; for a page of 50, only PostgreSQL is quick so.
        condition = Q(pk__in=RawSQL(ALL_HOLDING[connection.vendor], [pieces]))  # noqa: S611 - our own words
    else:
        condition = Q(search_grams__grams__holds=pieces)
    return condition if searched.exact else condition & Q(search_text__text__holds=searched.text)


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
