"""What a running import has read already, so that a file's own repetitions are found without holding the file."""

import sqlite3
from types import TracebackType
from typing import NamedTuple, Self


class Place(NamedTuple):
    """A row that was read before: where, its key and its content."""

    file: str
    line: int
    key: str
    content: str


class Seen:
    """Keys and contents in a temporary database of its own: its memory stays small however long the files are."""

    def __init__(self) -> None:
        self._rows = sqlite3.connect("", isolation_level=None)
        self._rows.executescript("""
            PRAGMA journal_mode = OFF;
            PRAGMA synchronous = OFF;
            CREATE TABLE seen (file TEXT, line INTEGER, key TEXT PRIMARY KEY, content TEXT UNIQUE);
        """)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._rows.close()

    def add(self, position: Place) -> Place | None:
        """Remember the row; the earlier one instead, if its key or else its content was there already."""
        added = self._rows.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?)", position)
        if added.rowcount:
            return None
        cursor = self._rows.execute(
            "SELECT * FROM seen WHERE key = ? UNION ALL SELECT * FROM seen WHERE content = ? LIMIT 1",
            (position.key, position.content),
        )
        return Place(*cursor.fetchone())
