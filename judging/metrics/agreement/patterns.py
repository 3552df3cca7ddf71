"""Distinct rows of ratings and how often each stands there: what a bootstrap over units needs to know.

A resample of units is a multinomial draw over the distinct rows, whatever the number of units: a thousand resamples of
100,000 units by three raters and three categories are one matrix of 1,000 × 27 (at most 64 with gaps).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from judging.metrics.agreement.table import Codes, Flags, Floats

CELLS = 2_000_000  # numbers held at once in a block of resamples
DENSE = 1_000_000  # entries up to which a linear map is one product of matrices


@dataclass(frozen=True)
class Patterns:
    """codes: (patterns, raters), -1 = no rating; counts: (patterns,), how many units have each."""

    codes: Codes
    counts: Floats

    @property
    def units(self) -> int:
        return int(self.counts.sum())

    def draws(self, count: int, seed: int) -> Iterator[Floats]:
        """Blocks (some draws, patterns) of how often each pattern is in each of `count` resamples of the units."""
        chance = np.random.default_rng(seed)
        share = self.counts / self.units
        block = max(1, CELLS // max(self.counts.size, 1))
        for start in range(0, count, block):
            yield chance.multinomial(self.units, share, size=min(block, count - start)).astype(float)

    def without_one(self) -> Iterator[Floats]:
        """Blocks (some patterns, patterns): the counts with one unit of each pattern left out in turn."""
        block = max(1, CELLS // max(self.counts.size, 1))
        for start in range(0, self.counts.size, block):
            places = np.arange(start, min(start + block, self.counts.size))
            left = np.tile(self.counts, (places.size, 1))
            left[np.arange(places.size), places] -= 1
            yield left


def patterns(codes: Codes) -> Patterns:
    """codes: (units, raters) -> the distinct rows, in order."""
    base = int(codes.max(initial=0)) + 2
    if base ** codes.shape[1] < 2**62:
        powers = base ** np.arange(codes.shape[1], dtype=np.int64)
        _keys, first, counts = np.unique((codes + 1) @ powers, return_index=True, return_counts=True)
        return Patterns(codes[first], counts.astype(float))
    rows, counts = np.unique(codes, axis=0, return_counts=True)
    return Patterns(rows, counts.astype(float))


class Sums:
    """A linear map from how often patterns are drawn to sums in cells.

    cell c gets, from each pattern p, weight × times drawn, for every entry (p, c, weight).
    """

    def __init__(self, pattern: Codes, cell: Codes, weight: Floats, shape: tuple[int, int]) -> None:
        """shape: (patterns, cells)."""
        self._cells = shape[1]
        self._matrix: Floats | None = None
        if shape[0] * shape[1] <= DENSE:
            self._matrix = np.zeros(shape)
            np.add.at(self._matrix, (pattern, cell), weight)
            return
        entries, place = np.unique(cell * shape[0] + pattern, return_inverse=True)
        self._weight, self._pattern = np.bincount(place, weight), entries % shape[0]
        self._there, self._starts = np.unique(entries // shape[0], return_index=True)

    def of(self, times: Floats) -> Floats:
        """(draws, patterns) -> (draws, cells)."""
        if self._matrix is not None:
            product: Floats = times @ self._matrix
            return product
        result = np.zeros((times.shape[0], self._cells))
        block = max(1, CELLS // max(self._weight.size, 1))
        for start in range(0, times.shape[0] if self._there.size else 0, block):
            drawn = times[start : start + block, self._pattern] * self._weight
            result[start : start + block, self._there] = np.add.reduceat(drawn, self._starts, axis=1)
        return result


def grouped(values: Floats, cell: Codes, cells: int) -> Floats:
    """(draws, entries) -> (draws, cells): the sum of the entries of each cell."""
    return Sums(np.arange(cell.size), cell, np.ones(cell.size), (cell.size, cells)).of(values)


def divided(above: Floats, below: Floats, defined: Flags | None = None) -> Floats:
    """above / below, NaN where below is 0 or it is not defined."""
    wanted = below != 0 if defined is None else (below != 0) & defined
    return np.divide(above, below, out=np.full(np.broadcast(above, below).shape, np.nan), where=wanted)
