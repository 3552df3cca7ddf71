"""Remembered results: files in the data folder, so that workers and web processes share what one of them has computed.

A result has the cache key of judging/cache.py, which changes with everything that it was made of. So a file is never
stale, only superseded: then nobody reads it any more, and it is deleted. Backups leave these files out.
"""

import pickle
from collections import OrderedDict
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, Set, ValuesView
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import time
from typing import Any, TypeVar
from uuid import uuid4

from django.conf import settings

FOLDER = "remembered"  # in DATA_DIR
MOST_BYTES = 2_000_000_000
KEPT = 7 * 24 * 60 * 60  # seconds since a result was last read
TOUCHED_AFTER = 60 * 60  # seconds; a read within them is not written down
LIVE_BYTES = 16_000_000  # of files whose objects stay in memory; the objects take several times as much
K = TypeVar("K")
V = TypeVar("V")
Keys = Mapping[str, Sequence[str]]  # name of a result -> keys, in the order in which they were asked for


class _LiveObjects:
    """The objects of the files that this process read last: to read the largest ones takes longer than a page."""

    def __init__(self) -> None:
        self._objects: OrderedDict[Path, tuple[int, int, Any]] = OrderedDict()
        self._lock = Lock()

    def get(self, path: Path, changed: int) -> Any:
        """None unless it is of the file as it is now."""
        with self._lock:
            was_changed, _size, value = self._objects.get(path, (0, 0, None))
            if was_changed != changed:
                return None
            self._objects.move_to_end(path)
            return value

    def put(self, path: Path, changed: int, size: int, value: Any) -> None:
        with self._lock:
            self._objects[path] = changed, size, value
            self._objects.move_to_end(path)
            while sum(size for _changed, size, _value in self._objects.values()) > LIVE_BYTES:
                self._objects.popitem(last=False)


_live = _LiveObjects()


def read(key: str) -> Any:
    """The result, or None: it was never stored, was deleted, or an older version of the program wrote it.

    The objects that were read last stay in the memory of the process, and whoever reads them shares them.
    """
    path = _path(key)
    try:
        changed, size = path.stat().st_mtime_ns, path.stat().st_size
        value = _live.get(path, changed)
        if value is None:
            with path.open("rb") as file:
                value = pickle.load(file)  # noqa: S301  # only this program writes into its data folder
            _live.put(path, changed, size, value)
        elif time() - changed / 1e9 > TOUCHED_AFTER:
            path.touch()
    except (OSError, EOFError, AttributeError, ImportError, TypeError, pickle.UnpicklingError):
        return None
    return value


def is_stored(key: str) -> bool:
    return _path(key).exists()


def write(key: str, value: Any) -> None:
    """Store it. A full disk costs the result, not the page that shows it."""
    path = _path(key)
    unfinished = path.with_name(f"{path.name}.{uuid4().hex}")
    try:
        path.parent.mkdir(exist_ok=True)
        with unfinished.open("wb") as file:
            pickle.dump(value, file, pickle.HIGHEST_PROTOCOL)
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
    tidy_up()


def forget(keys: Iterable[str]) -> None:
    for key in keys:
        _path(key).unlink(missing_ok=True)


def forget_all() -> None:
    """For erased personal data: results hold names and texts."""
    for path in _files():
        path.unlink(missing_ok=True)


def tidy_up() -> None:
    """Delete what nobody has read for a week, and beyond the limit of bytes what was read longest ago."""
    stats = {path: path.stat() for path in _files() if path.exists()}
    total, oldest = 0, time() - KEPT
    for path in sorted(stats, key=lambda path: -stats[path].st_mtime):
        total += stats[path].st_size
        if total > MOST_BYTES or stats[path].st_mtime < oldest:
            path.unlink(missing_ok=True)


def _files() -> list[Path]:
    with suppress(FileNotFoundError):
        return list(_folder().iterdir())
    return []


def _folder() -> Path:
    return Path(settings.DATA_DIR) / FOLDER


def _path(key: str) -> Path:
    return _folder() / sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


# What a job has used: recorded while it computes, and read again while newer figures are not ready.


class NothingOlder(Exception):
    """The older figures cannot be shown: a part of them is gone, or the page now asks for another part."""


_recorded: ContextVar[dict[str, list[str]] | None] = ContextVar("recorded", default=None)
_older: ContextVar[dict[str, str] | None] = ContextVar("older", default=None)


@contextmanager
def recorded() -> Iterator[dict[str, list[str]]]:
    """Yields the keys of all results that are used inside; each of them is stored."""
    keys: dict[str, list[str]] = {}
    token = _recorded.set(keys)
    try:
        yield keys
    finally:
        _recorded.reset(token)


def record(name: str, key: str, value: Any) -> None:
    keys = _recorded.get()
    if keys is None or key in keys.setdefault(name, []):
        return
    keys[name].append(key)
    if not is_stored(key):
        write(key, value)


@contextmanager
def older(keys: Keys) -> Iterator[None]:
    """Inside, every cached result is the one with this key, whatever the state of the data."""
    if any(len(name_keys) != 1 for name_keys in keys.values()):
        raise NothingOlder  # several results of one name could be mixed up
    token = _older.set({name: name_keys[0] for name, name_keys in keys.items()})
    try:
        yield
    finally:
        _older.reset(token)


def is_older() -> bool:
    return _older.get() is not None


def older_result(name: str) -> Any:
    """The older result of this name. Raises NothingOlder."""
    keys = _older.get() or {}
    value = read(keys[name]) if name in keys else None
    if value is None:
        raise NothingOlder
    return value


# Large parts of results that are read when they are first needed. Most pages show numbers that were computed from the
# ratings earlier, and to read hundreds of thousands of ratings takes seconds.


class Deferred(Mapping[K, V]):
    """A mapping. read: is called once. size: its length, which is known without it."""

    def __init__(self, read: Callable[[], Mapping[K, V]], size: int) -> None:
        self._read, self._size = read, size

    @cached_property
    def _mapping(self) -> Mapping[K, V]:
        return self._read()

    def __getitem__(self, key: K) -> V:
        return self._mapping[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._mapping)

    def __len__(self) -> int:
        return self._size

    def keys(self) -> KeysView[K]:
        return self._mapping.keys()

    def values(self) -> ValuesView[V]:
        return self._mapping.values()

    def items(self) -> ItemsView[K, V]:
        return self._mapping.items()


class DeferredSet(Set[V]):
    """A set. read: is called once."""

    def __init__(self, read: Callable[[], Set[V]]) -> None:
        self._read = read

    @cached_property
    def _values(self) -> Set[V]:
        return self._read()

    def __contains__(self, value: object) -> bool:
        return value in self._values

    def __iter__(self) -> Iterator[V]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
