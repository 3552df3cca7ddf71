"""Battles of two models as counts: who beat whom how often, and how often neither won."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray

from lib.stats.ranking.alike import Alike

Counts = NDArray[np.int64]
Codes = NDArray[np.integer]
LEFT, RIGHT, TIE = range(3)
WINNERS: Mapping[str, int] = {"left": LEFT, "right": RIGHT, "tie": TIE}
OTHER_WINNER, SAME_MODEL = "other winner", "a model against itself"
_OTHER = 3
_AT_ONCE = 1 << 17  # battles, so that what is made of them stays near the processor
_FEW = 256  # names whose codes fit into a byte, which is the fastest way into an array


@dataclass(frozen=True)
class Battles:
    """names: (models,). wins: (models, models), how often the one of the row beat the one of the column; ties: the
    same, symmetric; both 0 on the diagonal. left_won, right_won: decided battles by the side that won.

    unordered: battles of which nobody knows which side stood first; they count in neither of the two.
    skipped: reason -> battles that are not counted. alike: which of them are about one item, where that is known and
    some are.
    """

    names: tuple[str, ...]
    wins: Counts
    ties: Counts
    left_won: int = 0
    right_won: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    alike: Alike | None = None
    unordered: int = 0

    @property
    def n(self) -> int:
        return int(self.wins.sum()) + int(self.ties.sum()) // 2

    @property
    def met(self) -> Counts:
        """(models, models): how often two met."""
        counts: Counts = self.wins + self.wins.T + self.ties
        return counts

    def among(self, indices: Sequence[int]) -> "Battles":
        """The battles that these models fought with each other; sides and what was skipped are not known of them."""
        grid = np.ix_(indices, indices)
        alike = self.alike.among(indices) if self.alike else None
        return Battles(tuple(self.names[index] for index in indices), self.wins[grid], self.ties[grid], alike=alike)


def battles(left: Sequence[str], right: Sequence[str], winners: Sequence[str]) -> Battles:
    """left, right: names of the two; winners: `left`, `right` or `tie`; with other words a battle is skipped.

    Names stand in the order of their first battle, those on the left first. A name is there though all its battles
    were skipped. Raises ValueError where the three differ in length.
    """
    if not len(left) == len(right) == len(winners):
        raise ValueError(f"{len(left)}, {len(right)} and {len(winners)} entries make no battles.")
    index_by_name: defaultdict[str, int] = defaultdict(count().__next__)
    indices_by_side = [list(map(index_by_name.__getitem__, names)) for names in (left, right)]
    code_by_winner: defaultdict[str, int] = defaultdict(lambda: _OTHER, WINNERS)
    outcome = np.frombuffer(bytes(list(map(code_by_winner.__getitem__, winners))), np.uint8)
    kind = np.uint8 if len(index_by_name) <= _FEW else np.int32
    left_codes, right_codes = (
        np.frombuffer(bytes(indices), np.uint8) if kind is np.uint8 else np.array(indices, np.int32)
        for indices in indices_by_side
    )
    return of_codes(left_codes, right_codes, outcome, tuple(index_by_name))


def of_codes(left: Codes, right: Codes, outcome: Codes, names: Sequence[str]) -> Battles:
    """left, right: (battles,) places in `names`; outcome: LEFT, RIGHT or TIE, anything else is skipped."""
    models, kinds = len(names), _OTHER + 1
    cells = np.zeros(models**2 * kinds, dtype=np.int64)
    some = max(_AT_ONCE, 4 * cells.size)
    for start in range(0, len(left), some):
        part = slice(start, start + some)
        cell = left[part].astype(np.int64)
        cell *= models
        cell += right[part]
        cell *= kinds
        cell += np.minimum(outcome[part], _OTHER)
        cells += np.bincount(cell, minlength=cells.size)
    return of_cells(cells.reshape(models, models, kinds), names)


def of_cells(cells: Counts, names: Sequence[str]) -> Battles:
    """cells: (models, models, 4) battles by the model on the left, the one on the right, and outcome."""
    decided = cells.copy()
    itself = np.einsum("iio->o", cells)[:_OTHER].sum()
    decided[np.arange(len(names)), np.arange(len(names))] = 0
    ties = decided[:, :, TIE] + decided[:, :, TIE].T
    skipped = Counter({OTHER_WINNER: int(cells[:, :, _OTHER].sum()), SAME_MODEL: int(itself)})
    return Battles(
        tuple(names),
        decided[:, :, LEFT] + decided[:, :, RIGHT].T,
        ties,
        int(decided[:, :, LEFT].sum()),
        int(decided[:, :, RIGHT].sum()),
        {reason: times for reason, times in skipped.items() if times},
    )


def in_order(battles: Battles, names: Iterable[str]) -> Battles:
    """The same with models in this order, those without a battle included."""
    ordered_names = tuple(names)
    index_by_name = {name: number for number, name in enumerate(battles.names)}
    wins, ties = (np.zeros((len(ordered_names), len(ordered_names)), dtype=np.int64) for _each in range(2))
    new_indices = [number for number, name in enumerate(ordered_names) if name in index_by_name]
    old_indices = [index_by_name[ordered_names[number]] for number in new_indices]
    wins[np.ix_(new_indices, new_indices)], ties[np.ix_(new_indices, new_indices)] = (
        battles.wins[np.ix_(old_indices, old_indices)],
        battles.ties[np.ix_(old_indices, old_indices)],
    )
    return Battles(
        ordered_names, wins, ties, battles.left_won, battles.right_won, battles.skipped, unordered=battles.unordered
    )
