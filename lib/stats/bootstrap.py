"""How much averages would differ with other items of the same kind: items are drawn again within their task.

Percentile intervals of a fixed number of draws with a fixed seed, so that a page and a command say the same. They say
nothing about other judges, other prompts or other runs of the models.
"""

from dataclasses import dataclass

import numpy as np

from lib.stats.averages import Floats, Table, averages, cell_means, columns, divided, items_of

DRAWS = 1000
SEED = 20241009
LEVEL = 0.95


@dataclass(frozen=True)
class Difference:
    """One author's average less another's, on the items that both have: in -1..1.

    n: those items; low, high: the interval; None where nothing can be said.
    """

    column: str
    value: float | None
    low: float | None
    high: float | None
    n: int


def draws(table: Table, *, count: int = DRAWS, seed: int = SEED) -> Floats:
    """Averages of every author over items drawn again: (authors, count, len(columns)), NaN where one has no items.

    Every author gets the same items in the same draw, so differences between authors are paired.
    """
    chance = np.random.default_rng(seed)
    means = np.full((len(table.authors), count, len(table.cells)), np.nan)
    for cell in range(len(table.cells)):
        values = table.values[:, table.cell == cell]
        if values.shape[1]:
            means[:, :, cell] = _means(values, _times_drawn(chance, values.shape[1], count))
    return averages(means, table.cells)


def _times_drawn(chance: np.random.Generator, items: int, count: int) -> Floats:
    """(count, items): how often each item is in each draw of as many items with replacement."""
    return chance.multinomial(items, np.full(items, 1 / items), size=count).astype(float)


def _means(values: Floats, times: Floats) -> Floats:
    """(authors, count): the mean of each author's items in each draw."""
    has = ~np.isnan(values)
    if has.all():  # each draw has as many items as there are
        means: Floats = values @ times.T / values.shape[1]
        return means
    return divided(np.nan_to_num(values) @ times.T, has @ times.T)


def intervals(author_draws: Floats, level: float = LEVEL) -> Floats:
    """(authors, draws, columns) -> (authors, columns, 2): lower and upper bound; NaN where no draw has a value."""
    result = np.full((author_draws.shape[0], author_draws.shape[2], 2), np.nan)
    has = ~np.asarray(np.isnan(author_draws).all(axis=1))
    tails = [100 * (1 - level) / 2, 100 * (1 + level) / 2]
    if has.any():
        result[has] = np.nanpercentile(np.moveaxis(author_draws, 1, 2)[has], tails, axis=1).T
    return result


def paired_difference(
    table: Table, first: int, second: int, *, count: int = DRAWS, seed: int = SEED
) -> list[Difference]:
    """`first` less `second` in every column, on the items that both have; first, second: places of authors."""
    both = table.of(first, second)
    means = averages(cell_means(both), both.cells)
    author_draws = draws(both, count=count, seed=seed)
    bounds = intervals((author_draws[0] - author_draws[1])[None])[0]
    values = np.column_stack([means[0] - means[1], bounds])
    return [
        Difference(column, known(value), known(low), known(high), n)
        for column, (value, low, high), n in zip(columns(both.cells), values, items_of(both), strict=True)
    ]


def known(value: float) -> float | None:
    """None for NaN."""
    return None if np.isnan(value) else float(value)
