import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lib.stats.ranking.standings import rank_ranges


def drawn(estimates: list[float], spread: float, count: int = 2000, seed: int = 1) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0, spread, (len(estimates), count))
    return np.array(estimates)[:, None] + noise


def test_far_apart_authors_have_one_rank_each() -> None:
    estimates = [0.2, 0.9, 0.5]
    assert rank_ranges(np.array(estimates), drawn(estimates, 0.01)).tolist() == [[3, 3], [1, 1], [2, 2]]


def test_what_noise_could_turn_round_shares_its_ranks() -> None:
    # 0.90 and 0.89 differ by less than their noise of 0.02; 0.2 is below both with certainty.
    estimates = [0.90, 0.89, 0.2]
    assert rank_ranges(np.array(estimates), drawn(estimates, 0.02)).tolist() == [[1, 2], [1, 2], [3, 3]]


def test_what_moves_together_is_told_apart_however_much_it_moves() -> None:
    common = np.random.default_rng(2).normal(0, 0.3, 1000)
    shaken = np.vstack([0.6 + common, 0.5 + common + np.random.default_rng(3).normal(0, 0.001, 1000)])
    assert rank_ranges(np.array([0.6, 0.5]), shaken).tolist() == [[1, 1], [2, 2]]


def test_equal_authors_are_never_told_apart() -> None:
    same = np.tile(np.random.default_rng(4).normal(0.5, 0.1, 500), (3, 1))
    assert rank_ranges(np.full(3, 0.5), same).tolist() == [[1, 3]] * 3


def test_one_author_is_first_and_none_is_nothing() -> None:
    assert rank_ranges(np.array([0.4]), drawn([0.4], 0.1)).tolist() == [[1, 1]]
    assert rank_ranges(np.empty(0), np.empty((0, 10))).shape == (0, 2)


def test_the_critical_value_is_the_textbooks() -> None:
    # Two authors, one pair: the statistic is |N(0, 1)|, whose 95 % quantile is 1.96. The difference has a spread of
    # 0.1 × √2 = 0.1414, so it takes 0.277 to tell them apart: 0.25 does not, 0.30 does.
    for gap, apart in ((0.25, False), (0.30, True)):
        ranges = rank_ranges(np.array([gap, 0.0]), drawn([gap, 0.0], 0.1, count=20_000))
        assert (ranges.tolist() == [[1, 1], [2, 2]]) is apart


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.001, 0.3))
def test_a_range_holds_the_authors_own_rank(estimates: list[float], spread: float) -> None:
    values = np.array(estimates)
    ranges = rank_ranges(values, drawn(estimates, spread, count=200))
    ranks = 1 + (values[None] > values[:, None]).sum(axis=1)
    assert (ranges[:, 0] <= ranks).all()
    assert (ranks <= ranges[:, 1]).all()
