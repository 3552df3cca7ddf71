"""Large parts of remembered results that are read when they are first needed.

Most pages show numbers that were computed from the ratings earlier, and to read hundreds of thousands of ratings takes
seconds.
"""

from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, Set, ValuesView
from functools import cached_property
from typing import TypeVar

from judging.ratings.units import Unit

K = TypeVar("K")
V = TypeVar("V")


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


class DeferredUnits(Set[Unit]):
    """A set of units. read: is called once."""

    def __init__(self, read: Callable[[], Set[Unit]]) -> None:
        self._read = read

    @cached_property
    def _units(self) -> Set[Unit]:
        return self._read()

    def __contains__(self, unit: object) -> bool:
        return unit in self._units

    def __iter__(self) -> Iterator[Unit]:
        return iter(self._units)

    def __len__(self) -> int:
        return len(self._units)
