"""Django's own connection to PostgreSQL without a server: it compiles statements, and keeps what would be sent."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper


class Statements:
    """A cursor that keeps statements; copied: rows of COPY."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.copied: list[tuple[Any, ...]] = []

    def __enter__(self) -> "Statements":
        return self

    def __exit__(self, *_fault: object) -> None:
        pass

    def execute(self, sql: str, _values: Sequence[Any] | None = None) -> None:
        self.sent.append(sql)

    @contextmanager
    def copy(self, sql: str) -> Iterator["Statements"]:
        self.sent.append(sql)
        yield self

    def write_row(self, row: tuple[Any, ...]) -> None:
        self.copied.append(row)


def postgres_without_server() -> tuple[Any, Statements]:
    """(connection, what is sent to it)."""
    statements = Statements()
    connection: Any = DatabaseWrapper({**connections["default"].settings_dict, "NAME": "touchstone"}, "default")
    connection.cursor = lambda: statements
    return connection, statements
