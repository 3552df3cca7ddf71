"""A resample counted by patterns is what the units themselves, drawn so often, would give."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from lib.stats.agreement import LEVELS, NAMES, Level, RatingTable, coefficients
from lib.stats.agreement import patterns as patterns_module
from lib.stats.agreement.patterns import PatternSums, patterns
from lib.stats.agreement.resampling import CoefficientFunctions, ResampledCoefficient, acceleration, interval, mean_of
from tests.lib.stats.agreement.tables import Value, by_raters, by_units, tables

ROWS: list[list[Value]] = [[1, 2, 2], [2, 2, 2], [3, None, 1], [1, 1, 1], [2, 3, 3], [3, 3, 3], [1, None, 2], [2, 2, 1]]

RANGES = {"percent": 0, "mae": 0, "cohen_kappa": -1, "pearson": -1, "spearman": -1, "kendall": -1}


def drawn_table(table: RatingTable, times: np.ndarray) -> RatingTable:
    """The table with each pattern as often as it was drawn."""
    found = patterns(table.codes)
    codes = np.repeat(found.codes, times.astype(int), axis=0)
    values = np.where(codes < 0, np.nan, np.array(table.numbers)[codes])
    return replace(table, values=values, units=tuple(map(str, range(len(values)))))


@pytest.mark.parametrize("level", LEVELS)
def test_every_draw_is_that_of_the_units_themselves(level: Level) -> None:
    statistics = CoefficientFunctions(by_units(ROWS, level), NAMES)
    (times,) = statistics.found.draws(5, seed=3)
    assert times.sum(axis=1).tolist() == [len(ROWS)] * 5
    together = statistics.of(times)
    for number, one in enumerate(times):
        table = drawn_table(statistics.table, one)
        alone = CoefficientFunctions(table, NAMES).of(patterns(table.codes).counts[None])
        for key, values in together.items():
            assert values[number] == pytest.approx(alone[key][0], nan_ok=True), key


def test_one_unit_is_left_out_in_turn() -> None:
    (left,) = patterns(np.array([[0, 1], [0, 1], [1, 1]])).without_one()
    assert left.tolist() == [[1, 1], [2, 0]]


def test_gaps_and_many_raters_are_patterns_too() -> None:
    codes = np.array([[0, -1] * 40, [1, 0] * 40, [0, -1] * 40])
    found = patterns(codes)
    assert sorted(zip(found.counts.tolist(), found.codes[:, 0].tolist(), strict=True)) == [(1, 1), (2, 0)]


def test_large_maps_sum_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern, cell = np.array([0, 2, 2, 1, 0]), np.array([3, 3, 0, 1, 3])
    given_sums = pattern, cell, np.array([1.0, 2, 3, 4, 5]), (3, 5)
    times = np.arange(6.0).reshape(2, 3)
    dense = PatternSums(*given_sums).of(times)
    monkeypatch.setattr(patterns_module, "DENSE", 0)
    assert PatternSums(*given_sums).of(times).tolist() == dense.tolist() == [[6, 4, 0, 4, 0], [15, 16, 0, 28, 0]]


def test_the_seed_decides() -> None:
    table = by_units(ROWS, "ordinal")
    first, again, other = (coefficients(table, resamples=200, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert (first["icc"].low, first["icc"].high) != (other["icc"].low, other["icc"].high)
    assert first["icc"].value == other["icc"].value


@settings(max_examples=25)
@given(rows=tables(3, gaps=True))
def test_bounds_stand_in_order_and_in_range(rows: list[list[Value]]) -> None:
    for name, found in coefficients(by_units(rows, "interval"), resamples=100).items():
        for each in (found, *found.pairs):
            if each.low is not None and each.high is not None:
                assert RANGES.get(name, -np.inf) - 1e-9 <= each.low <= each.high, name
                assert name == "mae" or each.high <= 1 + 1e-9 or name == "icc_k", name


@settings(max_examples=25)
@given(rows=tables(3, gaps=True))
def test_neither_the_order_of_units_nor_of_raters_matters(rows: list[list[Value]]) -> None:
    turned = [list(reversed(row)) for row in reversed(rows)]
    one, other = (coefficients(by_units(each, "ordinal"), resamples=0) for each in (rows, turned))
    for name in NAMES:
        assert one[name].value == (None if other[name].value is None else pytest.approx(other[name].value)), name
        mean = other[name].mean_over_pairs
        assert one[name].mean_over_pairs == (None if mean is None else pytest.approx(mean)), name


def test_raters_who_always_agree_have_an_interval_of_no_width() -> None:
    found = coefficients(by_raters([["a", "b", "a", "b", "a"]] * 3))["percent"]
    assert (found.value, found.low, found.high) == (1, 1, 1)


def test_without_bias_or_skewness_the_interval_is_that_of_percentiles() -> None:
    drawn = np.arange(1001) / 1000
    even = ResampledCoefficient(0.5, drawn, np.array([0.4, 0.6]), np.array([5.0, 5.0]))
    assert acceleration(even) == pytest.approx(0)
    assert interval(even) == pytest.approx((0.025, 0.975))


def test_skewness_and_bias_shift_both_ends() -> None:
    drawn, even = np.arange(1001) / 1000, np.array([5.0, 5.0])
    # Three of four draws lie below the value: Φ(2 × 0.6745 ∓ 1.96), both ends higher.
    assert interval(ResampledCoefficient(0.75, drawn, np.zeros(0), even)) == pytest.approx((0.2706, 0.9995), abs=2e-3)
    # One unit of ten pulls −0.9, nine pull 0.1: Σ pull³ = −0.72, Σ pull² = 0.9, so −0.72 / (6 × 0.9^1.5)
    skewed = ResampledCoefficient(0.5, drawn, np.array([0.9, -0.1]), np.array([1.0, 9.0]))
    assert acceleration(skewed) == pytest.approx(-0.72 / (6 * 0.9**1.5))


def test_where_most_draws_are_undefined_there_is_no_interval() -> None:
    drawn = np.array([0.1, 0.2, np.nan, np.nan])
    assert interval(ResampledCoefficient(0.1, drawn, np.zeros(0), np.ones(2))) is None


def test_a_mean_is_undefined_in_draws_where_one_is() -> None:
    one = ResampledCoefficient(0.2, np.array([0.1, np.nan]), np.zeros(0), np.ones(2))
    other = ResampledCoefficient(0.4, np.array([0.3, 0.5]), np.zeros(0), np.ones(2))
    mean = mean_of([one, other])
    assert (mean.value, mean.drawn[0], np.isnan(mean.drawn[1])) == (pytest.approx(0.3), 0.2, True)
    with pytest.raises(ValueError, match="at least one"):
        mean_of([])
