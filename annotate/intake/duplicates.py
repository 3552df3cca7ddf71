"""Duplicate rows of an import: those within its files, and those of items that are stored already."""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import NamedTuple, Self

from annotate.formats.rows import Problem
from annotate.intake.row_reader import Policy, PreparedRow
from annotate.models import Batch, Item, Project
from lib.texts.stored_sentences import say as _


class RowPlace(NamedTuple):
    """A row that was read before: its position, its key and its content."""

    file: str
    line: int
    key: str
    content: str


class KnownRows:
    """Keys and contents of the rows read so far, in a temporary database: memory stays small however long the files
    are.
    """

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

    def add(self, position: RowPlace) -> RowPlace | None:
        """Remember the row; returns the earlier row instead if its key, or else its content, was already there."""
        added = self._rows.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?)", position)
        if added.rowcount:
            return None
        cursor = self._rows.execute(
            "SELECT * FROM seen WHERE key = ? UNION ALL SELECT * FROM seen WHERE content = ? LIMIT 1",
            (position.key, position.content),
        )
        return RowPlace(*cursor.fetchone())


# Rows sorted into new rows, duplicates within the import, and rows about stored items.


ReadRow = PreparedRow | Problem


@dataclass
class SortedRows:
    """Rows by what happens to them; each duplicate has a warning that names the row it repeats."""

    new: list[PreparedRow] = field(default_factory=list)
    known: list[tuple[PreparedRow, Item]] = field(default_factory=list)
    repeated: list[Problem] = field(default_factory=list)


class Neighbours:
    """Keys and contents of a project's items from outside this import, so that most rows need no query.

    Updated under the project's lock before each chunk. If there are very many neighbours, nothing is kept, and every
    row is queried.
    """

    MOST = 50_000

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._known: set[str] = set()
        self._read_up_to = 0
        self._too_many = False

    def read_on(self) -> None:
        if self._too_many:
            return
        later = Item.objects.filter(project_id=self._batch.project_id, pk__gt=self._read_up_to)
        other_rows = later.exclude(batch=self._batch).order_by("pk").values_list("pk", "key", "content_hash")
        for pk, key, content in other_rows[: self.MOST].iterator():
            self._known |= {key, content}
            self._read_up_to = pk
        self._too_many = len(self._known) >= self.MOST

    def own_up_to(self, item: int) -> None:
        """Everything up to this item was read, or belongs to this import."""
        self._read_up_to = max(self._read_up_to, item)

    def may_be_stored(self, row: PreparedRow) -> bool:
        return self._too_many or row.key in self._known or row.content_hash in self._known


def without_repetitions(
    read_rows: Iterable[ReadRow], seen_rows: KnownRows, file: str
) -> tuple[list[PreparedRow], list[Problem]]:
    """The good rows that occur for the first time, and a warning for each that repeats an earlier one."""
    new_rows, repeated = [], []
    for row in read_rows:
        if isinstance(row, Problem) or row.rejected:
            continue
        earlier_place = seen_rows.add(_place(row, file))
        if earlier_place is not None and row.key_by_place and earlier_place.content != row.content_hash:
            row = row.under_its_content()
            earlier_place = seen_rows.add(_place(row, file))
        if earlier_place is None:
            new_rows.append(row)
        else:
            repeated.append(Problem(file, row.line, *_of_the_file(row, earlier_place, file), "warning"))
    return new_rows, repeated


def _place(row: PreparedRow, file: str) -> RowPlace:
    return RowPlace(file, row.line, row.key, row.content_hash)


def sort(
    project: Project, rows: Sequence[PreparedRow], *, policy: Policy, file: str, neighbours: Neighbours | None = None
) -> SortedRows:
    """Look the rows up among the stored items: by key first, then by content. neighbours: tells which rows need no
    query.
    """
    by_key, by_content = _stored(project, [row for row in rows if neighbours is None or neighbours.may_be_stored(row)])
    sorted_rows = SortedRows()
    for row in rows:
        item = by_key.get(row.key)
        if item is not None and row.key_by_place and item.content_hash != row.content_hash:
            row, item = row.under_its_content(), None
        item = item or by_content.get(row.content_hash)
        if item is None:
            sorted_rows.new.append(row)
        elif policy == "skip":
            sorted_rows.repeated.append(Problem(file, row.line, *of_the_store(row, item), "warning"))
        else:
            sorted_rows.known.append((row, item))
    return sorted_rows


def _stored(project: Project, rows: Sequence[PreparedRow]) -> tuple[dict[str, Item], dict[str, Item]]:
    if not rows:
        return {}, {}
    items = Item.objects.filter(project=project).defer("facts")
    by_key = {item.key: item for item in items.filter(key__in=[row.key for row in rows])}
    contents = [row.content_hash for row in rows if row.key not in by_key or row.key_by_place]
    by_content = {item.content_hash: item for item in items.filter(content_hash__in=contents).order_by("-id")}
    return by_key, by_content


def _of_the_file(row: PreparedRow, earlier_place: RowPlace, file: str) -> tuple[str, str]:
    position = {"line": earlier_place.line, "file": earlier_place.file, "key": row.key}
    where = _("line %(line)s") if earlier_place.file == file else _("line %(line)s of %(file)s")
    params = position | {"where": where % position}
    if earlier_place.key != row.key:
        return "", _("The same content is already in %(where)s; that one is used.") % params
    if earlier_place.content != row.content_hash:
        return "key", _("The key “%(key)s” is already in %(where)s, with other facts; that one is used.") % params
    return "key", _("The key “%(key)s” is already in %(where)s; that one is used.") % params


def of_the_store(row: PreparedRow, item: Item) -> tuple[str, str]:
    """(path, message): what the row has in common with the stored item."""
    if item.key != row.key:
        return "", _("The same content is already stored as “%(key)s”.") % {"key": item.key}
    if item.content_hash != row.content_hash:
        message = _("The key “%(key)s” is already stored with other facts; they are not changed.")
        return "key", message % {"key": item.key}
    return "key", _("The key “%(key)s” is already stored.") % {"key": item.key}
