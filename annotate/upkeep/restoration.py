"""Restoring a backup into an empty installation: all or nothing, checked row by row and file by file; its rehearsal."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from django.apps import apps
from django.apps.registry import Apps
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import DatabaseError, IntegrityError, connection, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from annotate.durable import make_folder, move, sync, sync_folder
from annotate.errors import Refused
from annotate.upkeep.backups import (
    AT_ONCE,
    FORMAT,
    PIECE,
    VERSION,
    Manifest,
    Table,
    applied_migrations,
    decoded,
    files_folder,
    fingerprint,
    lines,
    stored_files,
    tables,
)

LONGEST_MANIFEST = 64 * 1024 * 1024
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
NOT_A_ROW = (ValueError, KeyError, TypeError, ValidationError)


def restore(path: Path) -> Manifest:
    """Fill this empty, migrated installation from the archive, and return its manifest.

    A backup of an older version is restored into its own schema and then migrated. Raises Refused, and leaves the
    installation empty, if the archive is no backup, is damaged or of a newer version, or if somebody has worked here
    already.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _manifest(archive)
            _refuse_newer_version(manifest)
            _refuse_unless_empty()
            with unpacked(archive, manifest) as files, schema_as_of(manifest["migrations"]) as registry:
                its_tables = tables(registry)
                _refuse_other_tables(manifest, its_tables)
                # `fill` checks all foreign keys at the end. Before, SQLite would read the table of texts for each text,
                # to see whether an earlier one has missed it.
                with connection.constraint_checks_disabled(), transaction.atomic():
                    fill(archive, its_tables)
                    _compare_rows(manifest, its_tables)
                    put_in_place(files)
    except BROKEN as fault:
        raise Refused(f"{path} is damaged or no backup: {fault}. Use another copy.") from fault
    except IntegrityError as fault:
        raise Refused(f"{path} does not fit together: {fault}. Use another copy.") from fault
    except DatabaseError as fault:
        raise Refused(f"This database cannot hold what is in {path}: {fault}") from fault
    except OSError as fault:
        raise Refused(f"{path} cannot be restored: {fault.strerror or fault}.") from fault
    return manifest


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    try:
        with archive.open("manifest.json") as file:
            manifest = json.loads(file.read(LONGEST_MANIFEST))
    except (KeyError, ValueError) as fault:
        raise Refused("This is no backup of Touchstone: it has no readable manifest.json.") from fault
    is_ours = isinstance(manifest, dict) and manifest.get("format") == FORMAT
    is_whole = all(_says_what_is_in_it(manifest.get(part)) for part in ("tables", "files"))
    if not is_ours or not is_whole or not _is_list_of_names(manifest.get("migrations")):
        raise Refused("This is no backup of Touchstone: its manifest says something else.")
    if manifest.get("version") != VERSION:
        raise Refused(f"The backup has version {manifest.get('version')}; this program reads version {VERSION}.")
    return manifest


def _says_what_is_in_it(part: Any) -> bool:
    return isinstance(part, dict) and all(isinstance(entry, dict) for entry in part.values())


def _is_list_of_names(part: Any) -> bool:
    return isinstance(part, list) and all(isinstance(name, str) and "." in name for name in part)


def _refuse_newer_version(manifest: Manifest) -> None:
    newer = set(manifest["migrations"]) - set(applied_migrations())
    if newer:
        raise Refused(
            f"The backup comes from a newer version, with {_some(newer)}. Install that version here, run "
            "`manage.py migrate`, then restore."
        )


def _refuse_other_tables(manifest: Manifest, its_tables: Mapping[str, Table]) -> None:
    if set(manifest["tables"]) != set(its_tables):
        raise Refused(f"The backup holds other tables: {_some(set(manifest['tables']) ^ set(its_tables))}.")


