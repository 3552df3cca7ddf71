"""Releases that hold a withdrawn item: its row is blanked in the file, and nobody can download them any more."""

import json
from pathlib import Path

from django.db.models import F
from django.utils import timezone

from annotate.durable import replacing
from annotate.models import Item, Release
from annotate.services.releasing.files import indexed, path_of, random_name


def restart_unfinished(item: Item) -> None:
    """A release that is being written begins anew, without the item, under another name."""
    for release in Release.objects.filter(project_id=item.project_id, state=Release.State.WAITING):
        waiting_release = Release.objects.filter(pk=release.pk, state=Release.State.WAITING)
        waiting_release.update(lease_until=None, rows=0, stored_as=random_name())


def erase(item: Item) -> None:
    """Blank its row in every release of its project that has one, and mark those; again does nothing more."""
    for release in Release.objects.filter(project_id=item.project_id, state=Release.State.DONE):
        if _blanked(release, item.key):
            Release.objects.filter(pk=release.pk, withdrawn_at=None).update(withdrawn_at=timezone.now())
            Release.objects.filter(pk=release.pk).update(erased=F("erased") + 1)


def _blanked(release: Release, key: str) -> bool:
    """Whether the file had a row of this key with words in it. The other rows stay where the index says."""
    path = path_of(release.stored_as)
    if not path.exists():
        return False
    offset = next((entry.offset for entry in indexed(release.stored_as) if entry.key == key), None)
    if offset is None:
        return False
    with path.open("rb") as file:
        file.seek(offset)
        line = file.readline()
    blank = json.dumps({"key": key, "withdrawn": True}, ensure_ascii=False).encode()
    blank = blank[: len(line) - 1].ljust(len(line) - 1) + b"\n"
    if line == blank:
        return False
    _rewrite(path, offset, blank)
    return True


def _rewrite(path: Path, offset: int, line: bytes) -> None:
    """A file that is there whole, or as it was: whoever is reading the old one reads it to its end."""
    with path.open("rb") as source, replacing(path) as written:
        bytes_left = offset
        while bytes_left and (piece := source.read(min(bytes_left, 1024 * 1024))):
            written.write(piece)
            bytes_left -= len(piece)
        written.write(line)
        source.seek(offset + len(line))
        while piece := source.read(1024 * 1024):
            written.write(piece)
