"""Many rows written in plain SQL, for tables where the ORM would take longer than the database.

Writing rows with the ORM took half of the engine's time. Everything here runs on SQLite and on PostgreSQL.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from sqlite3 import SQLITE_LIMIT_VARIABLE_NUMBER
from typing import Any, TypeVar

from django.core.management.color import no_style
from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.models import Field, Model

MOST_VALUES = 990  # bound values in one statement: older SQLite versions take 999
# Most values; the field's own conversion takes three times as long.
AS_IT_IS = frozenset({str, int, float, bool, type(None)})
LONGEST_STATEMENT = 32_000  # bound values in an insert into SQLite, where the library takes so many
Fields = Sequence["Field[Any, Any]"]
Row = TypeVar("Row")


def insert(model: type[Model], rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert rows and return their ids, in the order of the rows.

    rows: column -> value, all with the same columns, including every column that has no default in the database; a
    foreign key by its id. Only the database checks the values.
    """
    if not rows:
        return []
    fields = fields_of(model, list(rows[0]))
    columns = ", ".join(f'"{field.column}"' for field in fields)
    into = f'INSERT INTO "{model._meta.db_table}" ({columns}) SELECT * FROM '  # noqa: S608 - names of our own
    keys: list[int] = []
    for batch in in_parts(rows, len(fields)):
        source, values = values_table(fields, [list(row.values()) for row in batch])
        keys.extend(key for (key,) in fetched(f"{into}{source} RETURNING id", values))
    return keys


def fields_of(model: type[Model], names: Sequence[str]) -> list["Field[Any, Any]"]:
    """The fields of columns such as `job_id`."""
    return [model._meta.get_field(name.removesuffix("_id")) for name in names]  # type: ignore[misc]


