"""Zips that hold rows and the files that these name: opened, unpacked, and their files stored."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from django.conf import settings

from annotate.errors import Refused
from annotate.media.actions import add
from annotate.models import Project, User
from lib.media.archives import Archive, BadArchive, is_zip, read_archive
from lib.media.file_names import short_name

NAME_OF_ZIP = 60  # characters of it that a report shows


@contextmanager
def opened(file: Path) -> Iterator[Archive]:
    """Raises Refused."""
    with file.open("rb") as content, refusing():
        archive = read_archive(content)
        with archive.file:
            yield archive


@contextmanager
def refusing() -> Iterator[None]:
    try:
        yield
    except BadArchive as bad:
        raise Refused(bad.args[0]) from bad


def rows_name(project: Project, file: IO[bytes], name: str) -> str:
    """What a file is called: its name, for a zip with that of its rows, by which their format is known.

    Only projects whose items name files take a zip; elsewhere it is read as any other file. Raises Refused.
    """
    if not project.kind.file_columns or not is_zip(file):
        return name
    with refusing():
        archive = read_archive(file)
    file.seek(0)
    return f"{short_name(name)[:NAME_OF_ZIP]}: {short_name(archive.rows)}"


def unpack_rows(bundle: Path, target: IO[bytes]) -> None:
    """Raises Refused."""
    with opened(bundle) as archive:
        archive.copy_rows(target)


@dataclass(frozen=True)
class RowsFile:
    """A file of rows to be read. bundle: the zip it came in, if any. name: for people and for guessing the format.

    media: the names of the files in the zip.
    """

    path: Path
    name: str
    bundle: Path | None = None
    media: Sequence[str] = field(default_factory=list)


@contextmanager
def rows_of(project: Project, path: Path) -> Iterator[RowsFile]:
    """The file itself, or the rows of a zip in a temporary file. Raises Refused."""
    if not project.kind.file_columns or not path.is_file():
        yield RowsFile(path, str(path))
        return
    with path.open("rb") as file:
        name = rows_name(project, file, str(path))
        is_bundle = is_zip(file)
    if not is_bundle:
        yield RowsFile(path, name)
        return
    with tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR) as folder:
        rows = Path(folder) / "rows"
        with rows.open("wb") as target:
            unpack_rows(path, target)
        yield RowsFile(rows, name, path, media_names(path))


def media_names(bundle: Path) -> list[str]:
    """Raises Refused."""
    with opened(bundle) as archive:
        return list(archive.media)


def store_media(bundle: Path, *, project: Project, by: User | None) -> Iterator[tuple[str, str]]:
    """Store the files of a zip, one for each pair (name, why it was refused or ""). Raises Refused."""
    with opened(bundle) as archive:
        for name in archive.media:
            try:
                with refusing():
                    data = archive.read(name)
                add(project=project, name=name, data=data, by=by)
            except Refused as refused:
                yield name, str(refused)
            else:
                yield name, ""
