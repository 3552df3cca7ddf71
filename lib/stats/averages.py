"""Averages as FB-Bench publishes them: items within a task, tasks within a scenario, all tasks of all scenarios.

Source: FB-Bench (arXiv 2410.09412), table 4 and the published breakdowns, which these functions reproduce.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Places: TypeAlias = NDArray[np.intp]
OVERALL = "overall"


@dataclass(frozen=True)
class AverageCell:
    """The first level of averaging: one task of one scenario."""

    scenario: str
    task: str


@dataclass(frozen=True)
class ScoreTable:
    """Scores of some authors on some items.

    values: (authors, items), NaN where an author has no score for an item; a failed call is 0 and no gap.
    cell: (items,), each item's place in `cells`.
    """

    authors: Sequence[str]
    values: Floats
    cell: Places
    cells: Sequence[AverageCell]

    def part(self, items: Flags) -> "ScoreTable":
        """The table with only these items; items: (items,) flags."""
        return ScoreTable(self.authors, self.values[:, items], self.cell[items], self.cells)

    def of(self, *authors: int) -> "ScoreTable":
        """The table with only these authors, on the items that all of them have."""
        values = self.values[list(authors)]
        both = ~np.isnan(values).any(axis=0)
        return ScoreTable([self.authors[index] for index in authors], values[:, both], self.cell[both], self.cells)


def columns(cells: Sequence[AverageCell]) -> list[str]:
    """The names of the averages: every scenario by name, then `overall`."""
    return [*sorted({cell.scenario for cell in cells} - {""}), OVERALL]


def items_of(table: ScoreTable) -> list[int]:
    """How many items each of `columns(table.cells)` is about."""
    counts = np.bincount(table.cell, minlength=len(table.cells))
    sizes = dict.fromkeys(columns(table.cells), 0)
    for cell, count in zip(table.cells, counts.tolist(), strict=True):
        sizes[OVERALL] += count
        if cell.scenario:
            sizes[cell.scenario] += count
    return list(sizes.values())


def cell_means(table: ScoreTable) -> Floats:
    """(authors, cells): mean over the items of each cell; NaN where an author has none there."""
    belongs = np.equal.outer(table.cell, np.arange(len(table.cells))).astype(float)
    return divided(np.nan_to_num(table.values) @ belongs, (~np.isnan(table.values)) @ belongs)


def averages(means: Floats, cells: Sequence[AverageCell]) -> Floats:
    """Means of cells -> averages by column: (…, cells) -> (…, len(columns(cells))).

    A scenario's average is the unweighted mean over its cells; overall is the mean over all cells, not over the
    scenarios' means. Cells without items are left out; an average over none is NaN.
    """
    scenarios = np.array([cell.scenario for cell in cells], dtype=object)
    masks = [np.full(len(cells), True) if name == OVERALL else scenarios == name for name in columns(cells)]
    belongs = np.array(masks, dtype=float).reshape(len(masks), len(cells)).T
    return divided(np.nan_to_num(means) @ belongs, (~np.isnan(means)) @ belongs)


def divided(sums: Any, counts: Any) -> Floats:
    """sums / counts, NaN where nothing was counted."""
    sums, counts = np.asarray(sums, dtype=float), np.asarray(counts, dtype=float)
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)


def as_published(value: float) -> float:
    """0..1 as published: rounded to four places, times a hundred."""
    return round(round(value, 4) * 100, 2)
