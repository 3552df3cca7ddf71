"""Storing imported rows: new items with drafts, slots and history, many at once; and changes to stored items."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Max, OuterRef, Subquery
from django.utils import timezone

from annotate.bulk_rows import BulkInsert
from annotate.errors import WrongState
from annotate.intake.duplicates import of_the_store
from annotate.intake.row_reader import Policy, PreparedRow
from annotate.items import flow, slots
from annotate.models import Annotation, Batch, Event, Item, Project, Slot
from lib.texts.stored_sentences import say as _

RATER = "import"  # author of the final drafts of a file

Stored = list[tuple[int, PreparedRow]]  # item id, row


def store(project: Project, batch: Batch, rows: Sequence[PreparedRow]) -> int:
    """Store new items, inside a transaction. Items with a final draft are accepted at once; others are opened for work.

    Returns the id of the last new item, 0 without rows.
    """
    if not rows:
        return 0
    stored = _store_items(project, batch, rows)
    store_drafts(stored, schema=project.kind.schema)
    _set_bases([item for item, row in stored if row.final is not None])
    _open_slots(project, stored)
    _write_history(project, batch, stored)
    return stored[-1][0]


def _store_items(project: Project, batch: Batch, rows: Sequence[PreparedRow]) -> Stored:
    columns = ("key", "title", "state", "group", "language", "content_hash", "facts", "metadata", "purpose",
               "parent_id")  # fmt: skip
    alike = {"project_id": project.pk, "batch_id": batch.pk, "schema": project.kind.schema}
    parents = _parents(project, rows)
    last_id = Item.objects.aggregate(last=Max("pk"))["last"] or 0  # ids only grow, even if others insert meanwhile
    BulkInsert(Item, columns, **alike).insert(
        (row.key, row.title, first_state(project, row), row.group, row.language, row.content_hash, row.facts,
         row.metadata, row.purpose, parents.get(row.parent))
        for row in rows
    )  # fmt: skip
    item_ids = Item.objects.filter(batch=batch, pk__gt=last_id).order_by("pk").values_list("pk", flat=True)
    return list(zip(item_ids, rows, strict=True))


def _parents(project: Project, rows: Sequence[PreparedRow]) -> dict[str, int]:
    """key -> id of the items in the project's source that these rows name as their parents."""
    parent_keys = {row.parent for row in rows if row.parent}
    if not parent_keys or project.source_id is None:
        return {}
    parents = Item.objects.filter(project_id=project.source_id, key__in=parent_keys)
    return dict(parents.values_list("key", "pk"))


def first_state(project: Project, row: PreparedRow) -> str:
    """The first state of an item; from then on only annotate/items/flow.py moves it."""
    if row.final is not None:
        return Item.State.ACCEPTED.value
    waits = project.waits_for_suggestion and not row.suggestions
    return Item.State.IMPORTED.value if waits else Item.State.READY.value


def store_drafts(stored: Stored, *, schema: int) -> None:
    """The drafts of the rows, oldest first: suggestions as a model's, final drafts as the import's own."""
    alike: dict[str, Any] = {"schema": schema, "submitted_at": timezone.now()}
    suggested = BulkInsert(Annotation, ("item_id", "draft", "model", "prompt_version", "doubts"), **alike)
    suggested.insert(
        (item, suggestion.draft, suggestion.model, suggestion.prompt_version, suggestion.doubts)
        for item, row in stored
        for suggestion in row.suggestions
    )
    final = BulkInsert(
        Annotation, ("item_id", "draft"), rater=RATER, outcome=Annotation.Outcome.ACCEPTED, authored=True, **alike
    )
    final.insert((item, row.final) for item, row in stored if row.final is not None)


def _set_bases(items: Sequence[int]) -> None:
    if items:
        final_drafts = Annotation.objects.filter(item=OuterRef("pk"), rater=RATER).order_by("-id")
        Item.objects.filter(pk__in=items).update(base_id=Subquery(final_drafts.values("pk")[:1]))


def _open_slots(project: Project, stored: Stored) -> None:
    columns = ("item_id", "no", "blind", "unit")
    table = BulkInsert(Slot, columns, project_id=project.pk, stage=Slot.Stage.ANNOTATE, round=1)
    ready = ((item, row) for item, row in stored if first_state(project, row) == Item.State.READY)
    table.insert(_slots(project, ready))


def _slots(project: Project, ready: Iterable[tuple[int, PreparedRow]]) -> Iterator[tuple[int, int, bool, str | None]]:
    for item, row in ready:
        unit = slots.unit_digest(project, row.facts, row.metadata)
        for no in range(1, slots.people_for(unit or row.key, project) + 1):
            yield item, no, slots.drawn_blind(project), unit


def _write_history(project: Project, batch: Batch, stored: Stored) -> None:
    table = BulkInsert(
        Event,
        ("item_id", "to_state"),
        project_id=project.pk,
        verb="imported",
        actor_id=batch.created_by_id,
        note=batch.file_name,
    )
    table.insert((item, first_state(project, row)) for item, row in stored)


# Rows about stored items: a new draft for untouched work, or another round.


S = Item.State
OPENS = {S.ACCEPTED.value: "reopened", S.DROPPED.value: "restored"}  # state -> the verb that begins another round


