"""Many rows in plain SQL, where the ORM would take longer than the database: written by it, they took half of the
engine's time. Runs on SQLite and on PostgreSQL.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Field, Model

MOST_VALUES = 990  # in one statement: older SQLite takes 999
AS_IT_IS = str, int, float, bool, type(None)  # most values; a field's own way takes three times as long
Fields = Sequence["Field[Any, Any]"]
Row = TypeVar("Row")


def insert(model: type[Model], rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Their ids, in their order. rows: column -> value, all with the same columns, and with every column that has no
    default in the database; a foreign key by its id. Nothing is checked but by the database."""
    if not rows:
        return []
    fields = fields_of(model, list(rows[0]))
    columns = ", ".join(f'"{field.column}"' for field in fields)
    into = f'INSERT INTO "{model._meta.db_table}" ({columns}) SELECT * FROM '  # noqa: S608 - names of our own
    keys: list[int] = []
    for batch in in_parts(rows, len(fields)):
        source, values = given(fields, [list(row.values()) for row in batch])
        keys.extend(key for (key,) in fetched(f"{into}{source} RETURNING id", values))
    return keys


def fields_of(model: type[Model], names: Sequence[str]) -> list["Field[Any, Any]"]:
    """The fields of columns such as `job_id`."""
    return [model._meta.get_field(name.removesuffix("_id")) for name in names]  # type: ignore[misc]


def in_parts(rows: Sequence[Row], columns: int) -> Iterator[list[Row]]:
    """As many at once as one statement may hold."""
    row_iterator = iter(rows)
    while batch := list(islice(row_iterator, MOST_VALUES // columns)):
        yield batch


def given(fields: Fields, rows: Sequence[Sequence[Any]]) -> tuple[str, list[Any]]:
    """Rows as a table `given` of a statement, with columns `column1`, `column2`, …; and the statement's values.

    On PostgreSQL an array a column: its client reads through a statement with a thousand places for longer than the
    server needs to write the rows.
    """
    stored = [[_stored(field, value) for field, value in zip(fields, row, strict=True)] for row in rows]
    if connection.vendor == "postgresql":
        names = ", ".join(f"column{number}" for number in range(1, len(fields) + 1))
        arrays = ", ".join(f"%s::{_type(field)}[]" for field in fields)
        return f"unnest({arrays}) AS given({names})", [list(column) for column in zip(*stored, strict=True)]
    row = f"({', '.join(['%s'] * len(fields))})"
    values = [value for stored_row in stored for value in stored_row]
    return f"(VALUES {', '.join([row] * len(rows))}) AS given", values


def fetched(sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def _stored(field: "Field[Any, Any]", value: Any) -> Any:
    """As the database takes it."""
    return value if type(value) in AS_IT_IS else field.get_db_prep_save(value, connection)


def _type(field: "Field[Any, Any]") -> str:
    """Without its length: a cast would cut off what the column refuses."""
    return (field.db_type(connection) or "text").partition("(")[0]
