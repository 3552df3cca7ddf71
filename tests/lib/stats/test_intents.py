import numpy as np
import pytest

from lib.stats.intents import (
    against_satisfaction,
    best_marked,
    criteria_correlations,
    rating_bias,
)


def test_the_best_three_are_marked_and_equal_ones_alike() -> None:
    assert best_marked({"a": 8.1, "b": 8.5, "c": 7.0, "d": 6.0, "e": None}) == {"b": 1, "a": 2, "c": 3}
    assert best_marked({"a": 8.104, "b": 8.101, "c": 7.0, "d": 6.0}) == {"a": 1, "b": 1, "c": 3}


def test_not_everybody_is_marked() -> None:
    assert best_marked({"a": 8.0, "b": 7.0}) == {"a": 1}
    assert best_marked({"a": 8.0}) == {}


def test_the_bias_of_a_small_case_derived_by_hand() -> None:
    # Author 1: (9 + 8 + 10) / 3 = 9; author 2: (8 + 7) / 2 = 7.5; mean of both 8.25; less 8: 0.25.
    # The mean over all five answers would be 8.4.
    found = rating_bias(np.array([[9, 8, 10], [8, 7, np.nan]]))
    assert found.value == pytest.approx(0.25)
    assert found.n == 5
    assert found.low is not None
    assert found.high is not None
    assert found.low <= 0.25 <= found.high


def test_a_known_bias_is_recovered() -> None:
    """A judge that adds 0.6 to what it should say, with noise of 1: the interval holds it and 0 is outside."""
    chance = np.random.default_rng(20261121)
    found = rating_bias(8.6 + chance.normal(0, 1, (4, 150)))
    assert found.value == pytest.approx(0.6, abs=0.1)
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < 0.6 < found.high


def test_authors_without_answers_do_not_count_and_none_at_all_is_undefined() -> None:
    assert rating_bias(np.array([[9.0, 7.0], [np.nan, np.nan]])).value == 0
    assert rating_bias(np.full((2, 3), np.nan)).value is None
    assert rating_bias(np.empty((0, 0))).value is None


def test_a_judge_that_always_says_eight_has_no_bias_and_no_interval() -> None:
    found = rating_bias(np.full((2, 4), 8.0))
    assert (found.value, found.low) == (0, None)


def test_satisfaction_is_compared_over_the_intents_that_both_have() -> None:
    # 1, 2, 3 with 2, 4, 7: deviations -1, 0, 1 and -7/3, -1/3, 8/3; r = 5 / √(2 · 38/3) = 0.9934
    means = {"a": 1.0, "b": 2.0, "c": 3.0, "only here": 9.0}
    found = against_satisfaction(means, {"a": 2.0, "b": 4.0, "c": 7.0, "only there": 1.0})
    assert found.value == pytest.approx(5 / np.sqrt(2 * 38 / 3))
    assert found.n == 3


def test_six_intents_are_said_as_six() -> None:
    intents = ["Solve", "Factual", "Text", "Advice", "Creativity", "Leisure"]
    means = dict(zip(intents, [8.24, 8.49, 7.86, 7.85, 7.83, 7.65], strict=True))
    found = against_satisfaction(means, dict(zip(intents, [4.1, 4.2, 4.0, 3.9, 3.9, 3.7], strict=True)))
    assert found.n == 6
    assert found.low is not None
    assert found.low <= (found.value or 0)
    assert against_satisfaction(means, {"Solve": 4.0}).value is None


def test_criteria_are_correlated_over_answers_that_have_both() -> None:
    scores = np.array([[1, 2, 3, np.nan], [2, 4, 6, 1], [np.nan, np.nan, np.nan, 5]])
    found = criteria_correlations(scores)
    assert found[0][1].value == pytest.approx(1)
    assert found[0][1].n == 3
    assert found[0][2].value is None
    assert [[each.value for each in row] for row in found] == [
        [each.value for each in row] for row in zip(*found, strict=True)
    ]
