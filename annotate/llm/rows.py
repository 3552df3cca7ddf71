"""The two statements that every request needs, in plain SQL; see annotate/rows.py. The columns are those of Call."""

from collections.abc import Sequence

from annotate.models import Call
from annotate.rows import fetched, fields_of, given, in_parts

TABLE = Call._meta.db_table
OPENED = ["job_id", "step", "attempt", "digest", "request", "sent_at", "reserved"]
# What a call that is not answered has in the columns that are never null.
UNANSWERED = {"detail": "''", "reasoning": "''", "reply": "''", "finish_reason": "''", "model": "''"} | dict.fromkeys(
    ("tokens_in", "tokens_out", "cost"), "0"
)
COMPLETED = [
    *("cause", "detail", "reply", "reasoning", "sent", "adapted", "finish_reason", "model"),
    *("tokens_in", "tokens_out", "cost", "reserved", "milliseconds"),
]
INSERT = f"INSERT INTO {TABLE} ({', '.join([*OPENED, *UNANSWERED])}) SELECT *, {', '.join(UNANSWERED.values())} FROM "  # noqa: S608 - names of our own
# What was completed before is left as it is.
SET = ", ".join(f"{name} = given.column{number}" for number, name in enumerate(COMPLETED, start=2))
OPEN_ONES = f" WHERE {TABLE}.id = given.column1 AND {TABLE}.cause IS NULL RETURNING id"
NEW, KNOWN = fields_of(Call, OPENED), fields_of(Call, ["id", *COMPLETED])


def insert(calls: Sequence[Call]) -> None:
    """Write new rows; each call has its id then."""
    for batch in in_parts(calls, len(OPENED)):
        source, values = given(NEW, [[getattr(call, name) for name in OPENED] for call in batch])
        rows = fetched(f"{INSERT}{source} RETURNING job_id, step, attempt, id", values)
        keys = {(job, step, attempt): key for job, step, attempt, key in rows}
        for call in batch:
            call.pk = keys[call.job_id, call.step, call.attempt]


def complete(calls: Sequence[Call]) -> set[int]:
    """Write what came back, and nothing else of a row; the ids of those that were still open."""
    changed: set[int] = set()
    for batch in in_parts(calls, len(KNOWN)):
        source, values = given(KNOWN, [[call.pk, *(getattr(call, name) for name in COMPLETED)] for call in batch])
        sql = f"UPDATE {TABLE} SET {SET} FROM {source}{OPEN_ONES}"  # noqa: S608 - names of our own
        changed.update(key for (key,) in fetched(sql, values))
    return changed
