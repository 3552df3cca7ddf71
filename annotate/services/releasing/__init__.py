"""Releases: planned, written by the worker or a command, listed for ever, at most withdrawn."""

import logging
from collections.abc import Iterator
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.utils import timezone

from annotate.models import Item, Project, Release, User
from annotate.services import webhooks
from annotate.services.errors import LeaseLost
from annotate.services.notifying import notify
from annotate.services.releasing.files import Writer, discard, random_name
from annotate.services.releasing.filters import Filters
from annotate.services.releasing.manifest import Counts, manifest
from annotate.services.releasing.texts import best_texts, released_row

CHUNK = 200
LEASE = timedelta(minutes=2)
log = logging.getLogger(__name__)


def plan(*, project: Project, filters: Filters, by: User | None, note: str = "", licence: str = "") -> Release:
    """The next version, still to be written."""
    while True:
        newest_version = project.releases.aggregate(last=Max("version"))["last"] or 0
        try:
            with transaction.atomic():
                return Release.objects.create(
                    project=project,
                    version=newest_version + 1,
                    filters=filters.as_json(),
                    note=note,
                    licence=licence or project.licence,
                    stored_as=random_name(),
                    created_by=by,
                )
        except IntegrityError:  # somebody else has just taken this number
            continue


def claim(pk: int) -> Release | None:
    """A release that is still to be written, under a fresh lease; None if somebody else is at it."""
    claimed_count = Release.objects.filter(_claimable(), pk=pk).update(lease_until=timezone.now() + LEASE)
    return Release.objects.select_related("project", "created_by").get(pk=pk) if claimed_count else None


def claimable() -> list[int]:
    return list(Release.objects.filter(_claimable()).order_by("pk").values_list("pk", flat=True))


def _claimable() -> Q:
    idle = Q(lease_until=None) | Q(lease_until__lt=timezone.now())
    return idle & Q(state=Release.State.WAITING)


def make(pk: int) -> None:
    """Write a planned release, if it is still to be written. For the worker."""
    release = claim(pk)
    if release is None:
        return
    try:
        write(release)
    except LeaseLost:
        return
    except Exception:  # whatever it was would come again at every attempt, and nobody would be told
        log.exception("release %s", release.pk)
        Release.objects.filter(pk=pk, state=Release.State.WAITING).update(state=Release.State.FAILED)
    notify(release.created_by, None, "released", by=None, project=release.project, note=f"v{release.version}")


def write(release: Release) -> Release:
    """Stream the rows into the release's file, then freeze it. Raises LeaseLost if another worker took it over."""
    project, counts = release.project, Counts(release.project.kind)
    filters = Filters(**release.filters)
    with Writer(release.stored_as) as writer:
        for items in chunks(project, filters):
            texts = best_texts(items)
            for item in items:
                row = released_row(project, item, texts[item.pk], filters.split_of(item.key))
                counts.add(item, row)
                writer.write(row)
            release = _advance(release, writer.rows)
        _advance(release, writer.rows)  # raises LeaseLost where it is to be written anew
        writer.publish()
    return _freeze(release, manifest(release, counts, rows=writer.rows, sha256=writer.sha256))


def chunks(project: Project, filters: Filters) -> Iterator[list[Item]]:
    """The items in order, read by key range: no long query that a writer would have to wait for."""
    last_id = 0
    while items := list(filters.items(project).filter(pk__gt=last_id).select_related("batch")[:CHUNK]):
        yield items
        last_id = items[-1].pk


def _advance(release: Release, rows: int) -> Release:
    own_release = Release.objects.filter(pk=release.pk, state=Release.State.WAITING, lease_until=release.lease_until)
    until = timezone.now() + LEASE
    if not own_release.update(rows=rows, lease_until=until):
        raise LeaseLost("Another worker writes this release.")
    release.lease_until = until
    return release


def _freeze(release: Release, release_manifest: dict[str, object]) -> Release:
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
    if release.stored_as != written:  # it is to be written anew, without what was withdrawn meanwhile
        discard(written)
        raise LeaseLost("This release is written anew.")
    return release


def withdraw(release: Release) -> bool:
    """From now on the release is listed, but not handed out; False if it was withdrawn before."""
    standing = Release.objects.filter(pk=release.pk, state=Release.State.DONE, withdrawn_at=None)
    return bool(standing.update(withdrawn_at=timezone.now()))


def retry(release: Release) -> bool:
    """Let a release that failed be written again."""
    failed = Release.objects.filter(pk=release.pk, state=Release.State.FAILED)
    return bool(failed.update(state=Release.State.WAITING, lease_until=None, rows=0))
