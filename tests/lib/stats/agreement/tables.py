"""Tables of ratings for tests."""

import math
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from lib.stats.agreement import Level, RatingTable, ratings

Value = str | int | float | None

# Krippendorff (2011): four raters, twelve units, gaps; one unit has one rating only.
KRIPPENDORFF: list[list[Value]] = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
# Shrout & Fleiss (1979), table 2: six units by four raters.
SHROUT = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def by_raters(columns: Sequence[Sequence[Value]], level: Level = "nominal") -> RatingTable:
    """One list for each rater, a value for each unit; None where there is none."""
    return ratings(
        (
            (f"unit {unit}", f"rater {rater}", value)
            for rater, values in enumerate(columns)
            for unit, value in enumerate(values)
        ),
        level,
    )


def by_units(rows: Sequence[Sequence[Value]], level: Level = "nominal") -> RatingTable:
    return by_raters(list(zip(*rows, strict=True)), level)


def columns(table: RatingTable) -> np.ndarray:
    """(raters, units), as the libraries want it."""
    return table.values.T


def tables(raters: int, *, gaps: bool = False, least: int = 0, most: int = 4) -> st.SearchStrategy[list[list[Value]]]:
    """Rows of units with whole numbers."""
    value = st.integers(least, most)
    either = st.one_of(st.none(), value) if gaps else value
    return st.lists(st.lists(either, min_size=raters, max_size=raters), min_size=2, max_size=25)


def same(one: float | None, other: float) -> bool:
    """Equal, or both undefined."""
    return math.isnan(other) if one is None else math.isclose(one, other, abs_tol=1e-9)
