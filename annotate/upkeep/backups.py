"""Backups: a whole installation in one file, with the rows of all tables and the files of uploads and releases.

The archive is a zip: `manifest.json`, `tables/<table>.jsonl` (one row per line) and `files/…`. Rows are JSON that reads
the same on every database, so the archive does not depend on the database it was made from. Sessions, failed sign-ins
and the broker's messages are not included.
"""

import hashlib
import json
import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.apps.registry import Apps
from django.conf import settings
from django.db import connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from annotate.durable import move, sync
from annotate.errors import Refused

# Made by migrations (auth, contenttypes), or of no use elsewhere (sessions, failed sign-ins).
LEFT_OUT = frozenset({"auth", "axes", "contenttypes", "sessions"})
SHORT_LIVED = frozenset({"annotate.cacheentry", "annotate.ratecounter"})  # over within the hour
# By triggers: they count every restored item, and queue it for the search index.
MADE_AGAIN = frozenset(
    {
        "annotate.itemcount",
        "annotate.searchgrams",
        "annotate.searchindex",
        "annotate.searchpending",
        "annotate.searchtext",
    }
)
Table = type[models.Model]
AT_ONCE = 500


def tables(registry: Apps = apps) -> dict[str, Table]:
    """label -> model, ordered by label; without link tables to tables that are left out.

    registry: the models of another version of the schema, as migrations know them.
    """
    table_models = [model for model in registry.get_models(include_auto_created=True) if _is_kept(model)]
    return {model._meta.label_lower: model for model in sorted(table_models, key=lambda model: model._meta.label_lower)}


def _is_kept(model: Table) -> bool:
    if model._meta.app_label in LEFT_OUT or not model._meta.managed or model._meta.proxy:
        return False
    if model._meta.label_lower in SHORT_LIVED | MADE_AGAIN:
        return False
    targets = [field.related_model for field in columns(model) if isinstance(field, models.ForeignKey)]
    return all(target._meta.app_label not in LEFT_OUT for target in targets)


def columns(model: Table) -> "list[models.Field[Any, Any]]":
    return list(model._meta.concrete_fields)


def applied_migrations() -> list[str]:
    """The applied migrations of the apps in the backup: they define the shape of its rows."""
    app_labels = {model._meta.app_label for model in tables().values()}
    applied = MigrationRecorder.Migration.objects.filter(app__in=app_labels)
    return sorted(f"{app}.{name}" for app, name in applied.values_list("app", "name"))


def lines(model: Table) -> Iterator[bytes]:
    """Every row in the order of the primary key, read lazily."""
    names = [field.attname for field in columns(model)]
    rows = model._base_manager.order_by("pk").values_list(*names).iterator(chunk_size=AT_ONCE)
    for row in rows:
        yield encoded(dict(zip(names, row, strict=True)))


def encoded(row: Mapping[str, Any]) -> bytes:
    """A row as one line of a table in an archive; the same bytes for the same row on every database."""
    text = _ENCODER.encode(row)
    if _ODD_NUMBER.search(text):
        text = _ENCODER.encode(_plain(row))
    return text.encode("utf-8", "surrogatepass") + b"\n"


def _written(value: Any) -> str:
    """A value that JSON does not have: a time, an amount, an id."""
    return str(value.isoformat() if hasattr(value, "isoformat") else value)


# Sorted, because PostgreSQL does not keep the order of keys.
_ENCODER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"), default=_written
)
# A number that PostgreSQL may return in another form, or a text that looks like one: few rows have any.
_ODD_NUMBER = re.compile(r"[0-9]e\+[0-9]|-0\.0(?![0-9])")


def _plain(value: Any) -> Any:
    """The value with numbers written as PostgreSQL returns them."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) >= 1e16 else value + 0.0
    return value


def decoded(model: Table, line: bytes) -> models.Model:
    """The row of a line. Raises ValueError, KeyError, TypeError or ValidationError if it does not fit this table."""
    row = json.loads(line)
    if not isinstance(row, dict) or len(row) != len(columns(model)):
        raise ValueError("other columns")
    return model(**{field.attname: _parse_value(field, row[field.attname]) for field in columns(model)})


def _parse_value(field: "models.Field[Any, Any]", value: Any) -> Any:
    is_plain = value is None or isinstance(field, models.JSONField | models.FileField)
    return value if is_plain else field.to_python(value)


def fingerprint(rows: Iterable[bytes]) -> tuple[int, str]:
    """The number of rows and the SHA-256 of their lines."""
    count, digest = 0, hashlib.sha256()
    for line in rows:
        count += 1
        digest.update(line)
    return count, digest.hexdigest()


# Writing the archive.


FORMAT, VERSION = "touchstone-backup", 1
PIECE = 1024 * 1024
Manifest = dict[str, Any]


def write(path: Path) -> Manifest:
    """Write the archive and return its manifest. People may go on working: the rows are from one snapshot.

    Raises Refused where the file exists already or cannot be written; no partial file remains.
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
    """Open the file readable for this account only, from the first byte, because it holds password hashes."""
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
    """All reads inside see one snapshot of the database and block no writes."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        # Django would begin an IMMEDIATE transaction, which blocks all other writers.
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
    """Add the files, without those removed meanwhile, such as an imported upload or a withdrawn release."""
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
