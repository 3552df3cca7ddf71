"""Intervals of correlations of rankings: every resample says what the plain coefficients say."""

import numpy as np
import pytest

from lib.stats.correlation import intervals, kendall, pearson, spearman


def test_one_resample_says_what_the_coefficient_says() -> None:
    chance = np.random.default_rng(5)
    for _time in range(20):
        left, right = chance.integers(1, 5, 6).astype(float), chance.integers(1, 5, 6).astype(float)
        found = intervals(left[None], right[None])
        for name, coefficient in (("kendall", kendall), ("spearman", spearman), ("pearson", pearson)):
            value = coefficient(list(left), list(right)).value
            assert found[name] == (None if value is None else pytest.approx((value, value))), name


def test_where_all_authors_are_equal_there_is_no_interval() -> None:
    assert intervals(np.ones((4, 3)), np.array([[1.0, 2, 3]] * 4))["kendall"] is None
