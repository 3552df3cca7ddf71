"""Where the bytes are: Django's storage `media`, a folder of its own; another backend, such as an object store, can
take its place in the settings.
"""

from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, Storage, storages

from annotate.durable import make_folder, replacing


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
