"""Bootstrap intervals of ratios, averages and differences, by resampling whole items. Pure; numpy only.

An item may have several texts by several people, so whole items are resampled and texts about one item stay together.
Both apps use it; simple intervals are in intervals.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

import numpy as np
import numpy.typing as npt

from lib.stats.averages import OVERALL, Flags, ScoreTable, averages, cell_means, columns, divided, items_of
from lib.stats.averages import Floats as averages_Floats
from lib.stats.intervals import Interval, wilson

Floats = npt.NDArray[np.float64]
DRAWS = 1000
SEED = 20241009
TAILS = [2.5, 97.5]


@dataclass(frozen=True)
class ResampledRatio:
    """Ratios of some columns, 0..1, and of every resample; NaN: undefined.

    values: (columns,); drawn: (draws, columns); items: (columns,), how many items have a value in each column.
    """

    values: Floats
    drawn: Floats
    items: npt.NDArray[np.int_]

    def value(self, column: int) -> float | None:
        return _known(self.values[column])

    def interval(self, column: int) -> Interval | None:
        """95 %, percentiles of the draws; None where fewer than two items have a value.

        If all items are 0, or all 1, every resample is equal, which is no certainty. Then it is Wilson's interval for
        this number of items, which for ratios between 0 and 1 is rather too wide.
        """
        if self._is_at_an_end(column):
            items = int(self.items[column])
            return wilson(round(items * self.values[column]), items) if items > 1 else None
        return _percentiles(self.drawn[:, column])

    def difference(self, column: int, less: int) -> tuple[float | None, Interval | None]:
        """One column less another, on the same resamples, so that the difference is paired by item.

        Where one of them does not vary, the interval is combined from both (Newcombe 1998, method 10).
        """
        value = _known(self.values[column] - self.values[less])
        if value is None:
            return None, None
        if self._is_at_an_end(column) or self._is_at_an_end(less):
            return value, self._put_together(value, column, less)
        return value, _percentiles(self.drawn[:, column] - self.drawn[:, less])

    def shift_interval(self, columns: Sequence[int], other_columns: Sequence[int]) -> Interval | None:
        """Of `shift` between two groups, by the columns of their labels: at least 95 %.

        The value plus and minus the 97.5 % quantile of the distance between resamples and data. A distance between
        resamples is biased upwards, so percentiles would miss small values, and resamples of few items vary too
        little. None where no resample differs.
        """
        differences = _parts(self.values[list(columns)]) - _parts(self.values[list(other_columns)])
        draw_differences = _parts(self.drawn[:, list(columns)]) - _parts(self.drawn[:, list(other_columns)])
        away = np.abs(draw_differences - differences).sum(axis=1) / 2
        if np.isnan(away).all() or not np.nanmax(away):
            return None
        value, far = np.abs(differences).sum() / 2, np.nanpercentile(away, TAILS[1])
        return Interval(max(0.0, float(value - far)), min(1.0, float(value + far)))

    def _is_at_an_end(self, column: int) -> bool:
        return bool(self.values[column] in (0.0, 1.0))

    def _put_together(self, value: float, column: int, less: int) -> Interval | None:
        column_interval, less_interval = self.interval(column), self.interval(less)
        if column_interval is None or less_interval is None:
            return None
        column_value, less_value = self.values[column], self.values[less]
        return Interval(
            value - hypot(column_value - column_interval.low, less_interval.high - less_value),
            value + hypot(column_interval.high - column_value, less_value - less_interval.low),
        )


def resampled(sums: Floats, counts: Floats, *, draws: int = DRAWS, seed: int = SEED) -> ResampledRatio:
    """Per column the sum of all items divided by their count, over items drawn with replacement.

    sums, counts: (items, columns); an item without a value in a column has count 0 there. A column with values of
    fewer than two items has no interval: its draws are NaN.
    """
    items = len(sums)
    values = _divided(sums.sum(axis=0), counts.sum(axis=0))
    if not items:
        return ResampledRatio(values, np.full((draws, sums.shape[1]), np.nan), np.zeros(sums.shape[1], dtype=int))
    chance = np.random.default_rng(seed)
    times = chance.multinomial(items, np.full(items, 1 / items), size=draws).astype(float)
    draw_values = _divided(times @ sums, times @ counts)
    item_counts = (counts > 0).sum(axis=0)
    draw_values[:, item_counts < 2] = np.nan
    return ResampledRatio(values, draw_values, item_counts)


def shift(labels: Floats, in_other: npt.NDArray[np.bool_]) -> float | None:
    """Total variation distance between the labels of two groups: half the sum of absolute differences, 0 to 1.

    labels: (texts, labels), 1 where a text has the label; in_other: which texts are of the other group. If a text may
    have several labels, they are taken as shares of all labels given. None where a group gave none.
    """
    counts, other_counts = labels[~in_other].sum(axis=0), labels[in_other].sum(axis=0)
    if not counts.sum() or not other_counts.sum():
        return None
    return float(np.abs(counts / counts.sum() - other_counts / other_counts.sum()).sum() / 2)


def shift_by_chance(
    labels: Floats, in_other: npt.NDArray[np.bool_], *, draws: int = 200, seed: int = SEED
) -> float | None:
    """The mean shift for randomly permuted groups: above 0, and the larger the fewer texts there are."""
    chance = np.random.default_rng(seed)
    shifts = [shift(labels, chance.permutation(in_other)) for _ in range(draws)]
    known_shifts = [value for value in shifts if value is not None]
    return float(np.mean(known_shifts)) if known_shifts and shift(labels, in_other) is not None else None


def _divided(sums: Floats, counts: Floats) -> Floats:
    return np.divide(sums, counts, out=np.full_like(sums, np.nan, dtype=float), where=counts > 0)


def _parts(shares: Floats) -> Floats:
    """Shares along the last axis, adding up to 1; NaN where all are 0."""
    whole = shares.sum(axis=-1, keepdims=True)
    return np.divide(shares, whole, out=np.full_like(shares, np.nan), where=whole > 0)


def _percentiles(draws: Floats) -> Interval | None:
    if np.isnan(draws).all():
        return None
    low, high = np.nanpercentile(draws, TAILS)
    return Interval(float(low), float(high))


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


# Bootstrap of averages: items are resampled within their task.
#
# Percentile intervals of a fixed number of draws with a fixed seed, so that a page and a command show the same numbers.
# They cover the choice of items, not other judges, other prompts or other runs of the models.


LEVEL = 0.95


@dataclass(frozen=True)
class MeanDifference:
    """One author's average less another's, on the items that both have: in -1..1.

    n: those items; low, high: the interval; None where undefined, or of fewer than FEWEST_ITEMS items.
    """

    column: str
    value: float | None
    low: float | None
    high: float | None
    n: int


def draws(table: ScoreTable, *, count: int = DRAWS, seed: int = SEED) -> averages_Floats:
    """Averages of every author over resampled items: (authors, count, len(columns)), NaN where one has no items.

    Every author gets the same items in the same draw, so differences between authors are paired.
    """
    chance = np.random.default_rng(seed)
    means = np.full((len(table.authors), count, len(table.cells)), np.nan)
    for cell in range(len(table.cells)):
        values = table.values[:, table.cell == cell]
        if values.shape[1]:
            means[:, :, cell] = _means(values, _times_drawn(chance, values.shape[1], count))
    return averages(means, table.cells)


def _times_drawn(chance: np.random.Generator, items: int, count: int) -> averages_Floats:
    """(count, items): how often each item is in each draw of as many items with replacement."""
    return chance.multinomial(items, np.full(items, 1 / items), size=count).astype(float)


def _means(values: averages_Floats, times: averages_Floats) -> averages_Floats:
    """(authors, count): the mean of each author's items in each draw."""
    has = ~np.isnan(values)
    if has.all():  # each draw has as many items as there are
        means: averages_Floats = values @ times.T / values.shape[1]
        return means
    return divided(np.nan_to_num(values) @ times.T, has @ times.T)