def objection(row: PreparedRow, item: Item, policy: Policy) -> tuple[str, str] | None:
    """(path, message) if the item has to stay unchanged. Inside a transaction, nobody can begin to work on it."""
    untouched = _lock_if_untouched(item)
    decided = item.state == S.DROPPED or (item.state == S.ACCEPTED and row.final is None)
    path, message = of_the_store(row, item)
    if says_nothing_new(item, row):
        return path, message
    if repeats_facts(item, row):
        is_new = _with_metadata(item, row) != (item.metadata or {})
        return None if is_new else ("key", _("The key “%(key)s” is already stored.") % {"key": item.key})
    if item.purpose != Item.Purpose.WORK:
        return path, _("%(why)s It is a check, not work; make it work first.") % {"why": message}
    if policy == "update" and (decided or not untouched):
        return path, _("%(why)s It is decided or in progress: only a new round can change it.") % {"why": message}
    if item.content_hash != row.content_hash and not untouched:
        refusal = _("People have worked on “%(key)s” with other facts. Give the row another key.")
        return path, refusal % {"key": item.key}
    return None


def change(project: Project, batch: Batch, row: PreparedRow, item: Item, policy: Policy) -> tuple[str, str] | None:
    """Apply the row to the item, inside a transaction; (path, message) if it stays unchanged."""
    against = objection(row, item, policy)
    if against:
        return against
    try:
        with transaction.atomic():
            _change(project, batch, row, item, another_round=policy == "round")
    except WrongState:
        return "key", _("Someone is changing “%(key)s” right now. Import the row again.") % {"key": item.key}
    return None


def _lock_if_untouched(item: Item) -> bool:
    """Whether nobody has worked on it; if so, nobody can begin before the transaction ends."""
    Item.objects.select_for_update().get(pk=item.pk)
    work_flags = [slot.state in ("held", "submitted") for slot in Slot.objects.select_for_update().filter(item=item)]
    return not any(work_flags) and not Annotation.objects.filter(item=item, author__isnull=False).exists()


def says_nothing_new(item: Item, row: PreparedRow) -> bool:
    if item.content_hash != row.content_hash:
        return False
    if row.newest is None:
        return True
    brought = Annotation.objects.filter(item=item, author=None)
    latest_text = item.base or brought.order_by("-id").first()
    accepted = row.final is None or item.state == S.ACCEPTED
    return accepted and latest_text is not None and latest_text.draft == row.newest


def repeats_facts(item: Item, row: PreparedRow) -> bool:
    """Whether the row brings at most other metadata to the item. Nobody is shown metadata, so it may change at any
    time, also of items with work or verdicts; not where it says which items belong together.
    """
    if row.newest is not None or item.key != row.key or item.content_hash == row.content_hash:
        return False
    if item.state == S.DROPPED or row.language not in ("", item.language) or row.group not in ("", item.group):
        return False
    return item.facts == row.facts and not item.project.kind.unit_column


def _with_metadata(item: Item, row: PreparedRow) -> dict[str, Any]:
    return {**(item.metadata or {}), **(row.metadata or {})}


def _change(project: Project, batch: Batch, row: PreparedRow, item: Item, *, another_round: bool) -> None:
    if repeats_facts(item, row):  # the digest stays: verdicts about these facts still hold
        item.metadata = _with_metadata(item, row)
        item.changed_at = timezone.now()
        item.save(update_fields=["metadata", "changed_at"])
        return
    if item.content_hash != row.content_hash:
        _replace_facts(project, item, row, batch)
    store_drafts([(item.pk, row)], schema=project.kind.schema)
    newest = Annotation.objects.filter(item=item, author=None).latest("id") if row.newest is not None else None
    if item.state == S.IMPORTED and newest:
        flow.move(item, "ready", by=batch.created_by, note=batch.file_name)
        slots.open_annotating(item, project)
    elif another_round or item.state == S.ACCEPTED:
        _open_round(project, batch, item, newest)
    if row.final is not None:
        slots.close(item)
        flow.move(item, "accepted", by=batch.created_by, base=newest, annotation=newest, note=batch.file_name)


def _open_round(project: Project, batch: Batch, item: Item, base: Annotation | None) -> None:
    slots.close(item)
    flow.move(item, OPENS.get(item.state, "requeued"), by=batch.created_by, base=base, note=batch.file_name)
    slots.open_annotating(item, project)


def _replace_facts(project: Project, item: Item, row: PreparedRow, batch: Batch) -> None:
    """Only if nobody has worked with the old facts. Language or group stay if the row has none."""
    item.facts, item.metadata, item.content_hash, item.title = row.facts, row.metadata, row.content_hash, row.title
    item.group, item.language, item.batch = row.group or item.group, row.language or item.language, batch
    item.changed_at = timezone.now()  # what was computed of the old facts is out of date
    item.save(update_fields=["facts", "metadata", "content_hash", "title", "group", "language", "batch", "changed_at"])
    if project.kind.unit_column:
        unit = slots.unit_digest(project, row.facts, row.metadata)
        item.slots.filter(stage=Slot.Stage.ANNOTATE, own=False).update(unit=unit)
