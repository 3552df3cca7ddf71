"""Zips of files, or of rows and the files that these name: opened, unpacked, and their files stored."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from django.conf import settings

from annotate.errors import Refused
from annotate.media.actions import Added, add, record_added
from annotate.models import Batch, Project, User
from lib.media.archives import Archive, BadArchive, is_zip, read_archive
from lib.media.file_names import short_name
from lib.texts.stored_sentences import say as _

NAME_OF_ZIP = 60  # characters of it that a report shows


@contextmanager
def opened(file: Path, *, with_rows: bool = True) -> Iterator[Archive]:
    """Raises Refused."""
    with file.open("rb") as content, refusing():
        archive = read_archive(content, with_rows=with_rows)
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
    if not project.kind.names_files or not is_zip(file):
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
    if not project.kind.names_files or not path.is_file():
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


@dataclass(frozen=True)
class UnpackedFile:
    """What became of a file of a zip. refused: why it was not stored; "" if it is."""

    name: str
    is_new: bool = False
    refused: str = ""


def store_media(bundle: Path, *, project: Project, batch: Batch) -> Iterator[UnpackedFile]:
    """Store the files that came with the rows of this import. Raises Refused."""
    with opened(bundle) as archive:
        yield from _stored(archive, archive.media, project, batch.created_by, batch)


def store_files(
    bundle: Path, *, project: Project, by: User | None, batch: Batch | None = None, start: int = 0
) -> Iterator[UnpackedFile]:
    """Store the files of a zip without rows, from this one on. Raises Refused if the zip cannot be taken."""
    with opened(bundle, with_rows=False) as archive:
        yield from _stored(archive, list(archive.media)[start:], project, by, batch)


def _stored(
    archive: Archive, names: Iterable[str], project: Project, by: User | None, batch: Batch | None
) -> Iterator[UnpackedFile]:
    for name in names:
        try:
            with refusing():
                data = archive.read(name)
            _file, is_new = add(project=project, name=name, data=data, by=by, batch=batch)
        except Refused as refused:
            yield UnpackedFile(name, refused=str(refused))
        else:
            yield UnpackedFile(name, is_new)


def add_bundle(bundle: Path, *, project: Project, by: User | None) -> Added:
    """Store all files of a zip without rows that can be stored, with one entry in the audit trail. Raises Refused."""
    added = Added()
    for file in store_files(bundle, project=project, by=by):
        outcome = added.refused if file.refused else added.new if file.is_new else added.known
        outcome.append(file.refused or file.name)
    record_added(project, added)
    return added


def refuse_files(file: IO[bytes], name: str) -> None:
    """Raises Refused, with the name of the zip, if a zip without rows cannot be taken."""
    try:
        read_archive(file, with_rows=False)
    except BadArchive as bad:
        raise Refused(_("“%(name)s”: %(why)s") % {"name": name, "why": bad.args[0]}) from bad
    file.seek(0)
