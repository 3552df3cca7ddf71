import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, pearsonr, spearmanr

from lib.stats.correlation import clustered_pearson
from lib.stats.settings import pairs

NAN = np.nan


def test_differences_of_means_are_over_the_cases_of_both() -> None:
    # author 1: (6 + 8) / 2 = 7 against (7 + 9) / 2 = 8: +1; author 2: only the first case has both: 5 − 4 = +1…
    values = np.array([[[6, 8], [4, 2]], [[7, 9], [5, NAN]]], dtype=float)
    (pair,) = pairs(values)
    assert [(one.value, one.n) for one in pair.by_author] == [(1.0, 2), (1.0, 1)]
    assert (pair.mean.value, pair.mean.n) == (1.0, 3)


def test_the_interval_of_a_difference_is_paired() -> None:
    # Both settings differ by exactly 1 on every case, however much cases differ: drawn again it stays 1.
    chance = np.random.default_rng(1)
    one = chance.integers(1, 9, size=(3, 60)).astype(float)
    (pair,) = pairs(np.array([one, one + 1]))
    assert [one.value for one in pair.by_author] == [1.0] * 3
    assert (pair.by_author[0].low, pair.by_author[0].note != "") == (None, True)


def test_ranks_of_authors_are_correlated_with_an_interval_over_cases() -> None:
    chance = np.random.default_rng(2)
    quality = np.array([8.0, 7.0, 6.8, 5.0])[:, None]
    values = np.array([quality + chance.normal(0, 2, (4, 80)) for _setting in range(2)])
    (pair,) = pairs(values)
    means = values.mean(axis=2)
    assert pair.spearman.value == pytest.approx(spearmanr(*means).statistic)
    assert pair.kendall.value == pytest.approx(kendalltau(*means).statistic)
    assert pair.spearman.n == pair.kendall.n == 4
    for each in (pair.spearman, pair.kendall):
        assert each.low is not None
        assert each.value is not None
        assert each.high is not None
        assert each.low <= each.value <= each.high


def test_a_setting_with_the_order_reversed_has_the_interval_reversed() -> None:
    chance = np.random.default_rng(2)
    quality = np.array([8.0, 7.0, 6.8, 5.0])[:, None]
    first, second = (quality + chance.normal(0, 2, (4, 80)) for _setting in range(2))
    (pair,), (reversed_pair,) = pairs(np.array([first, second])), pairs(np.array([first, -second]))
    for figure, opposite in ((pair.spearman, reversed_pair.spearman), (pair.kendall, reversed_pair.kendall)):
        assert figure.low is not None
        assert figure.high is not None
        assert (opposite.low, opposite.high) == pytest.approx((-figure.high, -figure.low))


def test_an_order_that_no_draw_changes_has_no_interval_and_says_why() -> None:
    values = np.array([[[9.0] * 5, [1.0] * 5], [[8.0] * 5, [2.0] * 5]])
    (pair,) = pairs(values)
    assert (pair.spearman.value, pair.spearman.low) == (1.0, None)
    assert "the order is the same whichever cases are drawn" in pair.spearman.note


def test_one_author_has_no_rank() -> None:
    (pair,) = pairs(np.array([[[9.0, 8.0]], [[7.0, 8.0]]]))
    assert (pair.spearman.value, pair.kendall.value) == (None, None)
    assert pair.spearman.note


def test_five_settings_make_ten_pairs() -> None:
    values = np.random.default_rng(3).normal(7, 1, (5, 3, 20))
    assert [(pair.first, pair.second) for pair in pairs(values)][:5] == [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2)]
    assert len(pairs(values)) == 10


def times(clusters: int, count: int = 200) -> np.ndarray:
    return np.random.default_rng(4).multinomial(clusters, np.full(clusters, 1 / clusters), size=count).astype(float)


@given(st.integers(0, 1000))
def test_a_correlation_of_clusters_is_pearsons(seed: int) -> None:
    chance = np.random.default_rng(seed)
    one, other = chance.normal(size=30), chance.normal(size=30)
    cluster = np.repeat(np.arange(10), 3)
    found = clustered_pearson(one, other, cluster, times(10))
    assert found.value == pytest.approx(pearsonr(one, other).statistic)
    assert found.n == 30
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low <= found.high <= 1


def test_answers_to_one_case_are_drawn_together_so_that_copies_say_nothing_new() -> None:
    chance = np.random.default_rng(5)
    one = chance.normal(size=12)
    other = one + chance.normal(size=12)
    alone = clustered_pearson(one, other, np.arange(12), times(12))
    copied = clustered_pearson(np.tile(one, 9), np.tile(other, 9), np.tile(np.arange(12), 9), times(12))
    assert (copied.low, copied.high) == pytest.approx((alone.low, alone.high))
    assert copied.n == 9 * alone.n
