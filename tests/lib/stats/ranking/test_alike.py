import numpy as np
import pytest

from lib.stats.ranking.battles import LEFT, RIGHT, TIE, BattleClusters, Battles, alike
from lib.stats.ranking.standings import drawn_counts, drawn_logs


def codes(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int64)


def test_battles_about_items_of_their_own_need_nothing() -> None:
    assert alike(["x", "y"], [0, 1], [1, 0], [LEFT, TIE]) is None
    found = alike(["x", "y", "x"], [0, 1, 1], [1, 0, 0], [LEFT, TIE, RIGHT])
    assert found is not None
    assert (found.item.tolist(), found.items) == ([0, 1, 0], 2)


def test_an_item_is_drawn_with_all_of_its_battles() -> None:
    """Item 0: 0 beat 1 twice; item 1: a tie, and 1 beat 0. Two draws of items give one of three tables."""
    found = BattleClusters(codes(0, 0, 1, 1), codes(0, 1, 0, 0), codes(1, 0, 1, 1), codes(LEFT, RIGHT, TIE, RIGHT))
    drawn = found.drawn(2, count=400, chance=np.random.default_rng(1))
    told = {(int(wins[0, 1]), int(wins[1, 0]), int(ties[0, 1]), int(ties[1, 0])) for wins, ties in drawn}
    assert told == {(4, 0, 0, 0), (2, 1, 1, 1), (0, 2, 2, 2)}
    both = sum(wins[0, 1] == 2 for wins, _ties in drawn)
    assert abs(both - 200) < 40  # one in two, standard deviation 10


def test_a_group_of_models_keeps_its_own_battles() -> None:
    found = BattleClusters(codes(0, 1, 1, 2), codes(0, 2, 2, 1), codes(1, 0, 3, 3), codes(LEFT, TIE, RIGHT, LEFT))
    kept = found.among([3, 2])
    assert [each.tolist() for each in (kept.item, kept.left, kept.right, kept.outcome)] == [[0], [1], [0], [RIGHT]]


def test_each_vote_said_twice_widens_intervals_as_half_as_many_votes() -> None:
    """200 items with two votes that say the same know as much as 200 votes: the spread is √2 of that of 400."""
    some = np.random.default_rng(2)
    outcome = np.repeat(some.integers(0, 2, size=200), 2)
    zeros = np.zeros(400, dtype=np.int64)
    together = BattleClusters(np.repeat(np.arange(200), 2), zeros, zeros + 1, outcome)
    won = int((outcome == LEFT).sum())
    plain = Battles(("a", "b"), np.array([[0, won], [400 - won, 0]]), np.zeros((2, 2), dtype=np.int64))
    grouped = Battles(plain.names, plain.wins, plain.ties, alike=together)
    logs = np.log([won, 400 - won]) - np.log([won, 400 - won]).mean()
    spreads = [drawn_logs(given, logs, count=4000, seed=3)[0][:, 0].std() for given in (plain, grouped)]
    assert spreads[1] / spreads[0] == pytest.approx(np.sqrt(2) * np.sqrt(200 / 199), rel=0.05)


def test_as_many_items_are_drawn_as_there_are() -> None:
    found = BattleClusters(codes(0, 0, 1, 2), codes(0, 0, 0, 0), codes(1, 1, 1, 1), codes(LEFT, LEFT, LEFT, RIGHT))
    wins = np.array([[0, 3], [1, 0]])
    given = Battles(("a", "b"), wins, np.zeros((2, 2), dtype=np.int64), alike=found)
    drawn, ties = drawn_counts(given, count=50, seed=1)
    assert drawn.shape == (50, 2, 2)
    assert not ties.any()
    assert set(drawn.sum(axis=(1, 2)).tolist()) <= {3, 4, 5, 6}
