"""Two releases compared, item by item and field by field."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse

from annotate.items.compare import FieldVersions, Version, compare
from annotate.kinds.contract import Kind
from annotate.kinds.values import BadShape
from annotate.models import Release
from annotate.releases.files import IndexEntry, indexed, rows_at
from annotate.releases.pages import handed_out
from annotate.web.access import READERS, membership, project_page
from annotate.web.pager import numbered_page


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
    old_by_key = {row.name: row for row in indexed(old.stored_as)}
    new_by_key = {row.name: row for row in indexed(new.stored_as)}
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
            yield ChangedItem(
                new.name, names_that_differ(old_row, new_row), _fields(kind, comparison, old_row, new_row)
            )


def names_that_differ(old_row: dict[str, Any], new_row: dict[str, Any]) -> list[str]:
    names = [*new_row, *(name for name in old_row if name not in new_row)]
    absent = object()
    return [name for name in names if name != "provenance" and old_row.get(name, absent) != new_row.get(name, absent)]


def _fields(
    kind: Kind, comparison: ReleaseComparison, old_row: dict[str, Any], new_row: dict[str, Any]
) -> list[FieldVersions]:
    old, new = kind.read_row(old_row), kind.read_row(new_row)
    try:
        facts = kind.read_facts(new.facts)
    except BadShape:  # of a time when the project showed other columns
        return []
    versions = [
        Version(old.draft or {}, f"v{comparison.old.version}"),
        Version(new.draft or {}, f"v{comparison.new.version}"),
    ]
    fields = kind.fields(facts)
    return [compared for compared in compare(kind, fields, versions) if compared.changed]


# The page.


CHANGES_PER_PAGE = 20
KEYS_SHOWN = 200  # keys of added and removed items on the page; the JSON has all


@login_required
def release_compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Two releases item by item, as a page or with ?format=json."""
    member = membership(request, slug, READERS)
    pair = []
    for name in ("old", "new"):
        release = handed_out(request, slug, _version(request, name))
        if isinstance(release, HttpResponse):
            return release
        pair.append(release)
    compared = compare_releases(*pair)
    if request.GET.get("format") == "json":
        return JsonResponse(_comparison_context(compared), json_dumps_params={"ensure_ascii": False})
    page = numbered_page(request, compared.changed, CHANGES_PER_PAGE)
    context = {
        "compared": compared,
        "page": page,
        "items": list(changed_items(compared, list(page))),
        "added": compared.added[:KEYS_SHOWN],
        "removed": compared.removed[:KEYS_SHOWN],
    }
    return project_page(request, member, "files/compare.html", context, tab="releases")


def _version(request: HttpRequest, name: str) -> int:
    text = request.GET.get(name, "")
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise Http404
    return int(text)


def _comparison_context(compared: ReleaseComparison) -> dict[str, Any]:
    changed = [{"key": item.key, "fields": item.names} for item in changed_items(compared, compared.changed)]
    return {
        "old": compared.old.version,
        "new": compared.new.version,
        "same": compared.same,
        "added": compared.added,
        "removed": compared.removed,
        "changed": changed,
    }
