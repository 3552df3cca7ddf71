"""A whole installation in one file: the rows of all tables and the files of uploads and releases.

The archive is a zip: `manifest.json`, `tables/<table>.jsonl` (one row a line) and `files/…`. It does not depend on the
database it was made from. Sessions, failed sign-ins and the broker's messages are not in it.
"""

import hashlib
import json
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from annotate.durable import move, sync
from annotate.services.backup.tables import Table, applied_migrations, lines, tables
from annotate.services.errors import Refused

FORMAT, VERSION = "touchstone-backup", 1
PIECE = 1024 * 1024
Manifest = dict[str, Any]


def write(path: Path) -> Manifest:
    """Write the archive and return its manifest. People may go on working: the rows are of one moment.

    Raises Refused where the file exists already or cannot be written; nothing half-written stays.
    """
    if path.exists():
        raise Refused(f"{path} exists already. Name a new file; a backup never overwrites one.")
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        with _private(unfinished) as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                manifest = _fill(archive)
            sync(file)
        move(unfinished, path)
    except OSError as fault:
        unfinished.unlink(missing_ok=True)
        raise Refused(f"{path} cannot be written: {fault.strerror}. Choose a place with room.") from fault
    return manifest


@contextmanager
def _private(path: Path) -> Iterator[IO[bytes]]:
    """It holds password hashes: readable for this account only, from the first byte."""
    with os.fdopen(os.open(path, os.O_CREAT | os.O_RDWR | os.O_TRUNC, 0o600), "w+b") as file:
        yield file


def _fill(archive: zipfile.ZipFile) -> Manifest:
    manifest: Manifest = {"format": FORMAT, "version": VERSION, "made_at": timezone.now().isoformat()}
    with _one_moment():
        manifest |= {"database": connection.vendor, "migrations": applied_migrations()}
        manifest["tables"] = {label: _add_table(archive, label, model) for label, model in tables().items()}
    manifest["files"] = dict(_add_files(archive))
    archive.writestr("manifest.json", json.dumps(manifest, ensure_ascii=False, indent=1))
    return manifest


@contextmanager
def _one_moment() -> Iterator[None]:
    """All reads inside see the database as it is now, and hold up nobody's writes."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        # Django would begin an IMMEDIATE transaction, which keeps everybody else from writing.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
        return
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def _add_table(archive: zipfile.ZipFile, label: str, model: Table) -> dict[str, Any]:
    rows, digest = 0, hashlib.sha256()
    with archive.open(f"tables/{label}.jsonl", "w", force_zip64=True) as file:
        for line in lines(model):
            rows += 1
            digest.update(line)
            file.write(line)
    return {"rows": rows, "sha256": digest.hexdigest()}


def files_folder() -> Path:
    return Path(settings.DATA_DIR) / "files"


def stored_files() -> Iterator[tuple[str, Path]]:
    """(name inside the folder, path) of every file that people uploaded or that was made for them."""
    folder = files_folder()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder).as_posix(), path


def _add_files(archive: zipfile.ZipFile) -> Iterator[tuple[str, dict[str, Any]]]:
    """Without those that were removed meanwhile: an upload that was imported, a release that was withdrawn."""
    for name, path in stored_files():
        try:
            entry = _add_file(archive, name, path)
        except FileNotFoundError:
            continue
        yield name, entry


def _add_file(archive: zipfile.ZipFile, name: str, path: Path) -> dict[str, Any]:
    size, digest = 0, hashlib.sha256()
    with path.open("rb") as source, archive.open(f"files/{name}", "w", force_zip64=True) as file:
        while piece := source.read(PIECE):
            size += len(piece)
            digest.update(piece)
            file.write(piece)
    return {"bytes": size, "sha256": digest.hexdigest()}
