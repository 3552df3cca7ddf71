import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lib.stats.bootstrap import resampled, shift, shift_by_chance


def column(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)[:, None]


def test_a_ratio_is_the_sum_over_the_count() -> None:
    # items of 1, 2 and 0 texts; kept 1, 1 and 0 of them: 2 of 3
    found = resampled(column(1, 1, 0), column(1, 2, 0))
    assert found.value(0) == pytest.approx(2 / 3)


def test_nothing_has_no_value_and_one_item_no_interval() -> None:
    nothing = resampled(column(0, 0), column(0, 0))
    assert (nothing.value(0), nothing.interval(0)) == (None, None)
    assert resampled(np.zeros((0, 2)), np.zeros((0, 2))).value(1) is None
    alone = resampled(column(1, 0), column(1, 0))
    assert (alone.value(0), alone.interval(0)) == (1.0, None)


def test_the_interval_is_that_of_a_plain_bootstrap_where_every_item_has_one_text() -> None:
    values = np.random.default_rng(3).random(60)
    ours = resampled(values[:, None], np.ones((60, 1)), draws=4000).interval(0)
    oracle = stats.bootstrap((values,), np.mean, n_resamples=4000, method="percentile", rng=5).confidence_interval
    assert ours is not None
    assert ours.low == pytest.approx(oracle.low, abs=0.01)
    assert ours.high == pytest.approx(oracle.high, abs=0.01)


def test_texts_about_one_item_do_not_count_as_many_items() -> None:
    chance = np.random.default_rng(1).integers(0, 2, 40).astype(float)
    single = resampled(chance[:, None], np.ones((40, 1))).interval(0)
    tenfold = resampled(10 * chance[:, None], np.full((40, 1), 10.0)).interval(0)
    assert single == tenfold


def test_a_difference_is_taken_on_the_same_draws() -> None:
    values = np.random.default_rng(2).random((30, 1))
    both = resampled(np.hstack([values + 0.25, values]), np.ones((30, 2)))
    value, interval = both.difference(0, 1)
    assert value == pytest.approx(0.25)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.25, 0.25))


def test_where_all_items_say_the_same_there_is_an_interval_still() -> None:
    # 22 of 22 by Wilson: 22 / (22 + 1.96²) = 0.851 is the least; with ten texts each they are 22 items as before
    for texts in (1, 10):
        interval = resampled(np.full((22, 1), float(texts)), np.full((22, 1), float(texts))).interval(0)
        assert interval == pytest.approx((0.8513, 1.0), abs=1e-4)
    assert resampled(np.zeros((22, 1)), np.ones((22, 1))).interval(0) == pytest.approx((0.0, 0.1487), abs=1e-4)


def test_a_difference_from_what_does_not_vary_is_no_narrower_than_either() -> None:
    sums, counts = np.zeros((40, 2)), np.zeros((40, 2))
    counts[:20, 0] = counts[20:, 1] = 1  # all twenty of one group, all twenty but ten of the other
    sums[:20, 0] = sums[20:30, 1] = 1
    found = resampled(sums, counts)
    value, interval = found.difference(0, 1)
    assert value == pytest.approx(0.5)
    varying = found.interval(1)
    assert varying is not None
    assert interval is not None
    # by hand: Wilson's lower end of 20 of 20 is 20 / (20 + 1.96²) = 0.8389, 0.1611 below the value
    assert interval.low == pytest.approx(0.5 - np.hypot(0.1611, varying.high - 0.5), abs=1e-4)
    assert interval.high == pytest.approx(0.5 + (0.5 - varying.low))
    back = found.difference(1, 0)[1]
    assert back == pytest.approx((-interval.high, -interval.low))


def test_the_interval_of_a_share_near_its_end_holds_the_truth_nineteen_times_in_twenty() -> None:
    """With 22 items of which each is kept with 0.95, every third study sees no other; draws alone would hold 0.67."""
    chance = np.random.default_rng(20240501)
    ones, held = np.ones((22, 1)), 0
    for _study in range(500):
        interval = resampled((chance.random((22, 1)) < 0.95).astype(float), ones, draws=200).interval(0)
        assert interval is not None
        held += interval.low <= 0.95 <= interval.high
    assert held >= 0.93 * 500


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=20))
def test_an_interval_of_shares_stays_between_none_and_all(rows: list[tuple[int, int]]) -> None:
    counts = column(*(count for count, _kept in rows))
    sums = column(*(min(count, kept) for count, kept in rows))
    interval = resampled(sums, counts, draws=50).interval(0)
    assert interval is None or 0 <= interval.low <= interval.high <= 1


def test_the_shift_between_groups_by_hand() -> None:
    # here: a, a, b -> 2/3, 1/3; there: b, b -> 0, 1; half of 2/3 + 2/3 is 2/3
    labels = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 1]], dtype=float)
    other = np.array([False, False, False, True, True])
    assert shift(labels, other) == pytest.approx(2 / 3)
    assert shift(labels, np.zeros(5, dtype=bool)) is None
    assert shift(labels[:, :1] * 0, other) is None


def test_the_interval_of_a_shift_holds_the_truth_also_where_there_is_none() -> None:
    """Two groups of 60 and 20 items, four labels each given as often by both: percentiles of draws would hold 0."""
    chance = np.random.default_rng(20240502)
    other, held = np.arange(80) >= 60, 0
    for _study in range(300):
        labels = np.eye(4)[chance.integers(0, 4, 80)]
        groups = np.hstack([labels * ~other[:, None], labels * other[:, None]])
        counts = np.hstack([np.repeat(group[:, None], 4, axis=1) for group in (~other, other)]).astype(float)
        found = resampled(groups, counts, draws=200).shift_interval(range(4), range(4, 8))
        value = shift(labels, other)
        assert found is not None
        assert value is not None
        assert found.low <= value <= found.high
        held += found.low == 0
    assert held >= 0.93 * 300


def test_a_shift_between_groups_that_all_say_the_same_has_no_interval() -> None:
    ones = np.ones((8, 2))
    assert resampled(ones, ones).shift_interval([0], [1]) is None


def test_chance_alone_shifts_few_texts_more_than_many() -> None:
    def by_chance(n: int) -> float:
        labels = np.eye(2)[np.arange(n) % 2]
        found = shift_by_chance(labels, np.arange(n) < n // 2)
        assert found is not None
        return found

    assert 0 < by_chance(400) < by_chance(20) < 1
