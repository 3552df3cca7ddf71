"""Battles that go together because they are about one item: drawn again all or none of them.

Votes of several people on one pair, and votes on several pairs of one item, are alike: what the answers are worth there
is the same for all of them. Drawn one by one as if they were independent they promise more than they know.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Alike:
    """item: (battles,) number of the item, from 0; left, right: (battles,) places of the models; outcome: 0 the left
    one won, 1 the right one, 2 a tie."""

    item: Codes
    left: Codes
    right: Codes
    outcome: Codes

    @property
    def items(self) -> int:
        return int(self.item.max(initial=-1)) + 1

    def among(self, indices: Sequence[int]) -> "Alike":
        """The battles that these models fought with each other, with their places among them."""
        new_index = np.full(max(self.left.max(initial=0), self.right.max(initial=0), *indices) + 1, -1, dtype=np.int64)
        new_index[list(indices)] = np.arange(len(indices))
        left, right = new_index[self.left], new_index[self.right]
        mask = (left >= 0) & (right >= 0)
        return Alike(_renumbered(self.item[mask]), left[mask], right[mask], self.outcome[mask])

    def drawn(self, models: int, *, count: int, chance: np.random.Generator) -> Codes:
        """(count, 2, models, models) each: wins of the row over the column, and ties, of as many items drawn."""
        winner, loser = np.where(self.outcome == 1, (self.right, self.left), (self.left, self.right))
        tied = self.outcome == 2
        cell = np.where(tied, models**2, 0) + winner * models + loser
        shape = (2 * models**2, self.items)
        table = csr_array((np.ones(len(cell), dtype=np.int64), (cell, self.item)), shape=shape)
        times = chance.multinomial(self.items, np.full(self.items, 1 / self.items), size=count)
        counts = (table @ times.T).T.reshape(count, 2, models, models)
        counts[:, 1] += np.swapaxes(counts[:, 1], -1, -2)
        return np.asarray(counts, dtype=np.int64)


def alike(items: Sequence[Hashable], left: Sequence[int], right: Sequence[int], outcome: Sequence[int]) -> Alike | None:
    """None where every battle is about an item of its own, so that drawing items is drawing battles."""
    number: dict[Hashable, int] = {}
    codes = [number.setdefault(item, len(number)) for item in items]
    if len(number) == len(codes):
        return None
    return Alike(*(np.array(column, dtype=np.int64) for column in (codes, left, right, outcome)))


def _renumbered(items: Codes) -> Codes:
    numbers: Codes = np.unique(items, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return numbers