@contextmanager
def schema_as_of(migrations: Sequence[str]) -> Iterator[Apps]:
    """The models of this version; the empty database has its schema meanwhile, and is migrated again at the end.

    migrations: all that this version had applied, as "app.name".
    """
    if set(migrations) == set(applied_migrations()):
        yield apps
        return
    executor = MigrationExecutor(connection)
    targets = _last_of_each_app(migrations)
    executor.migrate(targets)
    try:
        yield executor.loader.project_state([(app, name) for app, name in targets if name]).apps
    finally:
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes())


def _last_of_each_app(migrations: Sequence[str]) -> list[tuple[str, str | None]]:
    """The targets of `migrate`; None for an app that this version did not have."""
    last: dict[str, str | None] = dict.fromkeys(name.partition(".")[0] for name in applied_migrations())
    last |= dict(name.split(".", 1) for name in sorted(migrations))
    return list(last.items())


def _some(names: set[str]) -> str:
    return ", ".join(sorted(names)[:5]) + (" and others" if len(names) > 5 else "")


def in_use() -> list[str]:
    """The tables with rows, and the name of one stored file if there are any; nothing in an empty installation."""
    used = [label for label, model in tables().items() if model._base_manager.exists()]
    return used + [f"files/{name}" for name, _path in islice(stored_files(), 1)]


def _refuse_unless_empty() -> None:
    used = in_use()
    if used:
        raise Refused(
            f"Restoring needs an empty installation, and this one has {_some(set(used))}. Point DATABASE_URL and "
            "DATA_DIR to new places, run `manage.py migrate`, then restore."
        )


# --- rows -----------------------------------------------------------------------------------------------------------
def fill(
    archive: zipfile.ZipFile,
    tables_by_label: Mapping[str, Table],
    adapted: Callable[[models.Model], models.Model] = lambda row: row,
) -> None:
    """Insert the rows of these tables, each as `adapted` returns it. Call it in a transaction.

    Foreign keys of the tables form cycles; both databases check them only at the end of the transaction.
    """
    for label, model in tables_by_label.items():
        _fill_table(archive, label, model, adapted)
    connection.check_constraints()
    _continue_numbering(list(tables_by_label.values()))


def _fill_table(
    archive: zipfile.ZipFile, label: str, model: Table, adapted: Callable[[models.Model], models.Model]
) -> None:
    name = f"tables/{label}.jsonl"
    with _member(archive, name) as file:
        rows = (adapted(_row(model, line, f"{name}, line {number}")) for number, line in enumerate(file, start=1))
        while chunk := list(islice(rows, AT_ONCE)):
            model._base_manager.bulk_create(chunk)


def _row(model: Table, line: bytes, location: str) -> models.Model:
    try:
        return decoded(model, line)
    except NOT_A_ROW as fault:
        raise Refused(f"The backup is damaged at {location}: {fault}. Use another copy.") from fault


def _compare_rows(manifest: Manifest, its_tables: Mapping[str, Table]) -> None:
    for label, model in its_tables.items():
        _compare(f"tables/{label}", fingerprint(lines(model)), manifest["tables"][label], "rows")


def _compare(name: str, actual: tuple[int, str], expected: dict[str, Any], unit: str) -> None:
    if actual != (expected.get(unit), expected.get("sha256")):
        raise Refused(
            f"{name} is not what was backed up: {actual[0]} {unit} where the manifest says {expected.get(unit)}, or "
            "their checksums differ. Use another copy."
        )


