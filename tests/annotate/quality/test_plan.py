from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from annotate.quality.acceptance_sampling import chance_of_passing, fewest_intolerable, sample_size


def test_a_small_batch_by_hand() -> None:
    # 10 items, 2 faulty, 3 drawn, none found: 8·7·6 / (10·9·8) = 336/720
    assert chance_of_passing(10, 2, 3) == Fraction(336, 720)
    # one allowed: plus 2·C(8,2) of C(10,3) = 56/120
    assert chance_of_passing(10, 2, 3, 1) == Fraction(336, 720) + Fraction(56, 120)


def test_the_size_for_a_small_batch_by_hand() -> None:
    # More than 10 % of 10 is 2 faulty. n = 7: C(8,7)/C(10,7) = 8/120 > 5 %; n = 8: C(8,8)/C(10,8) = 1/45 <= 5 %.
    assert fewest_intolerable(10, Fraction(1, 10)) == 2
    assert sample_size(10, tolerated=Fraction(1, 10), risk=Fraction(1, 20)) == 8


@pytest.mark.parametrize("batch", [1, 7, 50, 100, 1000])
def test_sizes_for_two_percent_and_five_percent_risk_are_scipys(batch: int) -> None:
    found = sample_size(batch, tolerated=Fraction(2, 100), risk=Fraction(5, 100))
    assert found == scipy_size(batch, batch // 50 + 1, 0.05)


def test_nothing_to_look_at_where_nothing_could_be_wrong() -> None:
    assert sample_size(0, tolerated=Fraction(2, 100), risk=Fraction(5, 100)) == 0
    assert sample_size(20, tolerated=Fraction(1), risk=Fraction(5, 100)) == 0


def scipy_size(batch: int, faulty: int, risk: float) -> int:
    return next(n for n in range(1, batch + 1) if hypergeom.cdf(0, batch, faulty, n) <= risk)


@given(st.data())
def test_the_chance_is_scipys(data: st.DataObject) -> None:
    batch = data.draw(st.integers(1, 400))
    faulty, size = data.draw(st.integers(0, batch)), data.draw(st.integers(0, batch))
    allowed = data.draw(st.integers(0, 5))
    expected = hypergeom.cdf(allowed, batch, faulty, size)
    assert float(chance_of_passing(batch, faulty, size, allowed)) == pytest.approx(expected, abs=1e-9)


@given(st.integers(1, 300), st.integers(0, 99), st.integers(1, 50), st.integers(0, 3))
def test_the_size_is_the_fewest_that_keeps_the_risk(batch: int, percent: int, risk: int, allowed: int) -> None:
    tolerated, limit = Fraction(percent, 100), Fraction(risk, 100)
    size = sample_size(batch, tolerated=tolerated, risk=limit, allowed=allowed)
    faulty = fewest_intolerable(batch, tolerated)
    if faulty <= allowed or size == batch:
        return  # looking at all of them is as sure as one can be
    assert chance_of_passing(batch, faulty, size, allowed) <= limit
    if size > allowed + 1:
        assert chance_of_passing(batch, faulty, size - 1, allowed) > limit


def test_impossible_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="no sample"):
        chance_of_passing(5, 6, 1)
