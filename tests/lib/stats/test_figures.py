import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from lib.stats.figures import (
    ALL_ALIKE,
    NO_UNITS,
    ONE_UNIT,
    Figure,
    balance_figure,
    bounded,
    bounds_of,
    drawn_figure,
    drawn_means,
    mean_figure,
    share_figure,
)


def test_a_mean_has_students_interval() -> None:
    # 1, 2, 3, 6: mean 3, deviations -2, -1, 0, 3, variance 14/3; t(3) at 97.5 % is 3.182: 3 ± 3.182 · √(14/3 / 4)
    found = mean_figure(np.array([1.0, 2.0, 3.0, 6.0]))
    assert (found.value, found.n) == (3.0, 4)
    assert (found.low, found.high) == pytest.approx((3 - 3.18245 * 1.080123, 3 + 3.18245 * 1.080123), abs=1e-4)


def test_an_interval_ends_where_values_end() -> None:
    values = np.array([9.0, 10.0, 6.0, 10.0])
    free = mean_figure(values)
    assert free.high is not None
    assert free.high > 10
    inside = mean_figure(values, within=(1, 10))
    assert (inside.value, inside.n) == (free.value, free.n)
    assert 1 < inside.low < inside.value < inside.high < 10


def test_an_interval_that_would_leave_its_scale_is_that_of_the_logit() -> None:
    # logit .9 = 2.1972; half a width of .15 is .15 / (.9 · .1) = 1.6667 there; back from .5306 and 3.8639.
    found = bounded(Figure(0.9, 30, 0.75, 1.05), (0.0, 1.0))
    assert (found.value, found.n) == (0.9, 30)
    assert (found.low, found.high) == pytest.approx((0.62962, 0.97945), abs=1e-4)
    # The same place on a scale of 1 to 5.
    wider = bounded(Figure(4.6, 30, 4.0, 5.2), (1.0, 5.0))
    assert (wider.low, wider.high) == pytest.approx((1 + 4 * found.low, 1 + 4 * found.high))


def test_an_interval_inside_its_scale_stays_and_a_value_beyond_it_is_cut() -> None:
    inside = Figure(0.5, 9, 0.2, 0.8, "mind")
    assert bounded(inside, (0.0, 1.0)) is inside
    assert bounded(Figure(1.02, 9, 0.9, 1.14, "mind"), (0.0, 1.0)) == Figure(1.0, 9, 0.9, 1.0, "mind")
    assert bounded(Figure(None, 0, note=NO_UNITS), (0.0, 1.0)).note == NO_UNITS


@given(st.floats(0, 1), st.floats(1e-6, 3))
def test_no_interval_leaves_its_scale_and_each_holds_its_value(value: float, half: float) -> None:
    found = bounded(Figure(value, 9, value - half, value + half), (0.0, 1.0))
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_the_oracle_finds_the_same_mean_and_interval() -> None:
    values = np.random.default_rng(5).normal(2, 3, 40)
    oracle = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    found = mean_figure(values)
    assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high))


@pytest.mark.parametrize(
    ("values", "value", "note"), [([], None, NO_UNITS), ([2.0], 2.0, ONE_UNIT), ([2.0, 2.0], 2.0, ALL_ALIKE)]
)
def test_a_mean_without_an_interval_says_why(values: list[float], value: float | None, note: str) -> None:
    found = mean_figure(np.array(values))
    assert (found.value, found.low, found.high, found.note) == (value, None, None, note)


def test_a_share_has_wilsons_interval() -> None:
    found = share_figure(7, 20)
    assert (found.low, found.high) == pytest.approx(proportion_confint(7, 20, method="wilson"))
    assert share_figure(0, 0).note == NO_UNITS


def test_a_balance_is_agrestis_and_mins() -> None:
    # 10 for, 4 against, 6 neither: b* = 10.5, c* = 4.5, N* = 22; (b* - c*) / N* = 6 / 22 = .27273,
    # √(b* + c* - (b* - c*)² / N*) / N* = √(15 - 36/22) / 22 = .166165; × 1.95996 = .32568
    found = balance_figure(np.repeat([1.0, -1.0, 0.0], [10, 4, 6]))
    assert (found.value, found.n) == (pytest.approx(0.3), 20)
    assert (found.low, found.high) == pytest.approx((0.27273 - 0.32568, 0.27273 + 0.32568), abs=2e-5)


def test_a_balance_that_is_always_even_is_not_certain() -> None:
    # 100 zeros: variance 1 / 102, so ± 1.96 · √(1 / 102 / 102) = 1.96 / 102
    found = balance_figure(np.zeros(100))
    assert (found.value, found.low, found.high) == pytest.approx((0.0, -1.95996 / 102, 1.95996 / 102), abs=1e-6)


@given(arrays(float, st.integers(1, 60), elements=st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0])))
def test_a_balance_turned_round_changes_its_sign(values: np.ndarray) -> None:
    there, back = balance_figure(values), balance_figure(-values)
    assert (there.value, there.low, there.high) == pytest.approx((-back.value, -back.high, -back.low))
    assert -1 <= there.low < there.high <= 1


def test_several_means_are_of_the_same_drawn_units() -> None:
    values = np.arange(12.0)
    drawn = drawn_means([values, values * 2])
    assert drawn[1] == pytest.approx(2 * drawn[0])
    assert np.ptp(drawn[0]) > 0


def test_draws_without_a_value_are_passed_over_unless_they_are_most() -> None:
    assert bounds_of(np.array([np.nan, 1.0, 1.0])) == (1.0, 1.0)
    assert bounds_of(np.array([np.nan, np.nan, 1.0])) == (None, None)


def test_draws_that_are_all_alike_are_no_certainty() -> None:
    assert drawn_figure(1.0, 5, np.ones(9)) == Figure(1.0, 5, note=ALL_ALIKE)
    assert drawn_figure(0.5, 5, np.array([0.5, 0.5, 0.5, 0.6]), "mind").note == "mind"
