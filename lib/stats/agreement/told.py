"""Coefficients and tables of counts in the shape that scripts and reports rely on. What is undefined is None."""

from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np

from lib.stats.agreement.coefficients import Coefficient
from lib.stats.agreement.pair import Pair
from lib.stats.agreement.patterns import patterns
from lib.stats.agreement.statistics import scale
from lib.stats.agreement.table import Floats, Ratings

MOST_CATEGORIES = 50
MOST_TABLES = 200


def as_json(coefficient: Coefficient) -> dict[str, Any]:
    """value, low, high, note, units; where pairs are compared also `pairs`, `mean_over_pairs` and its interval."""
    document: dict[str, Any] = {name: getattr(coefficient, name) for name in ("value", "low", "high", "note", "units")}
    if coefficient.pairs:
        document["pairs"] = [asdict(pair) | {"raters": list(pair.raters)} for pair in coefficient.pairs]
        document |= {name: getattr(coefficient, name) for name in ("mean_over_pairs", "mean_low", "mean_high")}
    return document


def matrix(table: Ratings) -> dict[str, Any] | None:
    """Who said what where somebody else said what: counts[i][j] units, i by the one rater, j by the other.

    Of two raters: rows are the first. Of more: each two of them counted in both directions, so that it is symmetric,
    and the table of each two in `pairs`. None with too many categories to look at.
    """
    q = len(table.categories)
    if q > MOST_CATEGORIES:
        return None
    tables = _tables(table)
    document: dict[str, Any] = {"categories": list(table.categories)}
    if len(table.raters) == 2:
        (raters,) = tables
        return document | {"raters": list(raters), "counts": _whole(tables[raters])}
    total = sum(tables.values(), np.zeros((q, q)))
    document["counts"] = _whole(total + total.T)
    if len(tables) <= MOST_TABLES:
        document["pairs"] = [{"raters": list(raters), "counts": _whole(counts)} for raters, counts in tables.items()]
    return document


def _tables(table: Ratings) -> dict[tuple[str, str], Floats]:
    table_patterns, q = patterns(table.codes), len(table.categories)
    rater_pairs = list(combinations(range(len(table.raters)), 2))
    pairs = (
        Pair(table_patterns, *rater_pair, table.numbers, scale(table), only_kappa=True) for rater_pair in rater_pairs
    )
    return {
        (table.raters[left], table.raters[right]): pair.table(q)
        for (left, right), pair in zip(rater_pairs, pairs, strict=True)
    }


def _whole(counts: Floats) -> list[list[int]]:
    whole: list[list[int]] = counts.astype(int).tolist()
    return whole
