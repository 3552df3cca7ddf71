"""Which tables a backup holds, and their rows as lines of JSON that read the same on every database."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.apps import apps
from django.db import models
from django.db.migrations.recorder import MigrationRecorder

# Made by migrations (auth, contenttypes), or of no use elsewhere (sessions, failed sign-ins).
LEFT_OUT = frozenset({"auth", "axes", "contenttypes", "sessions"})
SHORT_LIVED = frozenset({"annotate.cacheentry", "annotate.ratecounter"})  # over within the hour
Table = type[models.Model]
AT_ONCE = 500


def tables() -> dict[str, Table]:
    """label -> model, in the order of the labels; without links to tables that are left out."""
    table_models = [model for model in apps.get_models(include_auto_created=True) if _is_kept(model)]
    return {model._meta.label_lower: model for model in sorted(table_models, key=lambda model: model._meta.label_lower)}


def _is_kept(model: Table) -> bool:
    if model._meta.app_label in LEFT_OUT or not model._meta.managed or model._meta.proxy:
        return False
    if model._meta.label_lower in SHORT_LIVED:
        return False
    targets = [field.related_model for field in columns(model) if isinstance(field, models.ForeignKey)]
    return all(target._meta.app_label not in LEFT_OUT for target in targets)


def columns(model: Table) -> "list[models.Field[Any, Any]]":
    return list(model._meta.concrete_fields)


def applied_migrations() -> list[str]:
    """Of the apps whose tables are kept: the shape that rows of a backup have."""
    app_labels = {model._meta.app_label for model in tables().values()}
    applied = MigrationRecorder.Migration.objects.filter(app__in=app_labels)
    return sorted(f"{app}.{name}" for app, name in applied.values_list("app", "name"))


def lines(model: Table) -> Iterator[bytes]:
    """Every row in the order of the primary key, read as it is asked for."""
    names = [field.attname for field in columns(model)]
    rows = model._base_manager.order_by("pk").values_list(*names).iterator(chunk_size=AT_ONCE)
    for row in rows:
        yield _encoded(dict(zip(names, row, strict=True)))


def _encoded(row: Mapping[str, Any]) -> bytes:
    # Sorted, because PostgreSQL does not keep the order of keys.
    text = json.dumps(_plain(row), ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass") + b"\n"


def _plain(value: Any) -> Any:
    """The value in JSON, with numbers spelled as PostgreSQL gives them back."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) >= 1e16 else value + 0.0
    if value is None or isinstance(value, str | int):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def decoded(model: Table, line: bytes) -> models.Model:
    """The row as it was. Raises ValueError, KeyError, TypeError or ValidationError where it is none of this table's."""
    row = json.loads(line)
    if not isinstance(row, dict) or len(row) != len(columns(model)):
        raise ValueError("other columns")
    return model(**{field.attname: _read(field, row[field.attname]) for field in columns(model)})


def _read(field: "models.Field[Any, Any]", value: Any) -> Any:
    is_plain = value is None or isinstance(field, models.JSONField | models.FileField)
    return value if is_plain else field.to_python(value)


def fingerprint(rows: Iterable[bytes]) -> tuple[int, str]:
    """How many rows, and the SHA-256 of their lines."""
    count, digest = 0, hashlib.sha256()
    for line in rows:
        count += 1
        digest.update(line)
    return count, digest.hexdigest()
