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
class Cell:
    """What items are averaged in before anything else: one task of one scenario."""

    scenario: str
    task: str


@dataclass(frozen=True)
class Table:
    """Scores of some authors on some items.

    values: (authors, items), NaN where an author has no score for an item; a failed call is 0 and no gap.
    cell: (items,), each item's place in `cells`.
    """

    authors: Sequence[str]
    values: Floats
    cell: Places
    cells: Sequence[Cell]

    def part(self, items: Flags) -> "Table":
        """The same with only these items; items: (items,) flags."""
        return Table(self.authors, self.values[:, items], self.cell[items], self.cells)

    def of(self, *authors: int) -> "Table":
        """Only these authors, on the items that every one of them has."""
        values = self.values[list(authors)]
        both = ~np.isnan(values).any(axis=0)
        return Table([self.authors[index] for index in authors], values[:, both], self.cell[both], self.cells)


def columns(cells: Sequence[Cell]) -> list[str]:
    """The averages that there are: every scenario by name, then `overall`."""
    return [*sorted({cell.scenario for cell in cells} - {""}), OVERALL]


def items_of(table: Table) -> list[int]:
    """How many items each of `columns(table.cells)` is about."""
    counts = np.bincount(table.cell, minlength=len(table.cells))
    sizes = dict.fromkeys(columns(table.cells), 0)
    for cell, count in zip(table.cells, counts.tolist(), strict=True):
        sizes[OVERALL] += count
        if cell.scenario:
            sizes[cell.scenario] += count
    return list(sizes.values())


def cell_means(table: Table) -> Floats:
    """(authors, cells): mean over the items of each cell; NaN where an author has none there."""
    belongs = np.equal.outer(table.cell, np.arange(len(table.cells))).astype(float)
    return divided(np.nan_to_num(table.values) @ belongs, (~np.isnan(table.values)) @ belongs)


def averages(means: Floats, cells: Sequence[Cell]) -> Floats:
    """Means of cells -> averages by column: (…, cells) -> (…, len(columns(cells))).

    Of a scenario: the unweighted mean over its cells; overall: over all cells, not over the scenarios' means. Cells
    without items are left out; an average over none is NaN.
    """
    scenarios = np.array([cell.scenario for cell in cells], dtype=object)
    masks = [np.full(len(cells), True) if name == OVERALL else scenarios == name for name in columns(cells)]
    belongs = np.array(masks, dtype=float).reshape(len(masks), len(cells)).T
    return divided(np.nan_to_num(means) @ belongs, (~np.isnan(means)) @ belongs)


def divided(sums: Any, counts: Any) -> Floats:
    """sums / counts, NaN where nothing was counted."""
    sums, counts = np.asarray(sums, dtype=float), np.asarray(counts, dtype=float)
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
