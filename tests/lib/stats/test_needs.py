import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.stats.sample_size import needed, two_digits


@pytest.mark.parametrize(
    ("number", "rounded"),
    [(0, 0), (1, 1), (35, 35), (99, 99), (108, 110), (994, 990), (996, 1000), (12434, 12000), (568177, 570000)],
)
def test_a_plan_has_two_digits(number: int, rounded: int) -> None:
    assert two_digits(number) == rounded


@given(st.integers(1, 10**9))
def test_rounding_moves_a_plan_by_a_twentieth_at_most(number: int) -> None:
    assert abs(two_digits(number) - number) <= number / 20
    assert two_digits(two_digits(number)) == two_digits(number)


def test_a_plan_is_told_with_its_range() -> None:
    assert needed(12434, 5310, 30012) == "12000 (5300–30000)"
    assert needed(108, 62, None) == "110 (62 or more)"
    assert needed(0, None, None) == "0"
    assert needed(None, None, None) == ""
