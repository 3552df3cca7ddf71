import numpy as np
import pytest

from lib.stats.ranking.battles import battles, of_codes
from tests.lib.stats.ranking.fought import from_words


def test_wins_and_ties_are_counted_whoever_stood_left() -> None:
    found = from_words("a>b", "a<b", "b>a", "a=b", "b=a")
    assert found.names == ("a", "b")
    assert found.wins.tolist() == [[0, 1], [2, 0]]
    assert found.ties.tolist() == [[0, 2], [2, 0]]
    assert (found.n, found.left_won, found.right_won) == (5, 2, 1)


def test_other_words_and_battles_against_oneself_are_skipped_and_counted() -> None:
    found = battles(list("aaab"), list("bbab"), ["left", "Left", "left", "tie"])
    assert found.n == 1
    assert found.skipped == {"other winner": 1, "a model against itself": 2}


def test_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="2, 1 and 1"):
        battles(["a", "b"], ["c"], ["left"])


@pytest.mark.parametrize("models", [5, 300])
def test_names_and_codes_count_the_same(models: int) -> None:
    """Few names and many take different ways into an array."""
    chance = np.random.default_rng(4)
    left, right, outcome = (
        chance.integers(models, size=5000),
        chance.integers(models, size=5000),
        chance.integers(4, size=5000),
    )
    names = [f"model {number}" for number in range(models)]
    coded = of_codes(left, right, outcome, names)
    words = [("left", "right", "tie", "?")[each] for each in outcome]
    named = battles([names[each] for each in left], [names[each] for each in right], words)
    order = [named.names.index(name) for name in names]
    assert named.wins[np.ix_(order, order)].tolist() == coded.wins.tolist()
    assert named.ties[np.ix_(order, order)].tolist() == coded.ties.tolist()
    assert named.skipped == coded.skipped
