import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.stats.correlation import COEFFICIENTS, correlation_intervals, drawn_correlations

PAIRS = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=1, max_size=12)


@given(PAIRS, st.integers(0, 1000))
def test_a_draw_says_what_the_coefficient_says_of_the_drawn_pairs(pairs: list[tuple[int, int]], seed: int) -> None:
    one, other = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    places = np.random.default_rng(seed).integers(0, len(pairs), (3, len(pairs)))
    times = np.array([np.bincount(draw, minlength=len(pairs)) for draw in places], dtype=float)
    found = drawn_correlations(one, other, times)
    for name, coefficient in COEFFICIENTS.items():
        expected = [coefficient(one[draw], other[draw]).value for draw in places]
        assert found[name] == pytest.approx([math.nan if each is None else each for each in expected], nan_ok=True)


def test_what_goes_together_perfectly_always_does() -> None:
    assert correlation_intervals([1, 2, 3, 4], [2, 4, 6, 8]) == {
        name: (pytest.approx(1), pytest.approx(1)) for name in COEFFICIENTS
    }


def test_an_interval_holds_the_coefficient_and_gets_narrower_with_more_pairs() -> None:
    widths = []
    for n in (20, 200):
        chance = np.random.default_rng(n)
        left = chance.normal(size=n)
        right = left + chance.normal(size=n)
        bounds = correlation_intervals(left, right)["pearson"]
        assert bounds is not None
        assert bounds[0] < COEFFICIENTS["pearson"](left, right).value < bounds[1]
        widths.append(bounds[1] - bounds[0])
    assert widths[1] < widths[0] / 2  # about √10 of it


@pytest.mark.parametrize(
    ("left", "right"), [([], []), ([1, 2], [1, 2]), ([1, 2, math.nan], [1, 2, 3]), ([5] * 9, range(9))]
)
def test_there_may_be_no_interval(left: list[float], right: list[float]) -> None:
    assert set(correlation_intervals(left, right).values()) == {None}
