"""Battles of two models as counts of wins and ties, clusters of battles by item, and groups that can be ranked."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from lib.stats.averages import Floats

# Clusters: battles about one item are resampled together.
#
# Votes of several people on one pair, and votes on several pairs of one item, are correlated, because the quality of
# the answers is the same for all of them. Resampled as if independent, they would give too narrow intervals.


ClusterCodes = NDArray[np.int64]


@dataclass(frozen=True)
class BattleClusters:
    """item: (battles,) number of the item, from 0; left, right: (battles,) places of the models; outcome: 0 the left
    one won, 1 the right one, 2 a tie."""

    item: ClusterCodes
    left: ClusterCodes
    right: ClusterCodes
    outcome: ClusterCodes

    @property
    def items(self) -> int:
        return int(self.item.max(initial=-1)) + 1

    def among(self, indices: Sequence[int]) -> "BattleClusters":
        """The battles that these models fought with each other, with their places among them."""
        new_index = np.full(max(self.left.max(initial=0), self.right.max(initial=0), *indices) + 1, -1, dtype=np.int64)
        new_index[list(indices)] = np.arange(len(indices))
        left, right = new_index[self.left], new_index[self.right]
        mask = (left >= 0) & (right >= 0)
        return BattleClusters(_renumbered(self.item[mask]), left[mask], right[mask], self.outcome[mask])

    def drawn(self, models: int, *, count: int, chance: np.random.Generator) -> ClusterCodes:
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


def alike(
    items: Sequence[Hashable], left: Sequence[int], right: Sequence[int], outcome: Sequence[int]
) -> BattleClusters | None:
    """None where every battle is about an item of its own, so that drawing items is drawing battles."""
    number: dict[Hashable, int] = {}
    codes = [number.setdefault(item, len(number)) for item in items]
    if len(number) == len(codes):
        return None
    return BattleClusters(*(np.array(column, dtype=np.int64) for column in (codes, left, right, outcome)))


def _renumbered(items: ClusterCodes) -> ClusterCodes:
    numbers: ClusterCodes = np.unique(items, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return numbers


Counts = NDArray[np.int64]
Codes = NDArray[np.integer]
LEFT, RIGHT, TIE = range(3)
WINNERS: Mapping[str, int] = {"left": LEFT, "right": RIGHT, "tie": TIE}
OTHER_WINNER, SAME_MODEL = "other winner", "a model against itself"
_OTHER = 3
_AT_ONCE = 1 << 17  # battles per block, so that intermediate arrays stay in the processor's cache
_FEW = 256  # names whose codes fit into a byte, which is the fastest way into an array


@dataclass(frozen=True)
class Battles:
    """names: (models,). wins: (models, models), how often the one of the row beat the one of the column; ties: the
    same, symmetric; both 0 on the diagonal. left_won, right_won: decided battles by the side that won.

    unordered: battles whose order of sides is unknown; they count in neither of the two. skipped: reason -> battles
    that are not counted. alike: which battles are about one item, where that is known and some are.
    """

    names: tuple[str, ...]
    wins: Counts
    ties: Counts
    left_won: int = 0
    right_won: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    alike: BattleClusters | None = None
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


# Groups: which models can be ranked against each other, and why others cannot.
#
# Finite strengths exist exactly within strongly connected groups, where a chain of wins or ties leads from each model
# to each.


@dataclass(frozen=True)
class Groups:
    """Places of models. ranked: the largest group within which strengths exist, the one with most battles of several;
    empty where there is none of two or more. others: further such groups. islands: sets of models that met, a chain of
    battles between them whoever won; one where everything hangs together.

    always_won, always_lost: with at least one battle, and no tie. idle: without a battle.
    """

    ranked: tuple[int, ...]
    others: tuple[tuple[int, ...], ...]
    islands: tuple[tuple[int, ...], ...]
    always_won: tuple[int, ...]
    always_lost: tuple[int, ...]
    idle: tuple[int, ...]

    @property
    def is_whole(self) -> bool:
        return not self.always_won and not self.always_lost and not self.idle and len(self.islands) == 1


def groups(battles: Battles) -> Groups:
    scored = battles.wins + battles.ties
    fought, won, lost = battles.met.sum(axis=1), scored.sum(axis=1), scored.sum(axis=0)
    several = [group for group in _components(scored, "strong") if len(group) > 1]
    several.sort(key=lambda group: (-len(group), -battles.among(group).n, group))
    return Groups(
        ranked=several[0] if several else (),
        others=tuple(several[1:]),
        islands=tuple(group for group in _components(scored, "weak") if fought[group[0]]),
        always_won=_places((fought > 0) & (lost == 0)),
        always_lost=_places((fought > 0) & (won == 0)),
        idle=_places(fought == 0),
    )


def are_connected(won: Floats) -> NDArray[np.bool_]:
    """(draws, models, models) wins of the row over the column -> (draws,) whether strengths exist for all models."""
    models = won.shape[-1]
    reached = ((won > 0) | np.eye(models, dtype=bool)).astype(np.float32)
    for _doubling in range(max(models - 1, 1).bit_length()):
        reached = np.minimum(reached @ reached, 1)
    return np.asarray((reached > 0).all(axis=(-1, -2)), dtype=np.bool_)


def _components(scored: NDArray[np.int64], connection: str) -> list[tuple[int, ...]]:
    if not len(scored):
        return []
    count, label = connected_components(csr_array(scored > 0), connection=connection)
    return [_places(label == number) for number in range(count)]


def _places(which: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(np.flatnonzero(which).tolist())
