"""A check that everything stored can still be read with the current schemas."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from annotate.kinds.values import BadShape
from annotate.models import Annotation, Item, Project

LISTED = 1000
CHUNK = 500


@dataclass
class StoreCheck:
    """How much was read, and what could not be."""

    items: int = 0
    drafts: int = 0
    faults: list[dict[str, str]] = field(default_factory=list)
    unlisted: int = 0

    @property
    def holds(self) -> bool:
        return not self.faults

    def as_json(self) -> dict[str, Any]:
        counts = {"items": self.items, "drafts": self.drafts}
        return {"ok": self.holds, **counts, "faults": self.faults, "unlisted": self.unlisted}

    def fault(self, item: Item, path: str, message: str) -> None:
        if len(self.faults) < LISTED:
            entry = {"project": item.project.slug, "key": item.key, "path": path, "message": message}
            self.faults.append(entry)
        else:
            self.unlisted += 1


def check_stored(project: Project | None = None) -> StoreCheck:
    """Read the facts of every item and the draft of every annotation that was submitted or made by a model.

    Unsubmitted drafts may be incomplete and are left out.
    """
    report = StoreCheck()
    items = Item.objects.select_related("project").order_by("pk")
    drafts = Annotation.objects.exclude(submitted_at=None, model="").select_related("item__project").order_by("pk")
    if project is not None:
        items, drafts = items.filter(project=project), drafts.filter(item__project=project)
    for item in items.iterator(chunk_size=CHUNK):
        report.items += 1
        _check_stored(report, item, "facts", item.project.kind.read_facts, item.facts, item.schema)
    for draft in drafts.iterator(chunk_size=CHUNK):
        report.drafts += 1
        _check_stored(
            report, draft.item, f"draft {draft.pk}", draft.item.project.kind.read_draft, draft.draft, draft.schema
        )
    return report


def _check_stored(
    report: StoreCheck, item: Item, label: str, reader: Callable[[Any], Any], stored: dict[str, Any], schema: int
) -> None:
    for path, message in _faults(reader, item.project.kind.upgrade(stored, schema)):
        report.fault(item, f"{label} {path}".strip(), message)


def _faults(reader: Callable[[Any], Any], stored: Any) -> Iterator[tuple[str, str]]:
    try:
        reader(stored)
    except BadShape as bad:
        yield from ((finding.path, finding.message) for finding in bad.findings)
