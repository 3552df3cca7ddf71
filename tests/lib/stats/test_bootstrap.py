import numpy as np
import pytest
from scipy import stats

from lib.stats.averages import AverageCell, ScoreTable, averages, cell_means
from lib.stats.bootstrap import draws, intervals, paired_difference, with_interval

CELLS = [AverageCell("ec", "Coding"), AverageCell("rm", "Coding")]


def coins(authors: int, items: int, seed: int = 1) -> ScoreTable:
    values = np.random.default_rng(seed).integers(0, 2, (authors, items)).astype(float)
    return ScoreTable([f"a{place}" for place in range(authors)], values, np.arange(items) % 2, CELLS)


def test_items_that_are_all_alike_leave_nothing_uncertain() -> None:
    table = ScoreTable(["a"], np.full((1, 6), 0.25), np.arange(6) % 2, CELLS)
    assert intervals(draws(table)).tolist() == [[[0.25, 0.25]] * 3]


def test_items_are_drawn_within_their_task() -> None:
    # Each task has one value only, so every draw has the same two means: 1 and 0, and 0.5 together.
    table = ScoreTable(["a"], np.array([[1.0, 0.0, 1.0, 0.0]]), np.arange(4) % 2, CELLS)
    assert np.unique(draws(table)[0], axis=0).tolist() == [[1.0, 0.0, 0.5]]


def test_the_same_seed_says_the_same() -> None:
    table = coins(2, 20)
    assert (draws(table) == draws(table)).all()
    assert (draws(table) != draws(table, seed=2)).any()


def test_authors_get_the_same_items_in_the_same_draw() -> None:
    table = coins(1, 30)
    twins = ScoreTable(["a", "b"], np.vstack([table.values, table.values]), table.cell, CELLS)
    drawn = draws(twins)
    assert (drawn[0] == drawn[1]).all()


def test_missing_items_are_gaps_and_not_zeros() -> None:
    table = ScoreTable(["a"], np.array([[1.0, np.nan, 1.0, np.nan]]), np.zeros(4, dtype=int), CELLS)
    drawn = draws(table)[0, :, 0]
    assert set(drawn[~np.isnan(drawn)]) == {1.0}  # a draw may hold only gaps: 1 in 16
    assert intervals(draws(table))[0, 0].tolist() == [1.0, 1.0]
    assert np.isnan(intervals(draws(table))[0, 1]).all()


def test_the_interval_is_about_that_of_the_normal_distribution() -> None:
    # The mean of n items has a spread of their deviation / √n.
    values = np.random.default_rng(7).normal(0.5, 0.1, (1, 400))
    table = ScoreTable(["a"], values, np.zeros(400, dtype=int), CELLS[:1])
    spread = values.std() / 20
    low, high = intervals(draws(table, count=4000))[0, -1]
    assert [low, high] == pytest.approx(
        [values.mean() - 1.96 * spread, values.mean() + 1.96 * spread], abs=0.15 * spread
    )


def test_the_oracle_draws_the_same_interval() -> None:
    values = np.random.default_rng(3).uniform(size=200)
    table = ScoreTable(["a"], values[None], np.zeros(200, dtype=int), CELLS[:1])
    low, high = intervals(draws(table, count=4000))[0, -1]
    oracle = stats.bootstrap((values,), np.mean, n_resamples=4000, method="percentile", rng=5).confidence_interval
    assert [low, high] == pytest.approx([oracle.low, oracle.high], abs=0.004)  # a tenth of the interval's width


def test_an_interval_holds_the_average() -> None:
    table = coins(5, 60)
    found, bounds = averages(cell_means(table), CELLS), intervals(draws(table))
    assert (bounds[..., 0] <= found).all()
    assert (found <= bounds[..., 1]).all()


def test_a_paired_difference_is_about_common_items_only() -> None:
    values = np.array([[1.0, 1.0, 0.0, np.nan], [0.0, 1.0, np.nan, 1.0]])
    table = ScoreTable(["a", "b"], values, np.zeros(4, dtype=int), CELLS)
    ec, rm, overall = paired_difference(table, 0, 1)
    assert (ec.column, ec.value, ec.n) == ("ec", 0.5, 2)  # (1 − 0 + 1 − 1) / 2
    assert (ec.low, ec.high) == (None, None)  # of two items
    assert (rm.value, rm.low, rm.n) == (None, None, 0)
    assert overall.value == 0.5


def test_a_mean_of_six_items_has_an_interval_and_of_five_has_none() -> None:
    values = np.array([[1.0, 0.0, 1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0, 1.0, np.nan]])
    table = ScoreTable(["a", "b"], values, np.zeros(6, dtype=int), CELLS[:1])
    assert with_interval(table).tolist() == [[True, True], [False, False]]
    assert paired_difference(table, 0, 1)[-1].low is None


def test_a_paired_difference_turned_round_changes_its_sign() -> None:
    table = coins(2, 40)
    there, back = paired_difference(table, 0, 1)[-1], paired_difference(table, 1, 0)[-1]
    assert (there.value, there.low, there.high) == pytest.approx((-back.value, -back.high, -back.low))


def test_a_paired_difference_is_narrower_than_two_intervals_where_items_are_hard_for_both() -> None:
    hard = np.random.default_rng(11).uniform(size=100)
    values = np.vstack([hard, np.clip(hard + 0.05, 0, 1)])
    table = ScoreTable(["a", "b"], values, np.zeros(100, dtype=int), CELLS[:1])
    alone = intervals(draws(table))[:, -1]
    paired = paired_difference(table, 1, 0)[-1]
    assert alone[1, 0] < alone[0, 1]  # the single intervals overlap
    assert paired.low > 0  # and yet the second is better


def test_nobody_has_anything() -> None:
    nothing = ScoreTable(["a", "b"], np.full((2, 0), np.nan), np.zeros(0, dtype=int), CELLS)
    assert [each.value for each in paired_difference(nothing, 0, 1)] == [None, None, None]
