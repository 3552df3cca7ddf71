"""Strengths over battles drawn again: exactly, by how often each outcome of each pair is drawn.

A thousand draws of a million battles cost what the pairs cost, not what the battles cost.
"""

import numpy as np

from lib.stats.averages import Floats
from lib.stats.ranking.alike import Alike
from lib.stats.ranking.battles import Battles, Counts
from lib.stats.ranking.davidson import with_ties
from lib.stats.ranking.groups import are_connected
from lib.stats.ranking.strengths import NotSettled, log_strengths

AT_ONCE = 2_000_000  # numbers of the matrices that are held at once


def drawn_counts(all_battles: Battles, *, count: int, seed: int) -> tuple[Counts, Counts]:
    """(count, models, models) each: wins and ties of as many battles drawn with replacement.

    Where battles are known to be about the same items, as many items are drawn, each with all of its battles.
    """
    if all_battles.alike is not None:
        return _drawn_items(all_battles, all_battles.alike, count=count, seed=seed)
    first, second = np.triu_indices(len(all_battles.names), 1)
    cells = np.stack(
        [all_battles.wins[first, second], all_battles.wins[second, first], all_battles.ties[first, second]]
    )
    mask = cells > 0
    battles = int(cells.sum())
    times = np.random.default_rng(seed).multinomial(battles, cells[mask] / battles, size=count)
    resampled_cells = np.zeros((count, *cells.shape), dtype=np.int64)
    resampled_cells[:, mask] = times
    wins, ties = (
        np.zeros((count, len(all_battles.names), len(all_battles.names)), dtype=np.int64) for _each in range(2)
    )
    wins[:, first, second], wins[:, second, first] = resampled_cells[:, 0], resampled_cells[:, 1]
    ties[:, first, second] = ties[:, second, first] = resampled_cells[:, 2]
    return wins, ties


def _drawn_items(battles: Battles, alike: Alike, *, count: int, seed: int) -> tuple[Counts, Counts]:
    chance, models = np.random.default_rng(seed), len(battles.names)
    counts = np.empty((count, 2, models, models), dtype=np.int64)
    some = max(1, AT_ONCE // max(alike.items, 2 * models**2))
    for start in range(0, count, some):
        part = slice(start, min(start + some, count))
        counts[part] = alike.drawn(models, count=part.stop - start, chance=chance)
    return counts[:, 0], counts[:, 1]


def drawn_logs(battles: Battles, logs: Floats, *, count: int, seed: int, davidson: bool = False) -> tuple[Floats, int]:
    """(count, models) logarithms of strengths in each draw, and in how many draws they needed help.

    logs: those of all battles; davidson: ties by his model. In a draw in which a model happens to win or lose
    everything its strength has no bounds: there one tied battle, spread over all pairs that have met, is added, which
    makes it very large or very small.
    """
    met = battles.met > 0
    help_of_each = np.where(met, 1 / met.sum(), 0.0)
    resampled_logs = np.empty((count, len(battles.names)))
    helped = 0
    wins, ties = drawn_counts(battles, count=count, seed=seed)
    some = max(1, AT_ONCE // met.size)
    for start in range(0, count, some):
        tied = ties[start : start + some].astype(float)
        won = wins[start : start + some] + tied / 2
        alone = ~are_connected(won)
        won[alone] += help_of_each
        helped += int(alone.sum())
        tied[alone] += 2 * help_of_each
        resampled_logs[start : start + some] = (
            _by_davidson(won - tied / 2, tied, logs) if davidson else log_strengths(won, logs)
        )
    if battles.alike is not None:
        resampled_logs = logs + _widened(battles.alike.items, len(battles.names)) * (resampled_logs - logs)
    return resampled_logs, helped


def _widened(items: int, models: int) -> float:
    """Draws of few items vary too little, by as many as there are strengths to find; by how much, at most 2."""
    free = items - (models - 1)
    return 2.0 if free * 4 <= items else float(np.sqrt(items / free))


def _by_davidson(wins: Floats, ties: Floats, logs: Floats) -> Floats:
    """A draw whose tendency to tie has no bounds, such as one without a tie, has ties as half a win each."""
    fitted = np.empty(wins.shape[:2])
    for index, (won, tied) in enumerate(zip(wins, ties, strict=True)):
        try:
            fitted[index] = with_ties(won, tied, logs)[0]
        except NotSettled:
            fitted[index] = log_strengths(won + tied / 2, logs)
    return fitted
