"""The files of releases: rows with digest and index. Files are written atomically."""

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from json.encoder import encode_basestring_ascii
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from django.conf import settings

from annotate.durable import make_folder, move, replacing, sync
from annotate.errors import LeaseLost
from annotate.intake.ratings import RATER


def folder() -> Path:
    return make_folder(Path(settings.DATA_DIR) / "files" / "releases")


def path_of(stored_as: str) -> Path:
    return folder() / stored_as


def index_of(stored_as: str) -> Path:
    return folder() / f"{stored_as}.index"


def random_name() -> str:
    return f"{secrets.token_hex(16)}.jsonl"


def line_of(row: Mapping[str, Any]) -> bytes:
    """One line in UTF-8 with a line feed at the end; characters are not escaped."""
    return _encoded(row).encode() + b"\n"


_encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode


class IndexEntry(NamedTuple):
    """The offset of a row in its file, and the digest of its content without provenance.

    rater: of whom the row is, in a release with one row per rater; else "".
    """

    key: str
    digest: str
    offset: int
    rater: str = ""

    @property
    def name(self) -> str:
        """Unique in its file."""
        return f"{self.key} · {self.rater}" if self.rater else self.key


class Writer:
    """Writes rows with digest and index under temporary names; `publish` renames both files."""

    def __init__(self, stored_as: str) -> None:
        self._target, self._index_target = path_of(stored_as), index_of(stored_as)
        # A random name: a worker that was taken for dead may still be writing.
        suffix = secrets.token_hex(4)
        self._part, self._index_part = (
            self._target.with_suffix(f".{suffix}"),
            self._target.with_suffix(f".{suffix}-index"),
        )
        self._digest = hashlib.sha256()
        self._offset = 0
        self.rows = 0

    def __enter__(self) -> Self:
        self._file, self._index = self._part.open("wb"), self._index_part.open("w", encoding="utf-8")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._file.close()
            self._index.close()
        self._part.unlink(missing_ok=True)
        self._index_part.unlink(missing_ok=True)

    def write(self, row: Mapping[str, Any]) -> None:
        """Write a row whose last field is `provenance`; each part is encoded once, which takes longer than writing."""
        fields = dict(row)
        del fields["provenance"]
        content = _encoded(fields).encode()
        line = b'%b, "provenance": %b}\n' % (content[:-1], _encoded(row["provenance"]).encode())
        row_digest = hashlib.sha256(content + b"\n")
        rater = f", {encode_basestring_ascii(row[RATER])}" if RATER in row else ""
        entry = f'{encode_basestring_ascii(row["key"])}, "{row_digest.hexdigest()[:16]}", {self._offset}{rater}'
        self._index.write(f"[{entry}]\n")
        self._file.write(line)
        self._digest.update(line)
        self._offset += len(line)
        self.rows += 1

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def publish(self) -> None:
        """Give both files their names, and remove what killed workers left. Raises LeaseLost if others did so."""
        for file in (self._file, self._index):
            sync(file)
        try:
            move(self._index_part, self._index_target)
            move(self._part, self._target)
        except FileNotFoundError as removed:
            raise LeaseLost("Another worker has written this release, or it is written anew.") from removed
        remove_parts(self._target.name)


def remove_parts(stored_as: str) -> None:
    """Remove the unfinished files of a release: a killed worker leaves them, with all the texts written so far."""
    target = path_of(stored_as)
    for part in target.parent.glob(f"{target.stem}.*"):
        if part not in (target, index_of(stored_as)):
            part.unlink(missing_ok=True)


def discard(stored_as: str) -> None:
    for path in (path_of(stored_as), index_of(stored_as)):
        path.unlink(missing_ok=True)
    remove_parts(stored_as)


def indexed(stored_as: str) -> Iterator[IndexEntry]:
    with index_of(stored_as).open(encoding="utf-8") as index:
        for line in index:
            yield IndexEntry(*json.loads(line))


@contextmanager
def rows_at(stored_as: str) -> Iterator[Any]:
    """A function from an offset of the index to the row that begins there."""
    with path_of(stored_as).open("rb") as file:

        def row_at(offset: int) -> dict[str, Any]:
            file.seek(offset)
            return dict(json.loads(file.readline()))

        yield row_at


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically: it exists with all its content or not at all."""
    with replacing(path) as file:
        file.write(content)


def copy_whole(source: Path, target: Path) -> None:
    """Copy a file atomically."""
    with source.open("rb") as source_file, replacing(target) as written:
        while piece := source_file.read(1024 * 1024):
            written.write(piece)


def write_pieces(path: Path, pieces: Iterator[bytes]) -> str:
    """Write a file of these pieces atomically; returns its SHA-256."""
    digest = hashlib.sha256()
    with replacing(path) as file:
        for piece in pieces:
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()
