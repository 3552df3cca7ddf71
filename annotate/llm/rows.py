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
TOGETHER = 90  # rows in one statement: older SQLite takes 999 values
INSERT = f"INSERT INTO {TABLE} ({', '.join([*OPENED, *UNANSWERED])}) VALUES "  # noqa: S608 - names of our own
ROW = f"({', '.join(['%s'] * len(OPENED) + list(UNANSWERED.values()))})"
# Both databases call the columns of VALUES so; what was completed before is left as it is.
SET = ", ".join(f"{name} = given.column{number}" for number, name in enumerate(COMPLETED, start=2))
UPDATE = f"UPDATE {TABLE} SET {SET} FROM (VALUES "  # noqa: S608
OPEN_ONES = f") AS given WHERE {TABLE}.id = given.column1 AND {TABLE}.cause IS NULL RETURNING id"
GIVEN = f"({', '.join(['%s'] * (1 + len(COMPLETED)))})"
FIELDS: dict[str, Any] = {name: Call._meta.get_field(name.removesuffix("_id")) for name in [*OPENED, *COMPLETED]}

AS_IT_IS = str, int, type(None)  # most values; the field's own way takes three times as long as the statement


def insert(calls: Sequence[Call]) -> None:
    """Write new rows; each call has its id then."""
    for together in _in_parts(calls):
        sql = INSERT + ", ".join([ROW] * len(together)) + " RETURNING job_id, step, attempt, id"
        values = [value for call in together for value in _values(call, OPENED)]
        keys = {(job, step, attempt): key for job, step, attempt, key in _rows(sql, values)}
        for call in together:
            call.pk = keys[call.job_id, call.step, call.attempt]


def complete(calls: Sequence[Call]) -> set[int]:
    """Write what came back, and nothing else of a row; the ids of those that were still open."""
    changed: set[int] = set()
    for together in _in_parts(calls):
        sql = UPDATE + ", ".join([GIVEN] * len(together)) + OPEN_ONES
        values = [value for call in together for value in (call.pk, *_values(call, COMPLETED))]
        changed.update(key for (key,) in _rows(sql, values))
    return changed


def _in_parts(calls: Sequence[Call]) -> Iterator[list[Call]]:
    left = iter(calls)
    while together := list(islice(left, TOGETHER)):
        yield together


def _rows(sql: str, values: list[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def _values(call: Call, names: list[str]) -> Iterator[Any]:
    """As the database takes them."""
    for name in names:
        value = getattr(call, name)
        yield value if type(value) in AS_IT_IS else FIELDS[name].get_db_prep_save(value, connection)
