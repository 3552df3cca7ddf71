"""Alpha of sets with MASI distance, and Kendall's W: by hand, against libraries, at their ends."""

import krippendorff
import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from lib.stats.agreement.sets_and_ranks import alpha_of_sets, kendall_w, masi_distance, mean_kendall_w

A, B, AB, ABC, C = map(frozenset, ("a", "b", "ab", "abc", "c"))


@pytest.mark.parametrize(
    ("left", "right", "distance"),
    [
        (A, A, 0.0),
        (frozenset(), frozenset(), 0.0),
        (A, B, 1.0),
        (A, frozenset(), 1.0),
        (A, AB, 1 - 1 / 2 * 2 / 3),
        (AB, ABC, 1 - 2 / 3 * 2 / 3),
        (AB, frozenset("bc"), 1 - 1 / 3 * 1 / 3),
    ],
)
def test_masi_by_hand(left: frozenset[str], right: frozenset[str], distance: float) -> None:
    assert masi_distance(left, right) == pytest.approx(distance)
    assert masi_distance(right, left) == masi_distance(left, right)


def test_alpha_of_sets_is_that_of_the_library_with_the_same_distance() -> None:
    chance = np.random.default_rng(1)
    kinds = [A, B, AB, ABC, C]
    codes = chance.integers(0, 5, size=(3, 60)).astype(float)
    codes[chance.random(codes.shape) < 0.2] = np.nan
    ratings = {unit: [kinds[int(code)] for code in codes[:, unit] if not np.isnan(code)] for unit in range(60)}

    def squared(left: np.ndarray, right: np.ndarray, **_more: object) -> np.ndarray:
        return np.vectorize(lambda i, j: masi_distance(kinds[int(i)], kinds[int(j)]))(left, right)

    oracle = krippendorff.alpha(codes, level_of_measurement=squared, value_domain=np.arange(5.0))
    found = alpha_of_sets({unit: sets for unit, sets in ratings.items() if sets})
    assert found.value == pytest.approx(oracle, abs=1e-12)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high


def test_alpha_of_single_labels_is_nominal_alpha() -> None:
    chance = np.random.default_rng(2)
    codes = chance.integers(0, 3, size=(4, 40))
    single = {unit: [frozenset(str(code)) for code in codes[:, unit]] for unit in range(40)}
    oracle = krippendorff.alpha(codes, level_of_measurement="nominal")
    assert alpha_of_sets(single).value == pytest.approx(oracle, abs=1e-12)


def test_perfect_agreement_is_one_and_one_value_says_nothing() -> None:
    assert alpha_of_sets({1: [A, A], 2: [B, B]}).value == 1
    same = alpha_of_sets({1: [A, A], 2: [A, A]})
    assert (same.value, same.n) == (None, 2)
    assert same.note
    assert alpha_of_sets({1: [A]}).value is None
    assert alpha_of_sets({}).value is None


def test_clusters_widen_the_interval() -> None:
    chance = np.random.default_rng(3)
    ratings = {
        unit: [A if (unit // 20 + noise) % 2 else B for noise in (0, int(chance.random() < 0.1))] for unit in range(200)
    }
    alone = alpha_of_sets(ratings)
    together = alpha_of_sets(ratings, clusters={unit: unit // 20 for unit in ratings})
    assert alone.value == together.value
    assert None not in (alone.low, alone.high, together.low, together.high)


def test_w_by_hand() -> None:
    assert kendall_w(np.array([[1, 2, 3], [1, 2, 3]])) == 1
    assert kendall_w(np.array([[1.0, 2, 3], [3, 2, 1]])) == 0
    assert np.isnan(kendall_w(np.array([[2.0, 2, 2], [2, 2, 2]])))


def test_w_is_friedmans_chi_square_divided() -> None:
    """Chi-square = raters × (things − 1) × W, with the same correction for ties."""
    ranks = np.array([[1, 2, 3, 4], [2, 1, 3, 4], [1.5, 1.5, 4, 3], [1, 3, 2, 4]])
    chi_square = friedmanchisquare(*ranks.T).statistic
    assert kendall_w(ranks) == pytest.approx(chi_square / (4 * 3))


def test_the_mean_of_w_is_over_units_with_two_raters() -> None:
    orders = {1: [[1, 2, 3], [1, 2, 3]], 2: [[1, 2, 3], [3, 2, 1]], 3: [[1, 2, 3]], 4: [[1, 1, 1], [1, 1, 1]]}
    found = mean_kendall_w(orders)
    assert (found.value, found.n) == (0.5, 2)
    assert mean_kendall_w({1: [[1, 2]]}).value is None