def _continue_numbering(filled: list[Table]) -> None:
    """Set PostgreSQL's sequences, which would otherwise return ids that are taken."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), filled):
            cursor.execute(statement)


# --- files ----------------------------------------------------------------------------------------------------------
@contextmanager
def unpacked(archive: zipfile.ZipFile, manifest: Manifest) -> Iterator[Path]:
    """The files in a temporary folder; they are moved into place only when everything else is right."""
    folder = Path(settings.DATA_DIR) / "restoring"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        for name, expected in manifest["files"].items():
            _compare(f"files/{name}", _unpack(archive, name, folder), expected, "bytes")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unpack(archive: zipfile.ZipFile, name: str, folder: Path) -> tuple[int, str]:
    size, digest = 0, hashlib.sha256()
    path = folder / _inside(name)
    make_folder(path.parent)
    with _member(archive, f"files/{name}") as source, path.open("xb") as target:
        while piece := source.read(PIECE):
            size += len(piece)
            digest.update(piece)
            target.write(piece)
        sync(target)
    sync_folder(path.parent)
    return size, digest.hexdigest()


def _inside(name: str) -> PurePosixPath:
    """The name, if its path stays inside the target folder. Raises Refused."""
    path = PurePosixPath(name)
    if not name or "\\" in name or "\0" in name or path.is_absolute() or ".." in path.parts:
        raise Refused(f"The backup wants to write outside its folder: {name!r}. Nothing was restored.")
    return path


@contextmanager
def _member(archive: zipfile.ZipFile, name: str) -> Iterator[Any]:
    try:
        file = archive.open(name)
    except KeyError as missing:
        raise Refused(f"The backup is incomplete: {name} is missing. Use another copy.") from missing
    with file:
        yield file


def put_in_place(files: Path) -> None:
    shutil.rmtree(files_folder(), ignore_errors=True)  # it holds empty folders at most: that was checked before
    move(files, files_folder())


# The rehearsal of an emergency: the newest backup is restored into an empty place of its own, and compared. A backup
# that nobody has restored is a hope. The place is a folder beside the data with a database of its own; nothing of the
# running installation is touched, and the folder is gone afterwards.


@dataclass(frozen=True)
class Rehearsal:
    """What was restored. rows, files: as many as the backup says, with the same checksums; checked: items and drafts
    that were read with today's schemas.
    """

    path: Path
    made_at: datetime
    rows: int
    files: int
    checked: int

    @property
    def age_days(self) -> int:
        return (timezone.now() - self.made_at).days


def rehearse(folder: Path) -> Rehearsal:
    """Restore the newest backup of this folder. Raises Refused, with the reason, where it would not help."""
    path = newest(folder)
    with tempfile.TemporaryDirectory(prefix="rehearsal-", dir=settings.DATA_DIR) as place:
        _manage(place, "migrate", "--verbosity", "0")
        restored = json.loads(_manage(place, "restore", str(path.resolve()), "--json"))
        checked = json.loads(_manage(place, "check_items", "--json"))
    made_at = datetime.fromisoformat(restored["made_at"])
    return Rehearsal(path, made_at, restored["rows"], restored["files"], checked["items"] + checked["drafts"])


def newest(folder: Path) -> Path:
    """The archive that was written last. Raises Refused where there is none."""
    if not folder.is_dir():
        raise Refused(f"There is no folder {folder}. Name the one into which `manage.py backup` writes.")
    archives = [path for path in folder.glob("*.zip") if zipfile.is_zipfile(path)]
    if not archives:
        raise Refused(f"{folder} holds no backup (*.zip). Make one: manage.py backup {folder}/touchstone.zip")
    return max(archives, key=lambda path: path.stat().st_mtime)


def _manage(place: str, *arguments: str) -> str:
    """What a command says in the installation at this place. Raises Refused with what it says where it fails."""
    own = {"DATA_DIR": place, "DATABASE_URL": f"sqlite:///{place}/restored.sqlite3", "SECRET_KEY": settings.SECRET_KEY}
    command = [sys.executable, str(Path(settings.BASE_DIR) / "manage.py"), *arguments]
    done = subprocess.run(command, env=os.environ | own, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(_reason(done.stderr.strip() or done.stdout.strip()))
    return done.stdout


def _reason(said: str) -> str:
    """What a refusing command names first, with its first example; of a traceback, the error at its end."""
    lines = said.splitlines()
    if lines[0].startswith("CommandError: "):
        return " ".join(lines[:2]).removeprefix("CommandError: ")
    return lines[-1]
