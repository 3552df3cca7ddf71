"""Diagnosis of the installation: what it needs, whether that is present, and how to get what is missing.

The worker's heartbeat is a file in the data folder that it touches at every beat of the clock.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import time
from typing import Any, Literal

import psycopg
from django.conf import settings
from django.core.mail import get_connection
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from kombu.connection import Connection
from kombu.exceptions import KombuError

from annotate.errors import Refused
from annotate.media.storage import media_faults
from annotate.models import Endpoint, SearchPending
from annotate.upkeep.restoration import rehearse

SILENT_AFTER = 60.0  # seconds; the clock beats every five


def beat() -> None:
    _file().touch()


def seconds_since_beat() -> float | None:
    """None where no worker has ever run with this data folder.

    A beat in the future counts as equally long ago: the clock was set back since, and no worker has beaten after that.
    """
    try:
        return abs(time() - _file().stat().st_mtime)
    except FileNotFoundError:
        return None


def _file() -> Path:
    return Path(settings.DATA_DIR) / "worker-alive"


# The result of one check.


State = Literal["ok", "note", "missing"]


@dataclass(frozen=True)
class Diagnosis:
    """state: ok, note (works without it), missing (needed). remedy is empty if nothing is wrong."""

    name: str
    state: State
    found: str
    remedy: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def ok(name: str, detail: str) -> Diagnosis:
    return Diagnosis(name, "ok", detail)


def note(name: str, detail: str, remedy: str) -> Diagnosis:
    return Diagnosis(name, "note", detail, remedy)


def missing(name: str, detail: str, remedy: str) -> Diagnosis:
    return Diagnosis(name, "missing", detail, remedy)


# This machine and this folder: Python, disk space, keys, files made by the set-up.


OLDEST_PYTHON = (3, 11)
LEAST_MB, COMFORTABLE_MB = 100, 1000
SHORT_KEY = 40


def python() -> Diagnosis:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < OLDEST_PYTHON:
        return missing("python", version, "Install Python 3.11 or newer, remove .venv, then run `make setup`.")
    return ok("python", version)


def data_folder() -> Diagnosis:
    folder = Path(settings.DATA_DIR)
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x" * 4096)
    except OSError as fault:
        remedy = "Give this account the right to write there, make room, or name another folder in DATA_DIR."
        return missing("data folder", f"{folder}: {fault.strerror}", remedy)
    return ok("data folder", str(folder))


def free_space() -> Diagnosis:
    free = shutil.disk_usage(settings.DATA_DIR).free // 1_000_000
    detail = f"{free:,} MB free in {settings.DATA_DIR}"
    if free < LEAST_MB:
        return missing("free space", detail, "Remove files, or move DATA_DIR to a larger disk.")
    if free < COMFORTABLE_MB:
        return note("free space", detail, "Enough to work; large imports and releases will need more.")
    return ok("free space", detail)


def secret_key() -> Diagnosis:
    """Whether the key is a good one; without any key the settings refuse to load."""
    if settings.DEBUG:
        return note("secret key", "DEBUG is on", "For people other than you: set SECRET_KEY and leave DEBUG out.")
    if len(settings.SECRET_KEY) < SHORT_KEY or len(set(settings.SECRET_KEY)) < 10:
        remedy = "Set SECRET_KEY to a long random text: python -c 'import secrets; print(secrets.token_urlsafe(50))'"
        return missing("secret key", "too short or too plain", remedy)
    return ok("secret key", "set")


def addresses() -> Diagnosis:
    hosts = ", ".join(settings.ALLOWED_HOSTS) or "none"
    if not settings.ALLOWED_HOSTS and not settings.DEBUG:
        return missing("addresses", hosts, "Name the hosts under which people reach this in ALLOWED_HOSTS.")
    if "*" in settings.ALLOWED_HOSTS:
        return note("addresses", hosts, "Name the hosts in ALLOWED_HOSTS; * lets links in mails be forged.")
    return ok("addresses", hosts)


def static_files() -> Diagnosis:
    if settings.DEBUG or (Path(settings.STATIC_ROOT) / "staticfiles.json").exists():
        return ok("static files", "collected" if not settings.DEBUG else "served from their sources")
    return missing("static files", "not collected", "Run `manage.py collectstatic --noinput`.")


def translations() -> Diagnosis:
    sources = [source for folder in settings.LOCALE_PATHS for source in Path(folder).glob("*/LC_MESSAGES/*.po")]
    stale = [source.parent.parent.name for source in sources if _is_stale(source)]
    if stale:
        return missing("translations", f"not compiled: {', '.join(stale)}", "Run `make setup`.")
    return ok("translations", ", ".join(source.parent.parent.name for source in sources) or "English only")


def _is_stale(source: Path) -> bool:
    compiled = source.with_suffix(".mo")
    return not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime


# Models: only the simulated one is called, because calls to any other cost money.


NAME = "simulated model"
MODEL_REMEDY = (
    "`make run` starts it. By hand: `manage.py simulated_model`, with the port of the address in --port. "
    "Where nobody needs it, retire the endpoint."
)


def simulated_model() -> Diagnosis:
    """Whether it answers, where an endpoint leads to it."""
    from annotate.engine import endpoint_probe

    try:
        endpoint = Endpoint.objects.filter(simulated=True, retired_at=None).order_by("pk").first()
    except DatabaseError:
        return note(NAME, "the database cannot be asked", "See “database” and “migrations”.")
    if endpoint is None:
        return ok(NAME, "no endpoint leads to it")
    endpoint.deadline = min(endpoint.deadline, 5)
    probe = endpoint_probe.probe(endpoint)
    if probe.ok:
        return ok(NAME, f"answers at {endpoint.base_url}")
    return note(NAME, f"{endpoint.base_url}: {probe.detail}", MODEL_REMEDY)


# Programs that only the tests start, or that only translators need.


PROGRAM_REMEDY = "Only for `make test`: as root on Debian it installs this, or run `apt-get install {package}`."


def chromium() -> Diagnosis:
    return _program("chromium", "/usr/bin/chromium", "chromium")


def chinese_fonts() -> Diagnosis:
    return _program("Chinese fonts", "/usr/share/fonts/opentype/noto/NotoSansCJK*", "fonts-noto-cjk")


def postgresql() -> Diagnosis:
    return _program("PostgreSQL server", "/usr/lib/postgresql/*/bin/initdb", "postgresql")


def redis() -> Diagnosis:
    return _program("Redis server", "/usr/bin/redis-server", "redis-server")


def gettext() -> Diagnosis:
    return _program("gettext", "/usr/bin/xgettext", "gettext")


def _program(name: str, pattern: str, package: str) -> Diagnosis:
    paths = sorted(Path("/").glob(pattern.lstrip("/")))
    return ok(name, str(paths[-1])) if paths else note(name, "not installed", PROGRAM_REMEDY.format(package=package))


# Services that the installation uses: database, broker, worker, mail.


SECONDS = 3
DATABASE_REMEDY = "Start the database server, or correct DATABASE_URL."


def database() -> Diagnosis:
    fault = _why_unreachable()
    if fault:
        return missing("database", f"{connection.vendor}: {fault}", DATABASE_REMEDY)
    return ok("database", connection.vendor)


def _why_unreachable() -> str:
    """The cause, found without the connection pool, which would wait long and hide it."""
    try:
        if connection.vendor == "postgresql":
            names = {"HOST": "host", "PORT": "port", "NAME": "dbname", "USER": "user", "PASSWORD": "password"}
            connection_args = {
                names[key]: value for key, value in connection.settings_dict.items() if key in names and value
            }
            psycopg.connect(**connection_args, connect_timeout=SECONDS).close()
        else:
            connection.ensure_connection()
    except (DatabaseError, psycopg.Error) as fault:
        return _first_line(fault)
    return ""


def migrations() -> Diagnosis:
    if _why_unreachable():
        return missing("migrations", "the database cannot be asked", DATABASE_REMEDY)
    executor = MigrationExecutor(connection)
    open_steps = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if open_steps:
        return missing("migrations", f"{len(open_steps)} not applied", "Run `manage.py migrate`.")
    return ok("migrations", "all applied")


def write_ahead_log() -> Diagnosis:
    """Whether SQLite uses the write-ahead log; without it readers and writers wait for each other."""
    if connection.vendor != "sqlite":
        return ok("write-ahead log", f"kept by {connection.vendor}")
    if _why_unreachable():
        return missing("write-ahead log", "the database cannot be asked", DATABASE_REMEDY)
    with connection.cursor() as cursor:
        mode = cursor.execute("PRAGMA journal_mode").fetchone()[0]
    if mode not in ("wal", "memory"):
        remedy = (
            "Put DATA_DIR on a local disk: network folders cannot hold SQLite's write-ahead log. Or use PostgreSQL."
        )
        return missing("write-ahead log", f"journal mode is {mode}", remedy)
    return ok("write-ahead log", mode)


def broker() -> Diagnosis:
    url = settings.CELERY_BROKER_URL
    if url.startswith("filesystem"):
        return ok("broker", "files in the data folder")
    options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    with Connection(url, connect_timeout=SECONDS, transport_options=options) as bell:
        public_url = bell.as_uri()  # without its password
        try:
            bell.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=SECONDS)
        except (KombuError, OSError, *bell.connection_errors) as fault:
            remedy = "Start the broker, correct CELERY_BROKER_URL, or leave it out to use files in the data folder."
            return missing("broker", f"{public_url}: {_first_line(fault)}", remedy)
    return ok("broker", public_url)


def worker() -> Diagnosis:
    """A worker that ran and went silent is missing; one that never ran is only a note."""
    silent = seconds_since_beat()
    remedy = "Start it: `make run`, or the units in docs/deploy/. Until then imports and releases in the browser wait."
    if silent is None:
        return note("worker", "has not run here yet", remedy)
    if silent > SILENT_AFTER:
        return missing("worker", f"silent for {silent / 60:.0f} min", remedy)
    return ok("worker", f"last seen {silent:.0f} s ago")


def search() -> Diagnosis:
    """How many items wait for the search index; a few are usual while an import runs."""
    try:
        waiting = SearchPending.objects.count()
    except DatabaseError:
        return note("search", "the database cannot be asked", "See “database” and “migrations”.")
    if waiting:
        return note(
            "search", f"{waiting:,} items are not searchable yet", "A worker indexes them, or `manage.py index_items`."
        )
    return ok("search", "all items are searchable")


def stored_media() -> Diagnosis:
    """Whether the bytes of all files that rows name are there, and nothing else."""
    try:
        lacking, stray, n = media_faults()
    except DatabaseError:
        return note("files of rows", "the database cannot be asked", "See “database” and “migrations”.")
    if lacking:
        remedy = "Restore a backup, or remove the rows of these files and add them again."
        return missing("files of rows", f"{len(lacking)} of {n} are gone, such as {lacking[0]}", remedy)
    if stray:
        return note("files of rows", f"{stray[0]} belongs to no file", "It was left by an interruption; remove it.")
    return ok("files of rows", f"{n} stored" if n else "none")


def mail() -> Diagnosis:
    if not settings.MAIL_CONFIGURED:
        remedy = (
            "Set EMAIL_URL to send mail. "
            "Without it an administrator makes reset links with `manage.py reset_link USERNAME`."
        )
        return note("mail", "not configured", remedy)
    try:
        with get_connection(settings.MAIL_DELIVERY_BACKEND, timeout=SECONDS):
            return ok("mail", settings.MAIL_DELIVERY_BACKEND.rsplit(".", 2)[-2])
    except (OSError, TypeError) as fault:
        return missing("mail", _first_line(fault), "Correct EMAIL_URL, or leave it out.")


def _first_line(fault: BaseException) -> str:
    return (str(fault).strip().splitlines() or [type(fault).__name__])[0]


# Backups: only where somebody names their folder, because restoring one takes a while.


OLD_DAYS = 7


def restored_backup(folder: Path) -> Diagnosis:
    """Whether the newest backup of the folder can be restored, and then is what was backed up."""
    try:
        rehearsal = rehearse(folder)
    except Refused as refused:
        return missing("newest backup", str(refused), "Make a new one: `manage.py backup FILE`.")
    detail = (
        f"{rehearsal.path.name} of {timezone.localtime(rehearsal.made_at):%Y-%m-%d %H:%M}: {rehearsal.rows} rows and "
        f"{rehearsal.files} files restored and the same, {rehearsal.checked} items and drafts valid"
    )
    if rehearsal.age_days >= OLD_DAYS:
        return note("newest backup", detail, f"It is {rehearsal.age_days} days old. Make one every day.")
    return ok("newest backup", detail)


# All checks together.


CHECKS: list[Callable[[], Diagnosis]] = [
    python,
    data_folder,
    free_space,
    secret_key,
    addresses,
    database,
    migrations,
    write_ahead_log,
    broker,
    worker,
    search,
    stored_media,
    static_files,
    translations,
    mail,
    simulated_model,
    chromium,
    chinese_fonts,
    postgresql,
    redis,
    gettext,
]


def examine() -> list[Diagnosis]:
    return [check() for check in CHECKS]


def is_well(findings: list[Diagnosis]) -> bool:
    """Whether nothing that is needed is missing; notes do not count."""
    return all(finding.state != "missing" for finding in findings)
