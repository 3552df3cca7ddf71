"""The rows of the ledger: the statements that every request needs, in plain SQL (see annotate/bulk_rows.py).

To build and compile them each time took the ORM longer than they take in the database.
"""

from collections.abc import Collection, Sequence
from decimal import Decimal
from uuid import UUID

from django.db import connection

from annotate.bulk_rows import fetched, fields_of, in_parts, values_table
from annotate.models import Call, Job, Run

TABLE, JOBS, RUNS = Call._meta.db_table, Job._meta.db_table, Run._meta.db_table
OPENED = ["job_id", "step", "attempt", "digest", "request", "sent_at", "reserved"]
# Values of a call without an answer, for the columns that are never null.
UNANSWERED = {"detail": "''", "reasoning": "''", "reply": "''", "finish_reason": "''", "model": "''"} | dict.fromkeys(
    ("tokens_in", "tokens_out", "cost"), "0"
)
COMPLETED = [
    *("cause", "detail", "reply", "reasoning", "sent", "adapted", "finish_reason", "model"),
    *("tokens_in", "tokens_out", "cost", "reserved", "milliseconds"),
]
INSERT = f"INSERT INTO {TABLE} ({', '.join([*OPENED, *UNANSWERED])}) SELECT *, {', '.join(UNANSWERED.values())} FROM "  # noqa: S608 - names of our own
# Rows that are already complete are left as they are.
SET = ", ".join(f"{name} = given.column{number}" for number, name in enumerate(COMPLETED, start=2))
OPEN_ONES = f" WHERE {TABLE}.id = given.column1 AND {TABLE}.cause IS NULL RETURNING id"
NEW, KNOWN = fields_of(Call, OPENED), fields_of(Call, ["id", *COMPLETED])


def insert(calls: Sequence[Call]) -> None:
    """Insert new rows and set the id of each call."""
    for batch in in_parts(calls, len(OPENED)):
        source, values = values_table(NEW, [[getattr(call, name) for name in OPENED] for call in batch])
        rows = fetched(f"{INSERT}{source} RETURNING job_id, step, attempt, id", values)
        keys = {(job, step, attempt): key for job, step, attempt, key in rows}
        for call in batch:
            call.pk = keys[call.job_id, call.step, call.attempt]


def complete(calls: Sequence[Call]) -> set[int]:
    """Write the results, and no other column; returns the ids of the calls that were still open."""
    changed: set[int] = set()
    for batch in in_parts(calls, len(KNOWN)):
        source, values = values_table(
            KNOWN, [[call.pk, *(getattr(call, name) for name in COMPLETED)] for call in batch]
        )
        sql = f"UPDATE {TABLE} SET {SET} FROM {source}{OPEN_ONES}"  # noqa: S608 - names of our own
        changed.update(key for (key,) in fetched(sql, values))
    return changed


SUMS = "calls", "tokens_in", "tokens_out", "cost", "reserved"
ADD = f"UPDATE {RUNS} SET {', '.join(f'{name} = {name} + CAST(%s AS numeric)' for name in SUMS)} WHERE id = %s"  # noqa: S608 - names of our own
OWN = f"SELECT id FROM {JOBS} WHERE token = %s AND state = %s AND id IN (SELECT column1 FROM "  # noqa: S608 - the same
LOCKED = {"postgresql": " FOR NO KEY UPDATE"}
KEY, TOKEN = fields_of(Job, ["id"]), Job._meta.get_field("token")


def add(run: Run, *sums: Decimal | int) -> None:
    """Add to the sums of a run, in the order of SUMS."""
    with connection.cursor() as cursor:
        cursor.execute(ADD, [*map(str, sums), run.pk])


def owned(worker: UUID, jobs: Collection[int]) -> set[int]:
    """Which of these jobs are still the worker's, locked so that nobody takes them over before the commit."""
    owned_jobs: set[int] = set()
    for batch in in_parts(list(jobs), 1):
        source, keys = values_table(KEY, [[key] for key in batch])
        sql = f"{OWN}{source}) ORDER BY id{LOCKED.get(connection.vendor, '')}"
        token = TOKEN.get_db_prep_save(worker, connection)
        owned_jobs.update(key for (key,) in fetched(sql, [token, Job.State.LEASED.value, *keys]))
    return owned_jobs