def in_parts(rows: Sequence[Row], columns: int, *, most: int = MOST_VALUES) -> Iterator[list[Row]]:
    """The rows in parts, each as large as one statement may hold."""
    row_iterator = iter(rows)
    while batch := list(islice(row_iterator, most // columns)):
        yield batch


def values_table(fields: Fields, rows: Sequence[Sequence[Any]]) -> tuple[str, list[Any]]:
    """Rows as a table `given` for a statement, with columns `column1`, `column2`, …; and the values to bind.

    On PostgreSQL each column is one array, as text: its client takes longer to parse a statement with a thousand
    placeholders than the server takes to write the rows.
    """
    columns = [_stored(field, column) for field, column in zip(fields, zip(*rows, strict=True), strict=True)]
    if connection.vendor == "postgresql":
        names = ", ".join(f"column{number}" for number in range(1, len(fields) + 1))
        arrays = ", ".join(f"%s::{_type(field)}[]" for field in fields)
        return f"unnest({arrays}) AS given({names})", list(map(_array, columns))
    row = f"({', '.join(['%s'] * len(fields))})"
    values = [value for stored_row in zip(*columns, strict=True) for value in stored_row]
    return f"(VALUES {', '.join([row] * len(rows))}) AS given", values


def _array(column: Iterable[Any]) -> str:
    """The values as PostgreSQL reads an array; its client searches each text for what to escape, ten times as long."""
    from psycopg.types.json import Jsonb  # here: a process that works on SQLite does not load it

    texts = ((value.dumps or json.dumps)(value.obj) if isinstance(value, Jsonb) else value for value in column)
    return f"{{{','.join(map(_element, texts))}}}"


def _element(value: Any) -> str:
    if value is None:
        return "NULL"
    escaped = str(value).replace("\\", r"\\").replace('"', r"\"")
    return f'"{escaped}"'


def fetched(sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def _stored(field: "Field[Any, Any]", column: Sequence[Any]) -> list[Any]:
    """The values as the database takes them; one that stands in many rows is converted once."""
    database, converted = connections[DEFAULT_DB_ALIAS], dict[int, Any]()
    for value in column:
        if type(value) not in AS_IT_IS and id(value) not in converted:
            converted[id(value)] = field.get_db_prep_save(value, database)
    return [value if type(value) in AS_IT_IS else converted[id(value)] for value in column]


@cache
def _type(field: "Field[Any, Any]") -> str:
    """The column's type without its length: a cast would silently cut off what the column refuses."""
    return (field.db_type(connection) or "text").partition("(")[0]


# Bulk inserts into one table: several times as fast as making model instances for `bulk_create`.


def refresh_statistics(table_models: Iterable[type[models.Model]]) -> None:
    """Make PostgreSQL update its table statistics at once.

    Autovacuum would do it a minute later; until then the planner scans whole tables where a few rows are wanted.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "ANALYZE " + ", ".join(connection.ops.quote_name(model._meta.db_table) for model in table_models)
            )


def continue_ids(table_models: Sequence[type[models.Model]]) -> None:
    """Make the database count on from the highest ids of these tables, after rows that gave their own."""
    with connection.cursor() as cursor:
        for sql in connection.ops.sequence_reset_sql(no_style(), table_models):
            cursor.execute(sql)


class BulkInsert:
    """Inserts rows of a model that differ in a few columns and are alike in the rest.

    varying: the columns (attribute names) that each row gives, in their order; alike: fixed values of other columns. A
    column named in neither gets the field's default. Varying values are text, numbers, flags or JSON: nothing else is
    converted. Rows that give their own ids need `continue_ids` afterwards.
    """

    def __init__(self, model: type[models.Model], varying: Sequence[str], /, **alike: Any) -> None:
        fields = {field.attname: field for field in model._meta.concrete_fields}
        fixed = [name for name, field in fields.items() if name not in varying and not field.primary_key]
        fixed_values = {name: alike[name] if name in alike else fields[name].get_default() for name in fixed}
        self._fixed = tuple(
            _json_text(value)
            if isinstance(fields[name], models.JSONField) and value is not None
            else fields[name].get_db_prep_save(value, connection)
            for name, value in fixed_values.items()
        )
        self._json = [index for index, name in enumerate(varying) if isinstance(fields[name], models.JSONField)]
        quote = connection.ops.quote_name
        columns = [quote(str(fields[name].column)) for name in [*fixed, *varying]]
        self._table, self._varying = f"{quote(model._meta.db_table)} ({', '.join(columns)})", len(varying)

    def insert(self, rows: Iterable[Sequence[Any]]) -> None:
        prepared = self._with_json_as_text(rows)
        if connection.vendor != "postgresql":
            self._insert(prepared)
        elif prepared:
            self._copy(prepared)

    def _insert(self, prepared: Sequence[Sequence[Any]]) -> None:
        with connection.cursor() as cursor:
            most = connection.connection.getlimit(SQLITE_LIMIT_VARIABLE_NUMBER)
            for batch in in_parts(prepared, self._varying, most=min(most, LONGEST_STATEMENT) - len(self._fixed)):
                cursor.execute(self._statement(len(batch)), [*self._fixed, *chain.from_iterable(batch)])

    def _statement(self, rows: int) -> str:
        """For many rows: SQLite saves each page that a statement changes, which takes longer than the rows."""
        row = f"({', '.join(['%s'] * self._varying)})"
        fixed = "%s, " * len(self._fixed)
        return f"INSERT INTO {self._table} SELECT {fixed}given.* FROM (VALUES {', '.join([row] * rows)}) AS given"  # noqa: S608

    def _copy(self, prepared: Sequence[Sequence[Any]]) -> None:
        with connection.cursor() as cursor, cursor.copy(f"COPY {self._table} FROM STDIN") as copy:
            for row in prepared:
                copy.write_row((*self._fixed, *row))

    def _with_json_as_text(self, rows: Iterable[Sequence[Any]]) -> Sequence[Sequence[Any]]:
        if not self._json:
            return list(rows)
        prepared = [list(row) for row in rows]
        for index in self._json:
            for row in prepared:
                row[index] = _json_text(row[index])
        return prepared


_encoded = json.JSONEncoder(check_circular=False).encode


def _json_text(value: Any) -> str:
    """As Django stores it; most lists of doubts are empty, and encoding one takes longer than writing it."""
    return "[]" if value == [] else _encoded(value)
