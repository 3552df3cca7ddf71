"""Plans that a statement dictates to SQLite, which often has no statistics; PostgreSQL decides by itself."""

from typing import Any, TypeVar

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Func, QuerySet
from django.db.models.sql.compiler import SQLCompiler
from django.db.models.sql.datastructures import BaseTable

RowsT = TypeVar("RowsT", bound=QuerySet[Any])


class Unindexed(Func):
    """The same value, but SQLite begins with no index of this column: its unary plus hides the column."""

    template = "%(expressions)s"
    arity = 1

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **options: Any) -> Any:
        return self.as_sql(compiler, connection, template="+%(expressions)s", **options)


class _NotIndexed(BaseTable):
    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Any:
        sql, params = super().as_sql(compiler, connection)
        return f"{sql} NOT INDEXED", params


def by_primary_key(rows: RowsT) -> RowsT:
    """Have SQLite look these rows up by their ids, whatever else is asked of them. rows: not filtered yet."""
    chained: RowsT = rows.all()
    if connection.vendor == "sqlite":
        chained.query.base_table_class = _NotIndexed
    return chained
