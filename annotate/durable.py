"""Files that survive a power cut: bytes and folder are synced to disk before anything is reported as stored."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


def sync(file: IO[Any]) -> None:
    """Wait until what was written to this open file is on the disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Wait until names that were created, renamed or removed in this folder are on the disk."""
    entry = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(entry)
    finally:
        os.close(entry)


def make_folder(folder: Path) -> Path:
    """Create the folder and its missing parents; returns the folder."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)
    return folder


def move(source: Path, target: Path) -> None:
    """Give a synced file or folder its final name; a file of that name is replaced."""
    source.replace(target)
    sync_folder(target.parent)


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to that replaces `path` at the end; if anything fails, `path` stays as it was."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("wb") as file:
            yield file
            sync(file)
        move(part, path)
    finally:
        part.unlink(missing_ok=True)
