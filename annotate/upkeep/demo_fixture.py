"""The demo from a fixture: rows that live seeding has made once, put into an empty installation as if made just now.

`fixtures/demo/seeded.zip` has the layout of a backup (annotate/upkeep/backups.py). Its manifest also says when seeding
began and ended; times are moved by what has passed since then, so the two weeks of work are always the last two weeks.
`python -m scripts.demo_fixture` makes the file anew.
"""

import json
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import models, transaction
from django.utils import timezone

from annotate.errors import Refused
from annotate.models import User
from annotate.upkeep import backups, demo, restoration

FILE = Path(settings.BASE_DIR) / "fixtures" / "demo" / "seeded.zip"
FORMAT = "touchstone-demo"
# The audit trail belongs to one installation: a chain of hashes covers its times, which cannot be moved.
LEFT_OUT = frozenset({"annotate.auditentry", "annotate.audithead"})
REMAKE = "Run `python -m scripts.demo_fixture`."


def tables() -> dict[str, backups.Table]:
    """label -> model of the tables in the fixture, ordered by label."""
    return {label: model for label, model in backups.tables().items() if label not in LEFT_OUT}


def manifest(path: Path = FILE) -> backups.Manifest:
    """What the fixture says about itself. Raises Refused where it is missing or damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            stored: backups.Manifest = json.loads(archive.read("manifest.json"))
    except (OSError, KeyError, ValueError, *restoration.BROKEN) as fault:
        raise Refused(f"{path} is missing or damaged: {fault}. {REMAKE}") from fault
    if stored.get("format") != FORMAT:
        raise Refused(f"{path} is no fixture of the demo. {REMAKE}")
    return stored


def refuse_unless_loadable(path: Path = FILE) -> None:
    """Raises Refused with the reason where the fixture cannot be loaded here and now."""
    fixture_migrations, ours = set(manifest(path)["migrations"]), set(backups.applied_migrations())
    if fixture_migrations != ours:
        raise Refused(
            f"{path} was made with other migrations than this database has: "
            f"{', '.join(sorted(fixture_migrations ^ ours))}. {REMAKE}"
        )
    if used := sorted(set(restoration.in_use()) - LEFT_OUT):
        raise Refused(f"The fixture of the demo needs an empty installation; rows are in {', '.join(used[:5])}.")


def load(path: Path = FILE) -> demo.DemoSeed:
    """Fill this empty, migrated installation with the whole demo, all or nothing. Returns the password of all accounts.

    Raises Refused, without having changed anything, where the fixture does not fit.
    """
    refuse_unless_loadable(path)
    password = demo.kept_password()
    with zipfile.ZipFile(path) as archive:
        contents = manifest(path)
        arrival = Arrival(_moment(contents, "begun_at"), _moment(contents, "ended_at"), timezone.now(), password)
        with restoration.unpacked(archive, contents) as files, transaction.atomic():
            restoration.fill(archive, tables(), arrival.adapted)
            restoration.put_in_place(files)
    return demo.DemoSeed(password, made=True)


def _moment(contents: backups.Manifest, name: str) -> datetime:
    return datetime.fromisoformat(contents[name])


@dataclass(frozen=True)
class Arrival:
    """How rows change on their way into the installation.

    begun_at, ended_at: when the fixture was seeded. now: when it is loaded. password: of all accounts.
    """

    begun_at: datetime
    ended_at: datetime
    now: datetime
    password: str

    def adapted(self, row: models.Model) -> models.Model:
        for field in row._meta.concrete_fields:
            value = getattr(row, field.attname)
            if isinstance(field, models.DateTimeField) and value is not None:
                setattr(row, field.attname, self.moved(value))
        if isinstance(row, User):
            row.password = self._hashed
        return row

    def moved(self, value: datetime) -> datetime:
        """What was dated back moves by whole days and keeps its time of the day; the rest by what has passed."""
        if value >= self.begun_at:
            return value + (self.now - self.ended_at)
        local = value.astimezone(UTC).replace(tzinfo=None) + self._days
        return timezone.make_aware(local)

    @cached_property
    def _days(self) -> timedelta:
        return timezone.localtime(self.now).date() - self.begun_at.astimezone(UTC).date()

    @cached_property
    def _hashed(self) -> Any:
        """One for all accounts: they have the same password, and a hash takes a third of a second."""
        return make_password(self.password)
