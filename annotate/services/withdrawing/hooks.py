"""What other apps keep about items: each says at its start how it is found and erased. annotate knows none of them."""

from collections.abc import Callable, Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class Keeper:
    """items: ids of further items that hold texts of these ones. erase: takes the texts of one item, in the caller's
    transaction; doing it twice changes nothing more.
    """

    name: str
    items: Callable[[Collection[int]], Collection[int]]
    erase: Callable[[int], None]


_keepers: dict[str, Keeper] = {}


def register(keeper: Keeper) -> None:
    _keepers[keeper.name] = keeper


def keepers() -> list[Keeper]:
    return list(_keepers.values())
