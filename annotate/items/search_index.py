"""The index of the search over items: which items wait for it, and storing their folded texts and grams.

Triggers queue new and changed items (see annotate/models/search.py); a worker stores their texts in parts. What can be
found: the key, the title and the texts of the facts, which are the same for everybody who may see the item. Drafts,
comments and notes are not indexed: who may read them depends on the person.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q

from annotate.bulk_rows import fetched
from annotate.engine.chores import Leases, Parts
from annotate.kinds.contract import Kind
from annotate.kinds.values import BadShape
from annotate.models import Item, Project, SearchGrams, SearchIndex, SearchPending, SearchText
from lib.texts.grams import LONGEST, folded, grams

TOGETHER = 100  # items in one transaction: on SQLite nobody else can write meanwhile
MIXER = 0x9E3779B97F4A7C15  # odd, so that no two projects have the same product
BITS = (1 << 63) - 1
has_pending = Q(Exists(SearchPending.objects.filter(project=OuterRef("project"))))
leases = Leases(SearchIndex, has_pending, timedelta(seconds=60), related=("project",))


def parts(index: SearchIndex) -> Parts:
    """Index the waiting items of a project, oldest first."""
    while pending := list(SearchPending.objects.filter(project=index.project).order_by("pk")[:TOGETHER]):
        texts = _texts(index.project, {row.item_id for row in pending})
        gram_rows = {item: grams(text) for item, text in texts.items()}
        with transaction.atomic():
            leases.keep(index)  # before the rows go: an index without waiting rows is nobody's
            still_waiting = _taken(pending)
            _store_texts({item: text for item, text in texts.items() if item in still_waiting})
            _store_grams(index.project_id, {item: row for item, row in gram_rows.items() if item in still_waiting})
        yield len(pending)
    _settle()


def waiting_count(project: Project, most: int) -> int:
    """How many items of the project are not indexed yet, or not as they are now; `most` if there are more."""
    return SearchPending.objects.filter(project=project).values("pk")[:most].count()


def queue_again(project: Project, *, everything: bool = False) -> None:
    """Queue the items without a text that are not waiting, or everything: a worker then makes their rows again."""
    items = Item.objects.filter(project=project)
    if not everything:
        is_waiting = Exists(SearchPending.objects.filter(item=OuterRef("pk")))
        items = items.filter(~is_waiting, ~Exists(SearchText.objects.filter(item=OuterRef("pk"))))
    ids = items.order_by("pk").values_list("pk", flat=True)
    with transaction.atomic():
        SearchIndex.objects.get_or_create(project=project)
        rows = (SearchPending(item_id=pk, project=project) for pk in ids.iterator())
        SearchPending.objects.bulk_create(rows, batch_size=1000)


def erase(item_id: int) -> None:
    """Remove the text of an item in the caller's transaction, before the item's own texts are erased.

    The waiting rows go first: a worker who has read the item already stores nothing without them (see `parts`).
    """
    SearchPending.objects.filter(item=item_id).delete()
    SearchGrams.objects.filter(item=item_id).delete()
    SearchText.objects.filter(item=item_id).delete()


def text_of(kind: Kind[Any, Any, Any], item: Item) -> str:
    """The folded text of an item, at most LONGEST characters: a line each for key, title and texts of the facts."""
    lines = map(folded, (item.key, item.title, *written_texts(kind, item)))
    return "\n".join(line for line in lines if line)[:LONGEST]


def written_texts(kind: Kind[Any, Any, Any], item: Item) -> list[str]:
    """The texts of an item's facts, as written; none if the facts cannot be read."""
    try:
        return list(kind.texts(kind.read_facts(kind.upgrade(item.facts, item.schema))).values())
    except BadShape:
        return []


def encoded(project_id: int, numbers: Iterable[int]) -> list[int] | str:
    """Grams as the database has them, so that those of different projects differ and no project slows another down.

    PostgreSQL: numbers, which in rare cases are those of another project. SQLite: words of letters and digits; a query
    of several words asks for all of them.
    """
    if connection.vendor == "postgresql":
        mask = project_id * MIXER & BITS
        return [number ^ mask for number in numbers]
    return " ".join(f"{project_id:x}x{number:x}" for number in numbers)


def _texts(project: Project, item_ids: set[int]) -> dict[int, str]:
    kind = project.kind
    items = Item.objects.filter(pk__in=item_ids, project=project).only("key", "title", "facts", "schema")
    return {item.pk: text_of(kind, item) for item in items}


def _taken(pending: Sequence[SearchPending]) -> set[int]:
    """Take rows off the queue; returns the items of those that were still there."""
    placeholders = ", ".join(["%s"] * len(pending))
    sql = f"DELETE FROM annotate_searchpending WHERE id IN ({placeholders}) RETURNING item_id"  # noqa: S608 - placeholders only
    return {item for (item,) in fetched(sql, [row.pk for row in pending])}


def _store_texts(texts: dict[int, str]) -> None:
    rows = [SearchText(item_id=item, text=text) for item, text in texts.items()]
    SearchText.objects.bulk_create(rows, update_conflicts=True, unique_fields=["item"], update_fields=["text"])


STORE = {
    "postgresql": "INSERT INTO annotate_searchgrams (rowid, grams) VALUES (%s, %s) "
    "ON CONFLICT (rowid) DO UPDATE SET grams = excluded.grams",
    "sqlite": "INSERT OR REPLACE INTO annotate_searchgrams (rowid, grams) VALUES (%s, %s)",
}


def _store_grams(project_id: int, gram_rows: dict[int, list[int]]) -> None:
    rows = [(item, encoded(project_id, numbers)) for item, numbers in gram_rows.items()]
    with connection.cursor() as cursor:
        cursor.executemany(STORE[connection.vendor], rows)


def _settle() -> None:
    """Have PostgreSQL merge what it has put aside for its index: until then each search reads all of it."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT gin_clean_pending_list('grams_of_items')")
