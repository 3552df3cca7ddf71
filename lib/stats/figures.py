"""A number as reports show it: with its interval, what it stands on, and why it is missing where it is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, inf, isinf, log, sqrt

import numpy as np
from scipy.stats import t as student

from lib.stats.averages import Cell, Floats, Table
from lib.stats.blindspots import Z95, wilson
from lib.stats.bootstrap import DRAWS, LEVEL, SEED, draws, intervals, known
from lib.stats.notes import ALL_ALIKE, NO_UNITS, ONE_UNIT

FEW = 10  # units below which a coefficient, share or mean says little, and is greyed on every board


@dataclass(frozen=True)
class Figure:
    """value: None where it is not defined, and note says why. low, high: of the 95 % interval, None where there is
    none. n: units that it stands on. A note beside a value says what to keep in mind, among others about a missing
    interval."""

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    note: str = ""


def undefined(note: str, n: int = 0) -> Figure:
    return Figure(None, n, note=note)


def share_figure(hits: float, n: int, note: str = "") -> Figure:
    """hits of n with Wilson's interval; undefined for n = 0. Hits may be a sum of shares: the interval is then wide
    rather than narrow, as nothing within 0..1 varies more than yes and no."""
    bounds = wilson(hits, n)
    return Figure(hits / n, n, *bounds, note=note) if bounds else undefined(NO_UNITS)


def mean_figure(values: Floats, note: str = "", *, within: tuple[float, float] = (-inf, inf)) -> Figure:
    """Mean of one value a unit, without NaN, with Student's interval. No interval where all are alike or one is alone.

    within: where values can be at all; the interval stays there, as `bounded` says. Assumes that units were drawn
    independently, and about normal means: thirty units, or values that are not skewed.
    """
    n = values.size
    if not n:
        return undefined(NO_UNITS)
    mean = float(values.mean())
    if n == 1 or np.ptp(values) == 0:
        return Figure(mean, n, note=ONE_UNIT if n == 1 else ALL_ALIKE)
    half = float(student.ppf((1 + LEVEL) / 2, n - 1) * values.std(ddof=1) / sqrt(n))
    return bounded(Figure(mean, n, mean - half, mean + half, note), within)


def bounded(figure: Figure, within: tuple[float, float]) -> Figure:
    """The same with an interval, and a value, that do not leave the scale.

    A symmetric interval that would leave it is replaced by that of the log-odds of the place on the scale: as wide
    there as the delta method says, and carried back. It never reaches an end and grows towards the middle. A value at
    an end, or beyond it as a correction can put it, has no log-odds: it and its interval are cut at the end.
    Source of the method: Agresti, "Categorical Data Analysis", on intervals by the logit.
    """
    low, high = within
    if figure.value is None or figure.low is None or figure.high is None:
        return figure if figure.value is None else replace(figure, value=min(max(figure.value, low), high))
    if low <= figure.low and figure.high <= high:
        return figure
    if not (low < figure.value < high) or isinf(low) or isinf(high):
        cut = [min(max(number, low), high) for number in (figure.value, figure.low, figure.high)]
        return Figure(cut[0], figure.n, cut[1], cut[2], figure.note)
    share, half = (figure.value - low) / (high - low), (figure.high - figure.low) / 2 / (high - low)
    odds, width = log(share / (1 - share)), half / (share * (1 - share))
    ends = [low + (high - low) * _share_of(odds + sign * width) for sign in (-1, 1)]
    return Figure(figure.value, figure.n, ends[0], ends[1], figure.note)


def _share_of(odds: float) -> float:
    """Of log-odds; written so that large ones do not overflow."""
    return 1 / (1 + exp(-odds)) if odds >= 0 else exp(odds) / (1 + exp(odds))


def balance_figure(values: Floats, note: str = "") -> Figure:
    """Mean of one value in -1..1 a unit, where 0 says "neither side"; its interval is never empty.

    Two units are added, one half for and one half against, each way: Σd stays, Σd² grows by 1, n by 2.
    Source: Agresti and Min, "Simple improved confidence intervals for comparing matched proportions" (Statistics in
    Medicine, 2005), whose intervals these are where every value is -1, 0 or 1.
    """
    n = values.size
    if not n:
        return undefined(NO_UNITS)
    middle = float(values.sum()) / (n + 2)
    variance = (float((values**2).sum()) + 1) / (n + 2) - middle**2
    half = Z95 * sqrt(variance / (n + 2))
    return Figure(float(values.mean()), n, max(middle - half, -1.0), min(middle + half, 1.0), note)


def shifted(figure: Figure, by: float) -> Figure:
    """The same with value and interval moved."""
    moved = (None if number is None else number + by for number in (figure.value, figure.low, figure.high))
    value, low, high = moved
    return Figure(value, figure.n, low, high, figure.note)


def drawn_means(rows: Sequence[Floats], *, count: int = DRAWS, seed: int = SEED) -> Floats:
    """(rows, draws): means of several values a unit over units drawn again, the same units for every row."""
    values = np.asarray(rows, dtype=float)
    cell_indices = np.zeros(values.shape[1], dtype=np.intp)
    return draws(Table([""] * len(values), values, cell_indices, [Cell("", "")]), count=count, seed=seed)[..., 0]


def drawn_figure(value: float, n: int, draws: Floats, note: str = "") -> Figure:
    """A value with the percentile interval of its draws. Draws that are all alike have seen no unit that differs, which
    is no certainty: then there is no interval."""
    low, high = bounds_of(draws)
    return Figure(value, n, note=ALL_ALIKE) if low is not None and low == high else Figure(value, n, low, high, note)


def bounds_of(draws: Floats) -> tuple[float | None, float | None]:
    """Percentile interval of draws (NaN is passed over); None where most of them have no value."""
    if 2 * np.isnan(draws).sum() >= draws.size:
        return None, None
    low, high = intervals(draws[None, :, None])[0, 0]
    return known(low), known(high)
