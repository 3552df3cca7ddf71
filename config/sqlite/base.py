"""Django's SQLite backend with its own lock polling, and with reuse of closed connections."""

import os
import random
import sqlite3
import threading
import time
from typing import Any, Self

from django.db.backends.sqlite3 import base

BETWEEN = 0.0005, 0.002  # seconds between polls of the lock, at least and at most
FIRST_IN_LINE = threading.Lock()  # one thread per process polls; the others wait for it without computing


IDLE: dict[str, list[sqlite3.Connection]] = {}  # file -> its idle connections
INHERITED: list[dict[str, list[sqlite3.Connection]]] = []


def _leave_to_parent() -> None:
    """After a fork: a connection belongs to the process that opened it; closing it here could remove others' log."""
    INHERITED.append(IDLE.copy())
    IDLE.clear()


os.register_at_fork(after_in_child=_leave_to_parent)


class Cursor(base.SQLiteCursorWrapper):
    """A statement that finds the database locked is retried every one or two milliseconds, for `timeout` seconds.

    SQLite's own busy handler backs off, at the end to ten polls a second. If two workers write for a few milliseconds
    at a time, a third one then sleeps for a third of a second with nobody ahead of it. Here all writers poll equally
    often, so SQLite's handler is switched off (`busy_timeout` in the settings).
    See docs/decisions/0017-waiting-to-write-on-sqlite.md.
    """

    patience = 0.0  # seconds

    def execute(self, query: str, params: Any = None) -> Self:
        try:
            super().execute(query, params)
        except sqlite3.OperationalError as fault:
            if not _is_locked(fault):
                raise
            self._ask_again(query, params, until=time.monotonic() + self.patience)
        return self

    def _ask_again(self, query: str, params: Any, until: float) -> None:
        is_first = FIRST_IN_LINE.acquire(timeout=max(0.0, until - time.monotonic()))
        try:
            while True:
                try:
                    super().execute(query, params)
                    return
                except sqlite3.OperationalError as fault:
                    if not _is_locked(fault) or time.monotonic() >= until:
                        raise
                time.sleep(random.uniform(*BETWEEN))  # noqa: S311 - jitter: in step, two would block each other
        finally:
            if is_first:
                FIRST_IN_LINE.release()


def _is_locked(fault: sqlite3.OperationalError) -> bool:
    """Whether a retry can help: a transaction with a stale snapshot does not get a new one by waiting."""
    code = fault.sqlite_errorcode
    return code & 0xFF == sqlite3.SQLITE_BUSY and code != sqlite3.SQLITE_BUSY_SNAPSHOT


class DatabaseWrapper(base.DatabaseWrapper):
    """Closed connections are kept for reuse in this process, because opening one costs as much as a small page.

    So a thread that waits for its client need not hold a connection with its cache, and many threads need not hold one
    each.
    """

    def get_new_connection(self, conn_params: dict[str, Any]) -> sqlite3.Connection:
        try:
            return IDLE[conn_params["database"]].pop()
        except (KeyError, IndexError):
            connection: sqlite3.Connection = super().get_new_connection(conn_params)
            return connection

    def _close(self) -> None:
        connection = self.connection
        if connection is None or self.is_in_memory_db() or self.errors_occurred or connection.in_transaction:
            super()._close()  # type: ignore[misc] # the stubs leave it out
            return
        IDLE.setdefault(self.get_connection_params()["database"], []).append(connection)

    def create_cursor(self, name: str | None = None) -> Cursor:
        cursor: Cursor = self.connection.cursor(factory=Cursor)
        cursor.patience = float(self.settings_dict["OPTIONS"]["timeout"])
        return cursor
