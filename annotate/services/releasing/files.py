"""The files of releases: written whole or not at all, with their digest; and an index to compare them by."""

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from django.conf import settings

from annotate.durable import make_folder, move, replacing, sync


def folder() -> Path:
    return make_folder(Path(settings.DATA_DIR) / "files" / "releases")


def path_of(stored_as: str) -> Path:
    return folder() / stored_as


def index_of(stored_as: str) -> Path:
    return folder() / f"{stored_as}.index"


def random_name() -> str:
    return f"{secrets.token_hex(16)}.jsonl"


def line_of(row: Mapping[str, Any]) -> bytes:
    """One line in UTF-8, ended by a line feed; characters stand for themselves."""
    return json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n"


class Indexed(NamedTuple):
    """Where a row begins in its file, and the digest of what it says, provenance aside."""

    key: str
    digest: str
    offset: int


class Writer:
    """Writes rows with their digest and index under a temporary name; `publish` gives both their real one."""

    def __init__(self, stored_as: str) -> None:
        self._target, self._index_target = path_of(stored_as), index_of(stored_as)
        # A name of its own: a worker that was taken for dead may still be writing.
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
        line = line_of(row)
        row_digest = hashlib.sha256(line_of({name: value for name, value in row.items() if name != "provenance"}))
        self._index.write(json.dumps(Indexed(row["key"], row_digest.hexdigest()[:16], self._offset)) + "\n")
        self._file.write(line)
        self._digest.update(line)
        self._offset += len(line)
        self.rows += 1

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def publish(self) -> None:
        for file in (self._file, self._index):
            sync(file)
        move(self._index_part, self._index_target)
        move(self._part, self._target)


def discard(stored_as: str) -> None:
    for path in (path_of(stored_as), index_of(stored_as)):
        path.unlink(missing_ok=True)


def indexed(stored_as: str) -> Iterator[Indexed]:
    with index_of(stored_as).open(encoding="utf-8") as index:
        for line in index:
            yield Indexed(*json.loads(line))


@contextmanager
def rows_at(stored_as: str) -> Iterator[Any]:
    """A function from an offset of the index to the row that begins there."""
    with path_of(stored_as).open("rb") as file:

        def row_at(offset: int) -> dict[str, Any]:
            file.seek(offset)
            return dict(json.loads(file.readline()))

        yield row_at


def write_whole(path: Path, content: bytes) -> None:
    """A file that is there with all its content, or not at all."""
    with replacing(path) as file:
        file.write(content)


def copy_whole(source: Path, target: Path) -> None:
    """A copy that is there whole, or not at all."""
    with source.open("rb") as source_file, replacing(target) as written:
        while piece := source_file.read(1024 * 1024):
            written.write(piece)


def write_pieces(path: Path, pieces: Iterator[bytes]) -> str:
    """A file that is there with all these pieces, or not at all; its SHA-256."""
    digest = hashlib.sha256()
    with replacing(path) as file:
        for piece in pieces:
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()
