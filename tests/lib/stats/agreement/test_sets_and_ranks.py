"""Alpha of sets with MASI distance, and Kendall's W: by hand, against libraries, at their ends."""

import krippendorff
import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from lib.stats.agreement import ratings
from lib.stats.agreement.pooled import against
from lib.stats.agreement.sets_and_ranks import (
    alpha_of_sets,
    kendall_w,
    masi_distance,
    mean_kendall_w,
    orders_beside,
    sets_beside,
)

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


# --- a judge beside people ------------------------------------------------------------------------------------------
def test_a_judge_beside_people_by_hand() -> None:
    """Units 1 and 2 have two people and the judge; unit 3 has one person, unit 4 no judge. People agree on both of the
    units: 1. Each person is right with the judge on unit 1 and not on unit 2."""
    people = {1: [A, A], 2: [B, B], 3: [A], 4: [A, B]}
    found = sets_beside(people, {1: A, 2: A, 3: A})
    assert (found.people.value, found.people.n, found.judge.n, found.pairs) == (1, 2, 2, 4)
    pairs = {"1a": [A, A], "1b": [A, A], "2a": [B, A], "2b": [B, A]}
    assert found.judge.value == alpha_of_sets(pairs).value
    assert found.judge.value is not None
    assert found.difference.value == pytest.approx(found.judge.value - 1)


def test_single_labels_give_what_alpha_gives_for_numbers() -> None:
    """At distances 0 and 1 two numbers are labels: alpha at interval level of 0 and 1 is nominal alpha."""
    chance = np.random.default_rng(4)
    codes = chance.integers(0, 2, size=(4, 50))  # three people and a judge
    people = {unit: [frozenset(str(code)) for code in codes[:3, unit]] for unit in range(50)}
    judge = {unit: frozenset(str(codes[3, unit])) for unit in range(50)}
    rows = [(str(unit), str(rater), float(codes[rater, unit])) for unit in range(50) for rater in range(4)]
    oracle = against(ratings(rows, "interval"), ["0", "1", "2"], "3")
    found = sets_beside(people, judge)
    for side in ("people", "judge", "difference"):
        assert getattr(found, side).value == pytest.approx(getattr(oracle, side).value, abs=1e-12), side
    assert found.pairs == oracle.judge.pairs


def test_orders_are_compared_in_pairs_on_both_sides() -> None:
    """W of two orders is (Spearman's rho + 1) / 2: two equal orders 1, two opposite ones 0."""
    people = {1: [[1, 2, 3], [1, 2, 3], [3, 2, 1]], 2: [[1, 2, 3]]}
    found = orders_beside(people, {1: [1, 2, 3], 2: [3, 2, 1]})
    assert found.people.value == pytest.approx(1 / 3)
    assert found.judge.value == pytest.approx(2 / 3)
    assert found.difference.value == pytest.approx(1 / 3)
    assert (found.judge.n, found.pairs) == (1, 3)


def test_a_judge_who_says_what_people_say_differs_by_nothing() -> None:
    chance = np.random.default_rng(5)
    orders = {unit: [list(chance.permutation(4) + 1)] * 3 for unit in range(30)}
    found = orders_beside(orders, {unit: given[0] for unit, given in orders.items()})
    assert (found.people.value, found.judge.value) == (pytest.approx(1), pytest.approx(1))
    assert (found.difference.low, found.difference.high) == (pytest.approx(0), pytest.approx(0))


def test_whoever_never_meets_has_no_value() -> None:
    for found in (sets_beside({1: [A]}, {1: A}), orders_beside({1: [[1, 2]]}, {1: [1, 2]})):
        assert (found.people.value, found.judge.value, found.difference.value) == (None, None, None)
        assert found.difference.note
