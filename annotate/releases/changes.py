"""Comparison of two releases item by item."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.items.compare import FieldVersions, Version, compare
from annotate.kinds.contract import Kind
from annotate.models import Release
from annotate.releases.files import IndexEntry, indexed, rows_at


@dataclass(frozen=True)
class ReleaseComparison:
    """Items by key, in the order of the releases; provenance does not count."""

    old: Release
    new: Release
    added: list[str]
    removed: list[str]
    changed: list[tuple[IndexEntry, IndexEntry]]
    same: int


@dataclass(frozen=True)
class ChangedItem:
    """names: all published fields that differ; fields: those of the draft, with their differences."""

    key: str
    names: list[str]
    fields: list[FieldVersions]


def compare_releases(old: Release, new: Release) -> ReleaseComparison:
    old_by_key = {row.key: row for row in indexed(old.stored_as)}
    new_by_key = {row.key: row for row in indexed(new.stored_as)}
    both = [(old_by_key[key], new_row) for key, new_row in new_by_key.items() if key in old_by_key]
    changed = [(old_row, new_row) for old_row, new_row in both if old_row.digest != new_row.digest]
    return ReleaseComparison(
        old=old,
        new=new,
        added=[key for key in new_by_key if key not in old_by_key],
        removed=[key for key in old_by_key if key not in new_by_key],
        changed=changed,
        same=len(both) - len(changed),
    )


def changed_items(
    comparison: ReleaseComparison, pairs: Sequence[tuple[IndexEntry, IndexEntry]]
) -> Iterator[ChangedItem]:
    """The changed items of these pairs, read from the two files."""
    kind = comparison.new.project.kind
    with rows_at(comparison.old.stored_as) as old_at, rows_at(comparison.new.stored_as) as new_at:
        for old, new in pairs:
            old_row, new_row = old_at(old.offset), new_at(new.offset)
            yield ChangedItem(new.key, names_that_differ(old_row, new_row), _fields(kind, comparison, old_row, new_row))


def names_that_differ(old_row: dict[str, Any], new_row: dict[str, Any]) -> list[str]:
    names = [*new_row, *(name for name in old_row if name not in new_row)]
    absent = object()
    return [name for name in names if name != "provenance" and old_row.get(name, absent) != new_row.get(name, absent)]


def _fields(
    kind: Kind, comparison: ReleaseComparison, old_row: dict[str, Any], new_row: dict[str, Any]
) -> list[FieldVersions]:
    old, new = kind.read_row(old_row), kind.read_row(new_row)
    versions = [
        Version(old.draft or {}, f"v{comparison.old.version}"),
        Version(new.draft or {}, f"v{comparison.new.version}"),
    ]
    fields = kind.fields(kind.read_facts(new.facts))
    return [compared for compared in compare(kind, fields, versions) if compared.changed]
