"""What the installation talks to: database, broker, worker, mail."""

import psycopg
from django.conf import settings
from django.core.mail import get_connection
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from kombu.connection import Connection
from kombu.exceptions import KombuError

from annotate.services import liveness
from annotate.services.doctor.findings import Finding, missing, note, ok

SECONDS = 3
DATABASE_REMEDY = "Start the database server, or correct DATABASE_URL."


def database() -> Finding:
    fault = _why_unreachable()
    if fault:
        return missing("database", f"{connection.vendor}: {fault}", DATABASE_REMEDY)
    return ok("database", connection.vendor)


def _why_unreachable() -> str:
    """Asked without the pool, which would wait long and not tell the cause."""
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


def migrations() -> Finding:
    if _why_unreachable():
        return missing("migrations", "the database cannot be asked", DATABASE_REMEDY)
    executor = MigrationExecutor(connection)
    open_steps = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if open_steps:
        return missing("migrations", f"{len(open_steps)} not applied", "Run `manage.py migrate`.")
    return ok("migrations", "all applied")


def write_ahead_log() -> Finding:
    """Without it readers and writers of SQLite wait for each other."""
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


def broker() -> Finding:
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


def worker() -> Finding:
    """A worker that was here and went silent is missing; one that never ran is only told of."""
    silent = liveness.seconds_since_beat()
    remedy = "Start it: `make run`, or the units in docs/deploy/. Until then imports and releases in the browser wait."
    if silent is None:
        return note("worker", "has not run here yet", remedy)
    if silent > liveness.SILENT_AFTER:
        return missing("worker", f"silent for {silent / 60:.0f} min", remedy)
    return ok("worker", f"last seen {silent:.0f} s ago")


def mail() -> Finding:
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
