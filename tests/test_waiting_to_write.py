"""On SQLite whoever may not write yet looks again soon (config/sqlite)."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import OperationalError, connections

from config.sqlite import base

pytestmark = pytest.mark.django_db


@pytest.fixture
def somebody(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Who holds the lock."""
    other = sqlite3.connect(tmp_path / "shared.sqlite3", isolation_level=None)
    other.execute("PRAGMA journal_mode = WAL")
    other.execute("CREATE TABLE words (word)")
    other.execute("BEGIN IMMEDIATE")
    yield other
    other.close()


def ours(folder: Path, timeout: float) -> base.DatabaseWrapper:
    settings = {**connections.settings["default"], "NAME": str(folder / "shared.sqlite3")}
    return base.DatabaseWrapper(settings | {"OPTIONS": settings["OPTIONS"] | {"timeout": timeout}}, "shared")


def begin(mine: base.DatabaseWrapper) -> None:
    mine.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def test_every_transaction_of_this_program_waits_so() -> None:
    assert connections.settings["default"]["ENGINE"] == "config.sqlite"


def test_it_begins_as_soon_as_the_other_has_ended(
    somebody: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float] = []

    def pause(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 5:
            somebody.execute("COMMIT")

    monkeypatch.setattr(base.time, "sleep", pause)
    mine = ours(tmp_path, timeout=20)
    begin(mine)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        somebody.execute("PRAGMA busy_timeout = 0").execute("BEGIN IMMEDIATE")
    mine.close()
    least, most = base.BETWEEN
    assert len(looks) == 5
    assert all(least <= seconds <= most for seconds in looks)


def test_patience_ends_with_the_words_of_the_database(somebody: sqlite3.Connection, tmp_path: Path) -> None:
    mine = ours(tmp_path, timeout=0.01)
    with pytest.raises(OperationalError, match="locked"):
        begin(mine)
    somebody.execute("COMMIT")
    begin(mine)
    mine.close()


def test_a_single_statement_waits_as_a_transaction_does(
    somebody: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base.time, "sleep", lambda _seconds: somebody.execute("COMMIT"))
    mine = ours(tmp_path, timeout=20)
    with mine.cursor() as cursor:
        cursor.execute("INSERT INTO words VALUES (%s)", ["late"])
    assert somebody.execute("SELECT word FROM words").fetchall() == [("late",)]
    mine.close()


def test_what_was_read_before_another_wrote_cannot_be_written_over_by_waiting(
    somebody: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base.time, "sleep", lambda _seconds: pytest.fail("waited"))
    somebody.execute("COMMIT")
    mine = ours(tmp_path, timeout=20)
    with mine.cursor() as cursor:
        cursor.execute("BEGIN DEFERRED")
        cursor.execute("SELECT word FROM words")
        somebody.execute("INSERT INTO words VALUES ('meanwhile')")
        with pytest.raises(OperationalError, match="locked"):
            cursor.execute("INSERT INTO words VALUES ('over it')")
    mine.close()


def test_another_fault_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base.time, "sleep", lambda _seconds: pytest.fail("waited"))
    mine = ours(tmp_path, timeout=20)
    begin(mine)
    with pytest.raises(OperationalError, match="within a transaction"):
        mine._start_transaction_under_autocommit()
    mine.close()
