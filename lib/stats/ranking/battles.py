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
        found: Counts = self.wins + self.wins.T + self.ties
        return found

    def among(self, places: Sequence[int]) -> "Battles":
        """The battles that these models fought with each other; sides and what was skipped are not known of them."""
        here = np.ix_(places, places)
        alike = self.alike.among(places) if self.alike else None
        return Battles(tuple(self.names[place] for place in places), self.wins[here], self.ties[here], alike=alike)


def battles(left: Sequence[str], right: Sequence[str], winners: Sequence[str]) -> Battles:
    """left, right: names of the two; winners: `left`, `right` or `tie`; with other words a battle is skipped.

    Names stand in the order of their first battle, those on the left first. A name is there though all its battles
    were skipped. Raises ValueError where the three differ in length.
    """
    if not len(left) == len(right) == len(winners):
        raise ValueError(f"{len(left)}, {len(right)} and {len(winners)} entries make no battles.")
    place: defaultdict[str, int] = defaultdict(count().__next__)
    places = [list(map(place.__getitem__, names)) for names in (left, right)]
    known: defaultdict[str, int] = defaultdict(lambda: _OTHER, WINNERS)
    outcome = np.frombuffer(bytes(list(map(known.__getitem__, winners))), np.uint8)
    kind = np.uint8 if len(place) <= _FEW else np.int32
    one, other = (
        np.frombuffer(bytes(each), np.uint8) if kind is np.uint8 else np.array(each, np.int32) for each in places
    )
    return of_codes(one, other, outcome, tuple(place))


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


def in_order(given: Battles, names: Iterable[str]) -> Battles:
    """The same with models in this order, those without a battle included."""
    wanted = tuple(names)
    place = {name: number for number, name in enumerate(given.names)}
    wins, ties = (np.zeros((len(wanted), len(wanted)), dtype=np.int64) for _each in range(2))
    there = [number for number, name in enumerate(wanted) if name in place]
    here = [place[wanted[number]] for number in there]
    wins[np.ix_(there, there)], ties[np.ix_(there, there)] = (
        given.wins[np.ix_(here, here)],
        given.ties[np.ix_(here, here)],
    )
    return Battles(wanted, wins, ties, given.left_won, given.right_won, given.skipped, unordered=given.unordered)
