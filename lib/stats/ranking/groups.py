"""Which models can be ranked against each other, and why others cannot.

Strengths exist exactly within models that a chain of wins or ties leads from each to each.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from lib.stats.averages import Floats
from lib.stats.ranking.battles import Battles


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
