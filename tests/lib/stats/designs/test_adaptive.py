import numpy as np
import pytest

from lib.stats.designs import gains, next_pairs, pairs_of

PAIRS_OF_THREE = [(0, 1), (0, 2), (1, 2)]


def chance(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_pairs_are_numbered_row_by_row() -> None:
    assert list(zip(*pairs_of(3), strict=True)) == PAIRS_OF_THREE


def test_what_another_vote_is_worth_by_hand() -> None:
    """Two differences with variances 2 and 1 and covariance 1, weights 1 and ½. A vote about the first, with
    information 1, shrinks the variances by 1/(1 + 2) of the squares in its row: (2² · 1 + 1² · ½) / 3 = 1.5; one about
    the second by 1/(1 + 1): (1² · 1 + 1² · ½) / 2 = 0.75."""
    variance = np.array([[2.0, 1.0], [1.0, 1.0]])
    assert gains(variance, np.ones(2), np.array([1.0, 0.5])) == pytest.approx([1.5, 0.75])


def test_the_pair_in_doubt_is_asked_about_and_not_the_one_that_is_settled() -> None:
    """0 and 1 share their votes; both beat 2 nine times in ten: only the order of 0 and 1 is open."""
    won = np.array([[0, 20, 36], [20, 0, 36], [4, 4, 0]], dtype=float)
    chosen = next_pairs(won, won + won.T, 10, chance(), floor=0)
    assert set(chosen.tolist()) == {0}


def test_the_floor_goes_to_the_pairs_that_met_least() -> None:
    won = np.array([[0, 20, 36], [20, 0, 30], [4, 4, 0]], dtype=float)  # 0-1 and 0-2 met 40 times, 1-2 34 times
    chosen = next_pairs(won, won + won.T, 10, chance(), floor=0.2).tolist()
    assert chosen[:2] == [2, 2]
    assert set(chosen[2:]) == {0}


def test_a_floor_of_one_asks_only_about_the_pairs_that_met_least() -> None:
    won = np.array([[0, 20, 36], [20, 0, 30], [4, 4, 0]], dtype=float)
    assert set(next_pairs(won, won + won.T, 6, chance(), floor=1).tolist()) == {2}


def test_at_the_start_every_pair_is_worth_the_same_and_none_is_asked_twice_before_all_were() -> None:
    none = np.zeros((4, 4))
    for seed in range(5):
        assert sorted(next_pairs(none, none, 6, chance(seed), floor=0).tolist()) == list(range(6))


def test_studies_beside_each_other_choose_as_each_alone() -> None:
    some = np.random.default_rng(3)
    won = some.integers(1, 30, size=(4, 5, 5)) * (1.0 - np.eye(5))
    together = next_pairs(won, won + np.swapaxes(won, -1, -2), 4, chance(), floor=0)
    alone = [next_pairs(one, one + one.T, 4, chance(), floor=0) for one in won]
    assert together.tolist() == [one.tolist() for one in alone]


def test_names_do_not_matter() -> None:
    """The same models in another order are asked about in the same pairs."""
    some = np.random.default_rng(4)
    won = some.integers(1, 30, size=(4, 4)) * (1.0 - np.eye(4))
    order = np.array([2, 0, 3, 1])
    turned = won[np.ix_(order, order)]
    pairs = list(zip(*pairs_of(4), strict=True))
    here = [{*pairs[n]} for n in next_pairs(won, won + won.T, 3, chance(), floor=0)]
    there = [{*order[list(pairs[n])].tolist()} for n in next_pairs(turned, turned + turned.T, 3, chance(), floor=0)]
    assert here == there


@pytest.mark.parametrize("floor", [-0.1, 1.1])
def test_a_floor_that_is_no_share_is_refused(floor: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        next_pairs(np.zeros((2, 2)), np.zeros((2, 2)), 1, chance(), floor=floor)
