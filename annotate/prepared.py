"""Prepared statements: querysets that are built and compiled once, and after that only filled with parameters.

Building and compiling a queryset takes the ORM a millisecond or more, ten times as long as the statement takes in the
database. The statements of the work loop run for every item that anybody submits; see docs/decisions/0042.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connection, models, transaction
from django.db.models import Count, QuerySet, Value
from django.db.models.query import ModelIterable, get_related_populators
from django.db.models.sql import Query, UpdateQuery

Row = TypeVar("Row")
PREPARED: "list[_Prepared]" = []  # all that there are, for the test that compares them with their querysets


LARGEST = 2**63 - 1  # of the numbers that a database knows


class _NoSuchNumber(Exception):
    """A number, as from an address, that no row can have."""


class Parameter(Value):
    """The place of a parameter in a queryset. column: the one that it is written to, if it is."""

    def __init__(self, name: str, column: "models.Field[Any, Any] | None" = None) -> None:
        super().__init__(name, output_field=column)
        self.column = column

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:  # type: ignore[override]
        return "%s", [self]

    def _resolve_output_field(self) -> None:
        return None

    def filled(self, values: dict[str, Any]) -> Any:
        """The value as the database takes it."""
        value = values[self.value]
        if self.column is not None:
            return self.column.get_db_prep_save(value, connection)
        if value is None:
            raise TypeError(f"Parameter {self.value}: None never equals anything in SQL; build another statement.")
        return _adapted(value)


def _adapted(value: Any) -> Any:
    if isinstance(value, int) and abs(value) > LARGEST:
        raise _NoSuchNumber
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    if isinstance(value, UUID):
        return models.UUIDField().get_db_prep_value(value, connection)
    return str(value) if isinstance(value, str) else value  # a member of TextChoices becomes a plain str


@dataclass(frozen=True)
class Statement:
    """SQL of one kind of database; parameters: constants as they are sent, and places of type Parameter."""

    sql: str
    parameters: Sequence[Any]
    read: Callable[[Iterable[Sequence[Any]]], list[Any]] = list

    def filled(self, values: dict[str, Any]) -> list[Any]:
        return [place.filled(values) if type(place) is Parameter else place for place in self.parameters]

    def rows(self, values: dict[str, Any]) -> list[Any]:
        """No rows where a number is larger than any that the database knows, as the ORM answers it."""
        try:
            parameters = self.filled(values)
        except _NoSuchNumber:
            return []
        with connection.cursor() as cursor:
            cursor.execute(self.sql, parameters)
            return self.read(cursor.fetchall())

    def change(self, values: dict[str, Any]) -> int:
        try:
            parameters = self.filled(values)
        except _NoSuchNumber:
            return 0
        with transaction.mark_for_rollback_on_error(DEFAULT_DB_ALIAS), connection.cursor() as cursor:
            cursor.execute(self.sql, parameters)
            return int(cursor.rowcount)


class _Prepared:
    """A statement per kind of database and use, compiled when it is first needed; threads share it."""

    def __init__(self, build: Callable[..., Any]) -> None:
        self.build = build
        self.__doc__, self.__name__ = build.__doc__, build.__name__
        self.names = list(inspect.signature(build).parameters)
        self._statements: dict[tuple[str, str], Statement] = {}
        PREPARED.append(self)

    def _statement(self, use: str, compiled: Callable[[Any], Statement]) -> Statement:
        key = use, connection.vendor
        if key not in self._statements:
            self._statements[key] = compiled(self.build(**{name: Parameter(name) for name in self.names}))
        return self._statements[key]


class Statements(_Prepared, Generic[Row]):
    """What can be asked of one queryset. The keywords are the parameters of the function that builds it."""

    def rows(self, **values: Any) -> list[Row]:
        """All rows, as the queryset gives them: model instances, tuples or single values."""
        return self._statement("rows", _compiled).rows(values)

    def first(self, **values: Any) -> Row | None:
        """The first row; None where there is none. The queryset is limited to one row already."""
        return next(iter(self.rows(**values)), None)

    def exists(self, **values: Any) -> bool:
        return bool(self._statement("exists", lambda queryset: _plain(queryset.query.exists())).rows(values))

    def count(self, **values: Any) -> int:
        """How many rows there are. The queryset must not be grouped, distinct or limited."""
        rows = self._statement("count", lambda queryset: _plain(_counting(queryset.query))).rows(values)
        return int(rows[0][0]) if rows else 0


class Change(_Prepared):
    """A conditional UPDATE. The function that builds it gives a queryset, and the new values by column."""

    def __call__(self, **values: Any) -> int:
        """How many rows were changed."""
        return self._statement("change", lambda built: _plain(_updating(*built))).change(values)


def prepared(build: "Callable[..., QuerySet[Any, Row]]") -> Statements[Row]:
    """Prepares the queryset of this function. It gets places for parameters, so it must not look at their values."""
    return Statements(build)


def prepared_change(build: Callable[..., tuple[QuerySet[Any, Any], dict[str, Any]]]) -> Change:
    """Prepares an UPDATE: the function gives the queryset and the changes, with parameters for whole values only."""
    return Change(build)


def _plain(query: Query) -> Statement:
    return Statement(*query.get_compiler(DEFAULT_DB_ALIAS).as_sql())


def _counting(query: Query) -> Query:
    counting = query.clone()
    counting.clear_ordering(force=True)
    counting.clear_select_clause()
    counting.selected = None
    counting.add_annotation(Count("*"), "__count")
    return counting


def _updating(queryset: QuerySet[Any, Any], changes: dict[str, Any]) -> Query:
    query: Any = queryset.query.chain(UpdateQuery)
    query.add_update_values({name: _written(queryset.model, name, value) for name, value in changes.items()})
    query.clear_select_clause()
    return query


def _written(model: type[models.Model], name: str, value: Any) -> Any:
    field: Any = model._meta.get_field(name)
    return Parameter(value.value, field) if isinstance(value, Parameter) else value


# From rows of the database to what the queryset gives.


def _compiled(queryset: QuerySet[Any, Any]) -> Statement:
    compiler = queryset.query.get_compiler(DEFAULT_DB_ALIAS)
    sql, parameters = compiler.as_sql()
    return Statement(sql, parameters, _reader(queryset, compiler))


def _reader(queryset: QuerySet[Any, Any], compiler: Any) -> Callable[[Iterable[Sequence[Any]]], list[Any]]:
    expressions = [column[0] for column in compiler.select[: compiler.col_count]]
    converters = [
        (position, convert, expression)
        for position, (functions, expression) in compiler.get_converters(expressions).items()
        for convert in functions
    ]
    return partial(_read, converters, _row_maker(queryset, compiler))


def _read(
    converters: Sequence[tuple[int, Callable[..., Any], Any]],
    make: Callable[[list[Any]], Any],
    rows: Iterable[Sequence[Any]],
) -> list[Any]:
    made = []
    for row in map(list, rows):
        for position, convert, expression in converters:
            row[position] = convert(row[position], expression, connection)
        made.append(make(row))
    return made


def _row_maker(queryset: QuerySet[Any, Any], compiler: Any) -> Callable[[list[Any]], Any]:
    if queryset._iterable_class is not ModelIterable:  # values_list, flat or not
        return (lambda row: row[0]) if len(compiler.select) == 1 else tuple
    info, select = compiler.klass_info, compiler.select
    start, end = info["select_fields"][0], info["select_fields"][-1] + 1
    columns = [column[0].target.attname for column in select[start:end]]
    populators = get_related_populators(info, select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg] # the stubs are newer
    annotations = (compiler.annotation_col_map or {}).items()

    def made(row: list[Any]) -> Any:
        instance = info["model"].from_db(DEFAULT_DB_ALIAS, columns, row[start:end])
        for populator in populators:
            populator.populate(row, instance)
        for name, position in annotations:
            setattr(instance, name, row[position])
        return instance

    return made
