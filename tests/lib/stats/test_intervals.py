import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from lib.stats.intervals import DRAWN_UP_TO, mean_interval, median_interval, wilson


def test_wilson_of_half_of_ten() -> None:
    # z² = 3.8415; centre (0.5 + 3.8415/20) / (1 + 3.8415/10) = 0.692075 / 1.38415 = 0.5
    # spread 1.96 · √(0.25/10 + 3.8415/400) / 1.38415 = 1.96 · 0.186023 / 1.38415 = 0.26341
    found = wilson(5, 10)
    assert found == (pytest.approx(0.2366, abs=1e-4), pytest.approx(0.7634, abs=1e-4))


def test_wilson_of_none_of_ten_begins_at_nothing() -> None:
    # high = z²/n / (1 + z²/n) = 0.38415 / 1.38415 = 0.27754
    assert wilson(0, 10) == (0.0, pytest.approx(0.27754, abs=1e-5))


@given(st.integers(0, 600), st.integers(1, 600))
def test_wilson_is_the_librarys(hits: int, n: int) -> None:
    hits = min(hits, n)
    assert wilson(hits, n) == pytest.approx(proportion_confint(hits, n, method="wilson"), abs=1e-9)


def test_a_share_of_nothing_is_undefined() -> None:
    assert wilson(0, 0) is None


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_share_lies_in_its_interval_and_mirrors(case: tuple[int, int]) -> None:
    hits, n = case
    here, mirrored = wilson(hits, n), wilson(n - hits, n)
    assert here is not None
    assert mirrored is not None
    assert 0 <= here.low <= hits / n <= here.high <= 1
    assert here.low == pytest.approx(1 - mirrored.high)


def test_the_bootstrap_of_two_values_reaches_both() -> None:
    # Four equally likely draws of (1, 3): means 1, 2, 2, 3; each end has a quarter, far more than 2.5 %.
    assert mean_interval([1, 3]) == (1, 3)


def test_equal_values_leave_no_doubt() -> None:
    assert mean_interval([4, 4, 4]) == (4, 4)


@pytest.mark.parametrize("values", [[], [7.0]])
def test_fewer_than_two_values_have_no_interval(values: list[float]) -> None:
    assert mean_interval(values) is None


def test_many_values_use_the_normal_approximation() -> None:
    # 0 and 2 in equal parts: mean 1, deviation √(n/(n-1)) ≈ 1; half = 1.96 / √n
    n = DRAWN_UP_TO + 2
    half = 1.959964 * (n / (n - 1)) ** 0.5 / n**0.5
    assert mean_interval([0, 2] * (n // 2)) == (pytest.approx(1 - half), pytest.approx(1 + half))


def test_the_same_values_give_the_same_interval() -> None:
    values = [1.0, 2.0, 5.0, 9.0]
    assert mean_interval(values) == mean_interval(values)


@pytest.mark.parametrize(
    ("n", "low", "high"),
    [
        # P(Bin(6, ½) < 1) = 1/64 = 1.6 %, but P(Bin(6, ½) < 2) = 11 %: nothing is cut off
        (6, 1, 6),
        # P(Bin(10, ½) < 2) = 11/1024 = 1.1 %, P(< 3) = 5.5 %: one at each end
        (10, 2, 9),
        # P(Bin(20, ½) < 6) = 2.1 %, P(< 7) = 5.8 %
        (20, 6, 15),
    ],
)
def test_the_interval_of_a_median_lies_between_two_of_the_values(n: int, low: int, high: int) -> None:
    values = list(range(n, 0, -1))
    assert median_interval(values) == (low, high)


@pytest.mark.parametrize("values", [[], [1], [1, 2, 3, 4, 5]])
def test_five_values_are_too_few_for_a_median(values: list[int]) -> None:
    assert median_interval(values) is None


def test_the_interval_of_many_values_covers_the_median_about_as_often_as_it_says() -> None:
    draws = np.random.default_rng(11).exponential(size=(400, 1200))
    covered = [found.low <= np.log(2) <= found.high for row in draws if (found := median_interval(list(row)))]
    assert np.mean(covered) >= 0.93
