"""Releases: the choice of items and splits, planning, writing in the worker, withdrawing, retrying.

A planned release is written by the worker or a command, stays listed for ever, and can at most be withdrawn.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.audit.trail import record, recording, values_of
from annotate.engine.chores import Leases, Parts, finish
from annotate.errors import LeaseLost, Refused
from annotate.intake.ratings import has_ratings
from annotate.models import Item, Project, Release, User
from annotate.models.items import ItemQuerySet
from annotate.notices import webhooks
from annotate.releases.files import Writer, discard, random_name
from annotate.releases.final_texts import best_texts, released_rows
from annotate.releases.manifests import Counts, manifest
from annotate.releases.rater_rows import RaterRows
from annotate.releases.stored_values import ReleasedItem

ANY = "any"
ITEMS, RATERS = "items", "raters"


@dataclass(frozen=True)
class ReleaseFilters:
    """state: accepted, another state, or any. groups, languages: all where empty.

    rows: one for each item with its final text, or one for each rater of each item (ITEMS, RATERS). names: whether
    raters have their own names. metadata: whether rows have the columns that only leads see. A release with names of
    raters or with metadata can only be downloaded by leads.
    splits: name -> share, adding up to 1. An item's split is drawn by seed and key, so that it stays the same when the
    dataset grows.
    """

    state: str = Item.State.ACCEPTED.value
    groups: list[str] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    splits: dict[str, float] = field(default_factory=dict)
    seed: int = 0
    metadata: bool = False
    rows: str = ITEMS
    names: bool = False

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def items(self, project: Project) -> ItemQuerySet:
        """The items in the order of the release, without those that their reporter has withdrawn."""
        items = Item.objects.counted().kept().filter(project=project)
        if self.state != ANY:
            items = items.filter(state=self.state)
        if self.groups:
            items = items.filter(group__in=self.groups)
        if self.languages:
            items = items.filter(language__in=self.languages)
        return items.order_by("pk")

    def split_of(self, key: str) -> str | None:
        if not self.splits:
            return None
        fraction = int.from_bytes(hashlib.sha256(f"{self.seed}:{key}".encode()).digest()[:8]) / 2**64
        reached = 0.0
        for name, share in self.splits.items():
            reached += share
            if fraction < reached:
                return name
        return list(self.splits)[-1]


def fault_of_splits(splits: Mapping[str, float]) -> str | None:
    """Why these shares cannot be drawn; None if they can."""
    if not splits:
        return None
    if any(not 0 < share <= 1 for share in splits.values()):
        return _("Every split needs a share above 0 and up to 1.")
    total = sum(splits.values())
    if abs(total - 1) > 0.001:
        return _("The shares of the splits add up to %(sum)s, not to 1.") % {"sum": f"{total:.4g}"}
    return None


# Planning, writing and withdrawing.


CHUNK = 500
ChunkItem = TypeVar("ChunkItem", ReleasedItem, Item)
leases = Leases(
    Release,
    Q(state=Release.State.WAITING),
    timedelta(minutes=2),
    fence="lease_until",
    related=("project", "created_by"),
)


def plan(*, project: Project, filters: ReleaseFilters, by: User | None, note: str = "", licence: str = "") -> Release:
    """Plan the next version, which is still to be written. Raises Refused for raters' rows of drafts that are no
    ratings.
    """
    if filters.rows == RATERS and not has_ratings(project.kind):
        message = _("Drafts of the kind “%(kind)s” are texts to agree on, not ratings. Release one row per item.")
        raise Refused(message % {"kind": project.kind.name})
    if filters.rows == ITEMS and filters.names:
        filters = replace(filters, names=False)  # it is about raters
    while True:
        newest_version = project.releases.aggregate(last=Max("version"))["last"] or 0
        try:
            with transaction.atomic():
                release = Release.objects.create(
                    project=project,
                    version=newest_version + 1,
                    filters=filters.as_json(),
                    note=note,
                    licence=licence or project.licence,
                    stored_as=random_name(),
                    created_by=by,
                )
                record("release.planned", release, after=values_of(release, "version", "filters", "licence"))
        except IntegrityError:  # another request has just taken this number
            continue
        return release


def write(release: Release) -> Release:
    """Write all of a release that this process holds. Raises LeaseLost if another worker took it over."""
    finish(parts(release))
    return release


def parts(release: Release) -> Parts:
    """Stream the rows into the release's file, then freeze it. What is stopped begins anew."""
    project, counts = release.project, Counts(release.project.kind)
    filters = ReleaseFilters(**release.filters)
    rows_of = _rows_of(project, filters, counts)
    with Writer(release.stored_as) as writer:
        for items in chunks(project, filters):
            for item, row in rows_of(items):
                counts.add(item, row)
                writer.write(row)
            leases.keep(release, rows=writer.rows)
            yield len(items)
        leases.keep(release, rows=writer.rows)  # raises LeaseLost where the release has to be written again
        writer.publish()
    _freeze(release, manifest(release, counts, rows=writer.rows, sha256=writer.sha256))


RowsOf = Callable[[Sequence[ReleasedItem]], Iterable[tuple[ReleasedItem, dict[str, Any]]]]


def _rows_of(project: Project, filters: ReleaseFilters, counts: Counts) -> RowsOf:
    """Makes rows of a chunk of items."""
    if filters.rows == RATERS:
        return RaterRows(project, filters, counts.left_out, names=filters.names)
    return lambda items: zip(items, released_rows(project, items, best_texts(items), filters), strict=True)


def chunks(project: Project, filters: ReleaseFilters) -> Iterator[list[ReleasedItem]]:
    """The items in order, as values, read by key range, so that no long query makes a writer wait."""
    return _by_key_range(project, filters, ReleasedItem.read)


def item_chunks(project: Project, filters: ReleaseFilters) -> Iterator[list[Item]]:
    """The same as instances."""
    return _by_key_range(project, filters, lambda items: list(items.select_related("batch")))


def _by_key_range(
    project: Project, filters: ReleaseFilters, read: Callable[[ItemQuerySet], list[ChunkItem]]
) -> Iterator[list[ChunkItem]]:
    last_id = 0
    while items := read(filters.items(project).filter(pk__gt=last_id)[:CHUNK]):
        yield items
        last_id = items[-1].pk


def _freeze(release: Release, release_manifest: dict[str, object]) -> None:
    written = release.stored_as
    pending_release = Release.objects.filter(pk=release.pk, state=Release.State.WAITING, stored_as=written)
    with transaction.atomic():
        updated_count = pending_release.update(
            state=Release.State.DONE,
            lease_until=None,
            rows=release_manifest["rows"],
            sha256=release_manifest["sha256"],
            manifest=release_manifest,
        )
        release.refresh_from_db()
        if updated_count:
            webhooks.release_made(release)
    if release.stored_as != written:  # it has to be written again, without the items withdrawn meanwhile
        discard(written)
        raise LeaseLost("This release is written anew.")


def withdraw(release: Release) -> bool:
    """Withdraw the release: it stays listed but cannot be downloaded. Returns False if it was withdrawn before."""
    standing = Release.objects.filter(pk=release.pk, state=Release.State.DONE, withdrawn_at=None)
    with recording("release.withdrawn", release, "withdrawn_at"):
        return bool(standing.update(withdrawn_at=timezone.now()))


def retry(release: Release) -> bool:
    """Let a release that failed be written again."""
    failed = Release.objects.filter(pk=release.pk, state=Release.State.FAILED)
    with recording("release.retried", release, "state"):
        return bool(failed.update(state=Release.State.WAITING, lease_until=None, rows=0))
