"""Storing rows that are new: items, their drafts, their slots and the first line of their history, many at once."""

from collections.abc import Sequence
from typing import Any

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from annotate.models import Annotation, Batch, Event, Item, Project, Slot
from annotate.services import slots
from annotate.services.importing_rows import Prepared, Suggested

RATER = "import"  # whose the final drafts of a file are
Opened = list[tuple[Item, Prepared]]


def store(project: Project, batch: Batch, rows: Sequence[Prepared]) -> None:
    """Inside a transaction. Items with a final draft are accepted at once; the others are opened for work."""
    items = Item.objects.bulk_create([_item(project, batch, row) for row in rows])
    made: Opened = list(zip(items, rows, strict=True))
    Annotation.objects.bulk_create([annotation for item, row in made for annotation in annotations(item, row)])
    _set_bases([item for item, row in made if row.final is not None])
    ready = [item for item in items if item.state == Item.State.READY]
    Slot.objects.bulk_create([slot for item in ready for slot in slots.annotating(item, project)])
    Event.objects.bulk_create([_event(item, batch) for item in items])


def _item(project: Project, batch: Batch, row: Prepared) -> Item:
    return Item(
        project_id=project.pk,
        batch_id=batch.pk,
        key=row.key,
        title=row.title,
        state=first_state(project, row),
        group=row.group,
        language=row.language,
        content_hash=row.content_hash,
        schema=project.kind.schema,
        facts=row.facts,
    )


def first_state(project: Project, row: Prepared) -> str:
    """Where an item's way begins; from here on only services/flow.py moves it."""
    if row.final is not None:
        return Item.State.ACCEPTED
    waits = project.waits_for_suggestion and not row.suggestions
    return Item.State.IMPORTED if waits else Item.State.READY


def annotations(item: Item, row: Prepared) -> list[Annotation]:
    """What the row brings along, oldest first; none of it is stored yet."""
    made = [suggestion(item, each) for each in row.suggestions]
    if row.final is not None:
        made.append(_final(item, row.final, schema=item.schema))
    return made


def suggestion(item: Item, suggested: Suggested) -> Annotation:
    return Annotation(
        item_id=item.pk,
        model=suggested.model,
        prompt_version=suggested.prompt_version,
        doubts=suggested.doubts,
        draft=suggested.draft,
        schema=item.schema,
        submitted_at=timezone.now(),
    )


def _final(item: Item, draft: dict[str, Any], *, schema: int) -> Annotation:
    return Annotation(
        item_id=item.pk,
        rater=RATER,
        draft=draft,
        schema=schema,
        outcome=Annotation.Outcome.ACCEPTED,
        authored=True,
        submitted_at=timezone.now(),
    )


def _set_bases(items: Sequence[Item]) -> None:
    if items:
        own = Annotation.objects.filter(item=OuterRef("pk"), rater=RATER).order_by("-id")
        Item.objects.filter(pk__in=[item.pk for item in items]).update(base_id=Subquery(own.values("pk")[:1]))


def _event(item: Item, batch: Batch) -> Event:
    return Event(
        item_id=item.pk,
        project_id=item.project_id,
        verb="imported",
        to_state=item.state,
        actor_id=batch.created_by_id,
        note=batch.file_name,
    )
