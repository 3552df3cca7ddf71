"""Intervals of ratios over items that are drawn again. Pure; numpy only. Beside intervals.py, for what both apps count.

An item may carry several texts, by several people: whole items are drawn, so that texts about one item stay together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

import numpy as np
import numpy.typing as npt

from lib.stats.intervals import Interval, share_interval

Floats = npt.NDArray[np.float64]
DRAWS = 1000
SEED = 20241009
TAILS = [2.5, 97.5]


@dataclass(frozen=True)
class Resampled:
    """Ratios of some columns, 0..1, and the same of every draw; NaN: nothing.

    values: (columns,); drawn: (draws, columns); items: (columns,), how many items each column says something about.
    """

    values: Floats
    drawn: Floats
    items: npt.NDArray[np.int_]

    def value(self, column: int) -> float | None:
        return _known(self.values[column])

    def interval(self, column: int) -> Interval | None:
        """95 %, percentiles of the draws; None where fewer than two items have a value.

        Where all items say 0, or all 1, every draw says the same, which is no certainty: there it is Wilson's of so
        many items, which for ratios between 0 and 1 is rather too wide.
        """
        if self._is_at_an_end(column):
            items = int(self.items[column])
            return share_interval(round(items * self.values[column]), items) if items > 1 else None
        return _percentiles(self.drawn[:, column])

    def difference(self, column: int, less: int) -> tuple[float | None, Interval | None]:
        """One column less another, on the same draws: what both say about one item is taken together.

        Where one of them does not vary, the interval is put together of both (Newcombe 1998, method 10).
        """
        value = _known(self.values[column] - self.values[less])
        if value is None:
            return None, None
        if self._is_at_an_end(column) or self._is_at_an_end(less):
            return value, self._put_together(value, column, less)
        return value, _percentiles(self.drawn[:, column] - self.drawn[:, less])

    def shift_interval(self, columns: Sequence[int], other_columns: Sequence[int]) -> Interval | None:
        """Of `shift` between two groups, by the columns of their labels: at least 95 %.

        As far around the value as 97.5 of 100 draws lie from what was seen: a distance of draws is too large by itself,
        so that its percentiles would miss small ones, and draws of few items vary too little. None where none differs.
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


def resampled(sums: Floats, counts: Floats, *, draws: int = DRAWS, seed: int = SEED) -> Resampled:
    """Per column the sum of all items divided by their count, over items drawn with replacement.

    sums, counts: (items, columns); an item that a column says nothing about has count 0 there. A column that fewer
    than two items say something about has no interval: its draws are NaN.
    """
    items = len(sums)
    values = _divided(sums.sum(axis=0), counts.sum(axis=0))
    if not items:
        return Resampled(values, np.full((draws, sums.shape[1]), np.nan), np.zeros(sums.shape[1], dtype=int))
    chance = np.random.default_rng(seed)
    times = chance.multinomial(items, np.full(items, 1 / items), size=draws).astype(float)
    draw_values = _divided(times @ sums, times @ counts)
    item_counts = (counts > 0).sum(axis=0)
    draw_values[:, item_counts < 2] = np.nan
    return Resampled(values, draw_values, item_counts)


def shift(labels: Floats, in_other: npt.NDArray[np.bool_]) -> float | None:
    """How far two groups lie apart in the labels they give: half the sum of absolute differences, 0 (alike) to 1.

    labels: (texts, labels), 1 where a text has the label; other: which texts are of the other group. Labels of which
    several may be given are taken as shares of all labels given. None where a group gave none.
    """
    counts, other_counts = labels[~in_other].sum(axis=0), labels[in_other].sum(axis=0)
    if not counts.sum() or not other_counts.sum():
        return None
    return float(np.abs(counts / counts.sum() - other_counts / other_counts.sum()).sum() / 2)


def shift_by_chance(
    labels: Floats, in_other: npt.NDArray[np.bool_], *, draws: int = 200, seed: int = SEED
) -> float | None:
    """The mean shift where chance alone decides who is of which group: above 0, the more so the fewer texts."""
    chance = np.random.default_rng(seed)
    shifts = [shift(labels, chance.permutation(in_other)) for _ in range(draws)]
    known_shifts = [value for value in shifts if value is not None]
    return float(np.mean(known_shifts)) if known_shifts and shift(labels, in_other) is not None else None


def _divided(sums: Floats, counts: Floats) -> Floats:
    return np.divide(sums, counts, out=np.full_like(sums, np.nan, dtype=float), where=counts > 0)


def _parts(shares: Floats) -> Floats:
    """Of the last axis, adding up to 1; NaN where all are 0."""
    whole = shares.sum(axis=-1, keepdims=True)
    return np.divide(shares, whole, out=np.full_like(shares, np.nan), where=whole > 0)


def _percentiles(draws: Floats) -> Interval | None:
    if np.isnan(draws).all():
        return None
    low, high = np.nanpercentile(draws, TAILS)
    return Interval(float(low), float(high))


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
