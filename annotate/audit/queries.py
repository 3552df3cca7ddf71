"""Reading the audit trail."""

from typing import Any

from django.db.models import QuerySet

from annotate.models import AuditEntry, Project

COLUMNS = (
    *("number", "at", "project", "account", "role", "address", "channel", "verb", "subject_kind", "subject_key"),
    *("before", "after", "previous_hash", "hash"),
)


def entries_of(project: Project | None = None) -> QuerySet[AuditEntry]:
    """The entries of a project, or of the whole installation; newest first."""
    entries = AuditEntry.objects.order_by("-number")
    return entries if project is None else entries.filter(project=project)


def as_json(entry: AuditEntry) -> dict[str, Any]:
    """The entry by COLUMNS, with its time in ISO 8601 and the values before and after as JSON (null: none)."""
    columns = {name: getattr(entry, name) for name in COLUMNS if name != "project"}
    values = {"at": entry.at.isoformat(), "before": entry.values_before, "after": entry.values_after}
    row = columns | values | {"project": entry.project_slug or None}
    return {name: row[name] for name in COLUMNS}
