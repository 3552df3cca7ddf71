"""The two statements that every request needs, in plain SQL: written by the ORM they took half of the engine's time.

Both run on SQLite and on PostgreSQL; the columns are those of annotate.models.Call.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from django.db import connection

from annotate.models import Call

TABLE = Call._meta.db_table
OPENED = ["job_id", "step", "attempt", "digest", "request", "sent_at"]
# What a call that is not answered has in the columns that are never null.
UNANSWERED = {"detail": "''", "reply": "''", "finish_reason": "''", "model": "''"} | dict.fromkeys(
    ("tokens_in", "tokens_out", "cost"), "0"
)
COMPLETED = ["cause", "detail", "reply", "finish_reason", "model", "tokens_in", "tokens_out", "cost", "milliseconds"]
TOGETHER = 100  # rows in one statement: older SQLite takes 999 values
INSERT = f"INSERT INTO {TABLE} ({', '.join([*OPENED, *UNANSWERED])}) VALUES "  # noqa: S608 - names of our own
ROW = f"({', '.join(['%s'] * len(OPENED) + list(UNANSWERED.values()))})"
UPDATE = f"UPDATE {TABLE} SET {', '.join(f'{name} = %s' for name in COMPLETED)} WHERE id = %s"  # noqa: S608
FIELDS: dict[str, Any] = {name: Call._meta.get_field(name.removesuffix("_id")) for name in [*OPENED, *COMPLETED]}


def insert(calls: Sequence[Call]) -> None:
    """Write new rows; each call has its id then."""
    left = iter(calls)
    while together := list(islice(left, TOGETHER)):
        values = [value for call in together for value in _values(call, OPENED)]
        with connection.cursor() as cursor:
            sql = INSERT + ", ".join([ROW] * len(together)) + " RETURNING job_id, step, attempt, id"
            cursor.execute(sql, values)
            keys = {(job, step, attempt): key for job, step, attempt, key in cursor.fetchall()}
        for call in together:
            call.pk = keys[call.job_id, call.step, call.attempt]


def complete(calls: Sequence[Call]) -> None:
    """Write what came back; nothing else of a row is touched."""
    with connection.cursor() as cursor:
        cursor.executemany(UPDATE, [[*_values(call, COMPLETED), call.pk] for call in calls])


def _values(call: Call, names: list[str]) -> Iterator[Any]:
    """As the database takes them."""
    return (FIELDS[name].get_db_prep_save(getattr(call, name), connection) for name in names)
