"""Django's SQLite, with a patience of our own before a transaction that writes."""

import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError
from django.db.backends.sqlite3 import base

BETWEEN = 0.0005, 0.002  # seconds between looks at the lock, at least and at most


class DatabaseWrapper(base.DatabaseWrapper):
    """Whoever wants to write looks every millisecond or two whether it may, `timeout` seconds long.

    SQLite's own waiting looks ever more rarely, at the end ten times a second: beside two workers that write a few
    milliseconds at a time, a third waits for a third of a second with nobody ahead of it. Here all wait alike.
    """

    def _start_transaction_under_autocommit(self) -> None:
        until = time.monotonic() + self._patience
        with self._answered_at_once():
            while not self._begins(final=time.monotonic() >= until):
                time.sleep(random.uniform(*BETWEEN))  # noqa: S311 - two that look in step would meet for ever

    def _begins(self, *, final: bool) -> bool:
        """Whether the transaction has begun. final: who still may not is told so, as Django tells it."""
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]  # no stub knows it
        except OperationalError as fault:
            if final or getattr(fault.__cause__, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
                raise
            return False
        return True

    @property
    def _patience(self) -> float:
        """Seconds."""
        return float(self.settings_dict["OPTIONS"].get("timeout", 5))

    @contextmanager
    def _answered_at_once(self) -> Iterator[None]:
        """Within, a lock of somebody else is an error at once; elsewhere SQLite waits itself."""
        self.connection.execute("PRAGMA busy_timeout = 0")
        try:
            yield
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {self._patience * 1000:.0f}")
