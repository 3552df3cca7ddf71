"""What became of each item from one release to another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.kinds.base import Kind
from annotate.models import Release
from annotate.services.comparing import Compared, Version, compare
from annotate.services.releasing.files import Indexed, indexed, rows_at


@dataclass(frozen=True)
class Comparison:
    """Items by key, in the order of the releases; provenance does not count."""

    old: Release
    new: Release
    added: list[str]
    removed: list[str]
    changed: list[tuple[Indexed, Indexed]]
    same: int


@dataclass(frozen=True)
class ChangedItem:
    """names: all published fields that differ; fields: those of the draft, with their differences."""

    key: str
    names: list[str]
    fields: list[Compared]


def compare_releases(old: Release, new: Release) -> Comparison:
    before = {one.key: one for one in indexed(old.stored_as)}
    after = {one.key: one for one in indexed(new.stored_as)}
    both = [(before[key], one) for key, one in after.items() if key in before]
    changed = [(one, other) for one, other in both if one.digest != other.digest]
    return Comparison(
        old=old,
        new=new,
        added=[key for key in after if key not in before],
        removed=[key for key in before if key not in after],
        changed=changed,
        same=len(both) - len(changed),
    )


def changed_items(found: Comparison, pairs: Sequence[tuple[Indexed, Indexed]]) -> Iterator[ChangedItem]:
    """The given ones of the changed items, read from the two files."""
    kind = found.new.project.kind
    with rows_at(found.old.stored_as) as old_at, rows_at(found.new.stored_as) as new_at:
        for old, new in pairs:
            before, after = old_at(old.offset), new_at(new.offset)
            yield ChangedItem(new.key, names_that_differ(before, after), _fields(kind, found, before, after))


def names_that_differ(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    names = [*after, *(name for name in before if name not in after)]
    absent = object()
    return [name for name in names if name != "provenance" and before.get(name, absent) != after.get(name, absent)]


def _fields(kind: Kind, found: Comparison, before: dict[str, Any], after: dict[str, Any]) -> list[Compared]:
    old, new = kind.read_row(before), kind.read_row(after)
    versions = [
        Version(old.draft or {}, f"v{found.old.version}"),
        Version(new.draft or {}, f"v{found.new.version}"),
    ]
    fields = kind.fields(kind.read_facts(new.facts))
    return [compared for compared in compare(kind, fields, versions) if compared.changed]
