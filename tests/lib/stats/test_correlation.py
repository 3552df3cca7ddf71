import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from lib.stats.correlation import COEFFICIENTS, Correlation, kendall, mean_ranks, pearson, spearman

ORACLES: dict[str, Callable[..., object]] = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall": stats.kendalltau,
}
PAIRS = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=30)


def test_by_hand() -> None:
    left, right = [1, 2, 3, 4], [1, 3, 2, 4]
    # Deviations −1.5 −0.5 0.5 1.5 and −1.5 0.5 −0.5 1.5: (2.25 − 0.25 − 0.25 + 2.25) / 5 = 0.8; values are their ranks
    assert pearson(left, right).value == pytest.approx(0.8)
    assert spearman(left, right).value == pytest.approx(0.8)
    # Of 6 pairs 5 agree and 1 does not: (5 − 1) / 6
    assert kendall(left, right).value == pytest.approx(4 / 6)


def test_ties_by_hand() -> None:
    left, right = [1, 1, 2], [1, 2, 3]
    # 2 of 3 pairs agree, 1 is tied on the left: 2 / √(2 × 3)
    assert kendall(left, right).value == pytest.approx(2 / math.sqrt(6))
    assert mean_ranks(np.array([7.0, 7.0, 3.0])).tolist() == [2.5, 2.5, 1.0]


@pytest.mark.parametrize("coefficient", COEFFICIENTS.values(), ids=COEFFICIENTS)
def test_gaps_are_left_out_and_counted(coefficient: Callable[..., Correlation]) -> None:
    found = coefficient([1, 2, math.nan, 4], [1, 2, 3, math.nan])
    assert (found.value, found.n, found.skipped) == (pytest.approx(1), 2, 2)


@pytest.mark.parametrize("coefficient", COEFFICIENTS.values(), ids=COEFFICIENTS)
@pytest.mark.parametrize(("left", "right"), [([], []), ([1], [2]), ([3, 3, 3], [1, 2, 3])])
def test_there_may_be_no_value(coefficient: Callable[..., Correlation], left: list[int], right: list[int]) -> None:
    assert coefficient(left, right) == Correlation(None, len(left), 0)


def test_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="2 values cannot be paired with 3"):
        pearson([1, 2], [1, 2, 3])


@pytest.mark.parametrize("name", COEFFICIENTS)
@given(pairs=PAIRS)
def test_scipy_says_the_same(name: str, pairs: list[tuple[int, int]]) -> None:
    left, right = zip(*pairs, strict=True)
    assume(len(set(left)) > 1 and len(set(right)) > 1)
    found = COEFFICIENTS[name](left, right)
    assert found.value == pytest.approx(ORACLES[name](left, right).statistic)


@pytest.mark.parametrize("name", COEFFICIENTS)
@given(pairs=PAIRS)
def test_it_is_symmetric_and_turns_its_sign_with_one_list(name: str, pairs: list[tuple[int, int]]) -> None:
    left, right = zip(*pairs, strict=True)
    assume(len(set(left)) > 1 and len(set(right)) > 1)
    value = COEFFICIENTS[name](left, right).value
    assert COEFFICIENTS[name](right, left).value == pytest.approx(value)
    assert COEFFICIENTS[name]([-each for each in left], right).value == pytest.approx(-value)


def test_tiny_differences_are_differences() -> None:
    assert pearson([0, 1e-200, 2e-200], [0, 1, 2]).value == pytest.approx(1)
