import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lib.stats.agreement import coefficients
from lib.stats.agreement.pair import Linear, Tau, TauCounts, below, tau_of
from tests.lib.stats.agreement.tables import by_units

ENTRIES = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 3)),
    min_size=2,
    max_size=40,
    unique_by=lambda e: e[:2],
)


def margins(left: np.ndarray, right: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    sides = (np.array([np.bincount(side, row) for row in drawn]) for side in (left, right))
    return drawn.sum(axis=1), *sides  # type: ignore[return-value]


@given(entries=ENTRIES)
def test_what_is_below_is_counted_one_by_one(entries: list[tuple[int, int, int]]) -> None:
    left, right, weight = (np.array(side) for side in zip(*entries, strict=True))
    expected = [weight[(left < one) & (right < other)].sum() for one, other in zip(left, right, strict=True)]
    assert below(left, right, weight.astype(float)).tolist() == expected


@given(entries=ENTRIES)
def test_both_ways_give_the_same_value(entries: list[tuple[int, int, int]]) -> None:
    left, right, counts = (np.array(side) for side in zip(*entries, strict=True))
    drawn = counts[None].astype(float)
    ways: list[Tau] = [TauCounts(left, right), Linear(left, right, counts.astype(float))]
    one, other = (way.of(drawn, *margins(left, right, drawn))[0] for way in ways)
    assert one == pytest.approx(other, nan_ok=True)


def test_resamples_followed_to_first_order_are_those_counted_out() -> None:
    chance = np.random.default_rng(7)
    left = chance.permutation(400)
    right = np.argsort(np.argsort(left + chance.normal(0, 150, 400)))
    counts = np.ones(400)
    drawn = chance.multinomial(400, counts / 400, size=50).astype(float)
    exact = TauCounts(left, right).of(drawn, *margins(left, right, drawn))
    close = Linear(left, right, counts).of(drawn, *margins(left, right, drawn))
    # Beside the spread of the resamples, what is left out is little.
    assert np.abs(exact - close).max() < 0.35 * exact.std()
    assert close.std() == pytest.approx(exact.std(), rel=0.1)


def test_many_values_are_followed_to_first_order() -> None:
    assert isinstance(tau_of(np.arange(201), np.arange(201), np.ones(201)), Linear)
    assert isinstance(tau_of(np.arange(200), np.arange(200), np.ones(200)), TauCounts)


def test_scipy_says_the_same_of_many_values() -> None:
    chance = np.random.default_rng(8)
    left = chance.normal(size=1500)
    right = np.round(left + chance.normal(size=1500), 2)
    found = coefficients(by_units(np.column_stack([left, right]).tolist(), "interval"), resamples=50, names=["kendall"])
    assert found["kendall"].value == pytest.approx(stats.kendalltau(left, right).statistic)
