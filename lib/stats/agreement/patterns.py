"""Distinct rows of ratings with their counts, for a bootstrap over clusters of units.

A resample draws clusters with replacement, each with all of its units; without clusters each unit is its own cluster.
The draws depend only on the number of clusters and the seed: clusters are numbered in the order of their names, so that
the same units have the same resamples in every table, whatever other raters are in it.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from lib import progress
from lib.stats.agreement.table import Codes, Flags, Floats

CELLS = 2_000_000  # numbers held at once in a block of resamples
FEW = 30  # clusters
DENSE = 1_000_000  # entries up to which a linear map is one product of matrices


@dataclass(frozen=True)
class RatingPatterns:
    """codes: (patterns, raters), -1 = no rating; counts: (patterns,), how many units have each.

    pattern, cluster: (units,), of each unit; clusters are numbered from 0.
    """

    codes: Codes
    counts: Floats
    pattern: Codes
    cluster: Codes

    @property
    def units(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def clusters(self) -> int:
        return int(self.cluster.max(initial=-1)) + 1

    @property
    def alike(self) -> Floats:
        """How many clusters each row of `without_one` stands for."""
        return np.ones(self.clusters) if self.clustered else self.counts

    @property
    def clustered(self) -> bool:
        """Whether some cluster has several units."""
        return self.clusters < self.units

    @property
    def plain(self) -> bool:
        """Whether there are so few clusters of several units that intervals are plain percentiles."""
        return self.clustered and self.clusters < FEW

    def draws(self, count: int, seed: int) -> Iterator[Floats]:
        """Blocks (some draws, patterns) of how often each pattern is in each of `count` resamples of the clusters."""
        chance, n = np.random.default_rng(seed), self.clusters
        block = max(1, CELLS // max(n, self.counts.size, 1))
        if 0 < count <= block:
            progress.report(progress.RESAMPLING, 0, count)
            yield self._units_of(_drawn(n, count, seed))
            return
        for start in range(0, count, block):
            progress.report(progress.RESAMPLING, start, count)
            size = min(block, count - start)
            yield self._units_of(_times(chance, n, size))

    def without_one(self) -> Iterator[Floats]:
        """Blocks (some patterns, patterns): the counts with one cluster left out in turn; where units are clusters of
        their own, with one unit of each pattern."""
        block = max(1, CELLS // max(self.counts.size, 1))
        for start in range(0, self.alike.size, block):
            rows = np.arange(start, min(start + block, self.alike.size))
            if self.clustered:
                yield self.counts - self._units_of(np.arange(self.clusters) == rows[:, None])
                continue
            reduced_counts = np.tile(self.counts, (rows.size, 1))
            reduced_counts[np.arange(rows.size), rows] -= 1
            yield reduced_counts

    def _units_of(self, times: np.ndarray) -> Floats:
        """(draws, clusters), how often each was drawn -> (draws, patterns)."""
        return self._sums.of(times.astype(float))

    @cached_property
    def _sums(self) -> "PatternSums":
        ones = np.ones(self.pattern.size)
        return PatternSums(self.cluster, self.pattern, ones, (self.clusters, self.counts.size))


def _times(chance: np.random.Generator, n: int, size: int) -> Codes:
    """(size, n): how often each of n clusters is in each of so many resamples."""
    cluster_draws = chance.integers(n, size=(size, n)) + n * np.arange(size)[:, None]
    return np.bincount(cluster_draws.ravel(), minlength=size * n).reshape(size, n)


@lru_cache(maxsize=1)
def _drawn(n: int, count: int, seed: int) -> np.ndarray:
    """The same for every two of many raters: the newest is kept, in as few bytes as hold it."""
    return _times(np.random.default_rng(seed), n, count).astype(np.uint16)


def patterns(codes: Codes, clusters: Sequence[Hashable] | None = None) -> RatingPatterns:
    """codes: (units, raters) -> the distinct rows, in order. clusters: of each unit; None where each is its own."""
    cluster = np.arange(codes.shape[0]) if clusters is None else _numbered(clusters)
    base = int(codes.max(initial=0)) + 2
    if base ** codes.shape[1] < 2**62:
        powers = base ** np.arange(codes.shape[1], dtype=np.int64)
        _keys, first_rows, pattern, counts = np.unique(
            (codes + 1) @ powers, return_index=True, return_inverse=True, return_counts=True
        )
        return RatingPatterns(codes[first_rows], counts.astype(float), pattern, cluster)
    rows, pattern, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    return RatingPatterns(rows, counts.astype(float), pattern.ravel(), cluster)


def _numbered(names: Sequence[Hashable]) -> Codes:
    index_by_name = {name: index for index, name in enumerate(sorted(set(names), key=str))}
    return np.fromiter((index_by_name[name] for name in names), dtype=np.intp, count=len(names))


class PatternSums:
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
        entries, entry_index = np.unique(cell * shape[0] + pattern, return_inverse=True)
        self._weight, self._pattern = np.bincount(entry_index, weight), entries % shape[0]
        self._there, self._starts = np.unique(entries // shape[0], return_index=True)

    def of(self, times: Floats) -> Floats:
        """(draws, patterns) -> (draws, cells)."""
        if self._matrix is not None:
            product: Floats = times @ self._matrix
            return product
        result = np.zeros((times.shape[0], self._cells))
        block = max(1, CELLS // max(self._weight.size, 1))
        for start in range(0, times.shape[0] if self._there.size else 0, block):
            contributions = times[start : start + block, self._pattern] * self._weight
            result[start : start + block, self._there] = np.add.reduceat(contributions, self._starts, axis=1)
        return result


def grouped(values: Floats, cell: Codes, cells: int) -> Floats:
    """(draws, entries) -> (draws, cells): the sum of the entries of each cell."""
    return PatternSums(np.arange(cell.size), cell, np.ones(cell.size), (cell.size, cells)).of(values)


def divided(above: Floats, below: Floats, defined: Flags | None = None) -> Floats:
    """above / below, NaN where below is 0 or it is not defined."""
    is_defined = below != 0 if defined is None else (below != 0) & defined
    return np.divide(above, below, out=np.full(np.broadcast(above, below).shape, np.nan), where=is_defined)
