"""Storing rows that are new: items, their drafts, their slots and the first line of their history, many at once."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.models import Max, OuterRef, Subquery
from django.utils import timezone

from annotate.models import Annotation, Batch, Event, Item, Project, Slot
from annotate.services import slots
from annotate.services.importing.rows import Prepared
from annotate.services.importing.table import Table

RATER = "import"  # whose the final drafts of a file are

Stored = list[tuple[int, Prepared]]  # item id, row


def store(project: Project, batch: Batch, rows: Sequence[Prepared]) -> int:
    """Inside a transaction. Items with a final draft are accepted at once; the others are opened for work.

    Returns the id of the last item made, 0 without rows.
    """
    if not rows:
        return 0
    stored = _store_items(project, batch, rows)
    store_drafts(stored, schema=project.kind.schema)
    _set_bases([item for item, row in stored if row.final is not None])
    _open_slots(project, stored)
    _write_history(project, batch, stored)
    return stored[-1][0]


def _store_items(project: Project, batch: Batch, rows: Sequence[Prepared]) -> Stored:
    columns = ("key", "title", "state", "group", "language", "content_hash", "facts", "purpose", "parent_id")
    alike = {"project_id": project.pk, "batch_id": batch.pk, "schema": project.kind.schema}
    parents = _parents(project, rows)
    last_id = Item.objects.aggregate(last=Max("pk"))["last"] or 0  # ids only grow, whoever else inserts meanwhile
    Table(Item, columns, **alike).insert(
        (row.key, row.title, first_state(project, row), row.group, row.language, row.content_hash, row.facts,
         row.purpose, parents.get(row.parent))
        for row in rows
    )  # fmt: skip
    item_ids = Item.objects.filter(batch=batch, pk__gt=last_id).order_by("pk").values_list("pk", flat=True)
    return list(zip(item_ids, rows, strict=True))


def _parents(project: Project, rows: Sequence[Prepared]) -> dict[str, int]:
    """key -> id of the items in the project's source from which these rows say that they are made."""
    parent_keys = {row.parent for row in rows if row.parent}
    if not parent_keys or project.source_id is None:
        return {}
    parents = Item.objects.filter(project_id=project.source_id, key__in=parent_keys)
    return dict(parents.values_list("key", "pk"))


def first_state(project: Project, row: Prepared) -> str:
    """Where an item's way begins; from here on only services/flow.py moves it."""
    if row.final is not None:
        return Item.State.ACCEPTED.value
    waits = project.waits_for_suggestion and not row.suggestions
    return Item.State.IMPORTED.value if waits else Item.State.READY.value


def store_drafts(stored: Stored, *, schema: int) -> None:
    """What the rows bring along, oldest first: suggestions as a model's, final drafts as the import's own."""
    alike: dict[str, Any] = {"schema": schema, "submitted_at": timezone.now()}
    suggested = Table(Annotation, ("item_id", "draft", "model", "prompt_version", "doubts"), **alike)
    suggested.insert(
        (item, suggestion.draft, suggestion.model, suggestion.prompt_version, suggestion.doubts)
        for item, row in stored
        for suggestion in row.suggestions
    )
    final = Table(
        Annotation, ("item_id", "draft"), rater=RATER, outcome=Annotation.Outcome.ACCEPTED, authored=True, **alike
    )
    final.insert((item, row.final) for item, row in stored if row.final is not None)


def _set_bases(items: Sequence[int]) -> None:
    if items:
        final_drafts = Annotation.objects.filter(item=OuterRef("pk"), rater=RATER).order_by("-id")
        Item.objects.filter(pk__in=items).update(base_id=Subquery(final_drafts.values("pk")[:1]))


def _open_slots(project: Project, stored: Stored) -> None:
    table = Table(Slot, ("item_id", "no", "blind"), project_id=project.pk, stage=Slot.Stage.ANNOTATE, round=1)
    ready = ((item, row) for item, row in stored if first_state(project, row) == Item.State.READY)
    table.insert(_slots(project, ready))


def _slots(project: Project, ready: Iterable[tuple[int, Prepared]]) -> Iterator[tuple[int, int, bool]]:
    for item, row in ready:
        for no in range(1, slots.people_for(row.key, project) + 1):
            yield item, no, slots.drawn_blind(project)


def _write_history(project: Project, batch: Batch, stored: Stored) -> None:
    table = Table(
        Event,
        ("item_id", "to_state"),
        project_id=project.pk,
        verb="imported",
        actor_id=batch.created_by_id,
        note=batch.file_name,
    )
    table.insert((item, first_state(project, row)) for item, row in stored)