def intervals(author_draws: averages_Floats, level: float = LEVEL) -> averages_Floats:
    """(authors, draws, columns) -> (authors, columns, 2): lower and upper bound; NaN where no draw has a value."""
    result = np.full((author_draws.shape[0], author_draws.shape[2], 2), np.nan)
    has = ~np.asarray(np.isnan(author_draws).all(axis=1))
    tails = [100 * (1 - level) / 2, 100 * (1 + level) / 2]
    if has.any():
        result[has] = np.nanpercentile(np.moveaxis(author_draws, 1, 2)[has], tails, axis=1).T
    return result


# Averages of fewer items have no interval. Resamples stay within the range of the data, and even the whole range of
# five values misses the median of their population in 2 * 0.5**5 = 6 % of all samples; that of six in 3 %.
FEWEST_ITEMS = 6


def with_interval(table: ScoreTable) -> Flags:
    """(authors, columns): whether the author has at least FEWEST_ITEMS items there."""
    belongs = np.equal.outer(table.cell, np.arange(len(table.cells))).astype(float)
    counts = (~np.isnan(table.values)) @ belongs
    names = columns(table.cells)
    in_column = [[name in (cell.scenario, OVERALL) for name in names] for cell in table.cells]
    enough: Flags = counts @ np.array(in_column, dtype=float).reshape(len(table.cells), len(names)) >= FEWEST_ITEMS
    return enough


def paired_difference(
    table: ScoreTable, first: int, second: int, *, count: int = DRAWS, seed: int = SEED
) -> list[MeanDifference]:
    """`first` less `second` in every column, on the items that both have; first, second: indices of authors."""
    both = table.of(first, second)
    means = averages(cell_means(both), both.cells)
    author_draws = draws(both, count=count, seed=seed)
    bounds = intervals((author_draws[0] - author_draws[1])[None])[0]
    bounds[~with_interval(both)[0]] = np.nan
    values = np.column_stack([means[0] - means[1], bounds])
    return [
        MeanDifference(column, known(value), known(low), known(high), n)
        for column, (value, low, high), n in zip(columns(both.cells), values, items_of(both), strict=True)
    ]


def known(value: float) -> float | None:
    """None for NaN."""
    return None if np.isnan(value) else float(value)
