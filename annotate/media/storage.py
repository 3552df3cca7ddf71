"""Where the bytes are: Django's storage `media`, a folder of its own; another backend, such as an object store, can
take its place in the settings.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, Storage, storages

from annotate.durable import make_folder, replacing
from annotate.models import MediaFile


class DurableStorage(FileSystemStorage):
    """A folder whose files are on the disk before anybody is told that they are stored."""

    def _save(self, name: str, content: Any) -> str:
        path = Path(self.path(name))
        make_folder(path.parent)
        with replacing(path) as file:
            for piece in content.chunks():
                file.write(piece)
        return name

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """Names are digests of contents: a file of this name has the same content."""
        return name


def media_storage() -> Storage:
    return storages["media"]


def keep(name: str, data: bytes) -> None:
    if not media_storage().exists(name):
        media_storage().save(name, ContentFile(data))


def opened(name: str) -> "File[bytes]":
    """Raises FileNotFoundError."""
    return media_storage().open(name)


def media_faults() -> tuple[list[str], list[str], int]:
    """(files whose bytes are gone, as project: name; stored bytes that no file has; how many files there are)."""
    files = MediaFile.objects.select_related("project").order_by("pk")
    stored, names_of_rows, lacking = set(_all_stored()), set(), []
    for file in files.iterator():
        names_of_rows.add(file.stored_as)
        if file.stored_as not in stored:
            lacking.append(f"{file.project.slug}: {file.name}")
    return lacking, sorted(stored - names_of_rows), files.count()


def _all_stored() -> Iterator[str]:
    for project in _folders(""):
        for part in _folders(project):
            yield from (f"{project}/{part}/{name}" for name in media_storage().listdir(f"{project}/{part}")[1])


def _folders(path: str) -> list[str]:
    try:
        return media_storage().listdir(path)[0]
    except FileNotFoundError:
        return []
