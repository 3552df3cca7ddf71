"""Metadata by a column with any name, the same on both databases.

Django writes a name as a step of a JSON path: there, one of digits is a place in a list, and SQLite knows no quotation
mark inside a name.
"""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.fields.json import HasKey, KeyTextTransform, KeyTransform
from django.db.models.sql.compiler import SQLCompiler

Sql = tuple[str, tuple[Any, ...]]


class ColumnValue(KeyTransform):
    """ColumnValue("model", "metadata"): the value as JSON, to be compared; null where the item lacks the column.

    SQLite has truth values as numbers, and whole numbers above 64 bits as floats: those are the texts that are stored.
    It does not tell a text from JSON, so counts read ColumnText.
    """

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        metadata, params = compiler.compile(self.lhs)
        return f"({metadata} {self.postgres_operator} %s::text)", (*params, self.key_name)

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **extra_context: Any) -> Sql:
        metadata, params = compiler.compile(self.lhs)
        stored = f"COALESCE({metadata} -> fullkey, PRINTF('%%.0f', value))"  # no path has a quotation mark in a name
        value = (
            "CASE WHEN type IN ('true', 'false') THEN type "
            f"WHEN type = 'integer' AND TYPEOF(value) = 'real' THEN {stored} ELSE value END"
        )
        sql = f"(SELECT {value} FROM JSON_EACH({metadata}) WHERE key = %s)"  # noqa: S608
        return sql, (*params, *params, self.key_name)


class ColumnText(ColumnValue, KeyTextTransform):
    """The same as text; also null where the value is null. `text_of` reads it."""


def text_of(value: Any) -> str:
    """A value of ColumnText as the list is filtered by it; "" for none, a list or an object, which it cannot be."""
    text = "" if value is None else str(value)
    return "" if text[:1] in ("[", "{") else text


class HasColumn(HasKey):
    """HasColumn(F("metadata"), "model"): whether the item has the column."""

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        metadata, params = self.process_lhs(compiler, connection)
        return f"EXISTS (SELECT 1 FROM JSON_EACH({metadata}) WHERE key = %s)", (*params, self.rhs)  # noqa: S608
