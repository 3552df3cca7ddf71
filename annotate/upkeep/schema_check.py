"""A check that everything stored can still be read with the current schemas, and that the counts of items are right."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, transaction

from annotate.bulk_rows import fetched
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

    def fault(self, project: str, key: str, path: str, message: str) -> None:
        """project: its slug. key: of the item; empty for what is about all items."""
        if len(self.faults) < LISTED:
            self.faults.append({"project": project, "key": key, "path": path, "message": message})
        else:
            self.unlisted += 1


def check_stored(project: Project | None = None) -> StoreCheck:
    """Read the facts of every item and the draft of every annotation that was submitted or made by a model.

    Unsubmitted drafts may be incomplete and are left out. The stored counts of items are compared with the items.
    """
    report = StoreCheck()
    _check_counts(report, project)
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
        report.fault(item.project.slug, item.key, f"{label} {path}".strip(), message)


def _faults(reader: Callable[[Any], Any], stored: Any) -> Iterator[tuple[str, str]]:
    try:
        reader(stored)
    except BadShape as bad:
        yield from ((finding.path, finding.message) for finding in bad.findings)


# Counts of items by purpose and state, which triggers keep (migration 0052).

BY = "project_id, purpose, state"
# In one statement, and so of one moment: people may go on working.
DIFFERENCES = f"""
SELECT {BY}, sum(kept), sum(counted) FROM (
    SELECT {BY}, items AS kept, 0 AS counted FROM annotate_itemcount
    UNION ALL SELECT {BY}, 0 AS kept, count(*) AS counted FROM annotate_item GROUP BY {BY}
) AS counts GROUP BY {BY} HAVING sum(kept) <> sum(counted) ORDER BY {BY}
"""  # noqa: S608 - our own names
COUNT_ALL = f"INSERT INTO annotate_itemcount ({BY}, items) SELECT {BY}, count(*) FROM annotate_item GROUP BY {BY}"  # noqa: S608


def _check_counts(report: StoreCheck, project: Project | None) -> None:
    slugs = dict(Project.objects.values_list("pk", "slug"))
    for project_id, purpose, state, kept, counted in fetched(DIFFERENCES, []):
        if project is None or project.pk == project_id:
            message = f"is stored as {kept}, but there are {counted}. Run `manage.py check_items --recount`."
            slug = slugs.get(project_id, f"deleted project {project_id}")
            report.fault(slug, "", f"number of {purpose} items that are {state}", message)


def recount_items() -> None:
    """Count the items of all projects again. On PostgreSQL whoever changes items waits for it, a second a million."""
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("LOCK TABLE annotate_item IN SHARE MODE")
        cursor.execute("DELETE FROM annotate_itemcount")
        cursor.execute(COUNT_ALL)
