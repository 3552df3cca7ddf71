import numpy as np
import pytest

from lib.stats.ranking.report import beside, left_side, ordered_rates
from lib.stats.ranking.standings import ranking
from tests.lib.stats.ranking.fought import from_words, simulated


def test_another_ranking_is_compared_on_the_models_that_both_have() -> None:
    found = ranking(simulated(np.array([1.0, 0.3, -0.3, -1.0]), 2_000, seed=8), count=50)
    same = beside(found, {"m0": 9.0, "m1": 8.0, "m2": 2.0, "m3": 1.0, "elsewhere": 5.0})
    assert (same.kendall.value, same.spearman.value, same.kendall.n) == (1.0, 1.0, 4)
    assert (same.only_here, same.only_there) == ((), ("elsewhere",))
    # Of the six pairs one is the other way round: (5 - 1) / 6.
    assert beside(found, {"m0": 8.0, "m1": 9.0, "m2": 2.0, "m3": 1.0}).kendall.value == pytest.approx(4 / 6)


def test_pearson_is_of_the_logarithms_of_the_strengths() -> None:
    found = ranking(from_words(*["a>b"] * 3, "b>a", *["b>c"] * 3, "c>b", *["a>c"] * 9, "c>a"), count=50)
    elo = {each.name: each.elo or 0.0 for each in found.standings}
    # a : b and b : c are won 3 to 1, a : c 9 to 1: log-strengths log 3, 0, −log 3, equally far apart.
    straight = beside(found, {"a": 3.0, "b": 2.0, "c": 1.0})
    assert (straight.pearson.value, straight.pearson.n) == (pytest.approx(1.0), 3)
    # Beside 6, 1, 2: deviations (1, 0, −1) and (3, −2, −1): 4 / √(2 · 14)
    bent = beside(found, {"a": 6.0, "b": 1.0, "c": 2.0})
    assert bent.pearson.value == pytest.approx(4 / 28**0.5)
    assert elo["a"] - elo["b"] == pytest.approx(elo["b"] - elo["c"])


def test_pearson_has_an_interval_over_models() -> None:
    strengths = np.array([1.0, 0.6, 0.2, -0.2, -0.6, -1.0])
    found = ranking(simulated(strengths, 2_000, seed=8), count=50)
    other = beside(found, {f"m{place}": value for place, value in enumerate([9.0, 8.0, 8.5, 6.0, 4.0, 5.0])})
    interval = other.intervals["pearson"]
    assert interval is not None
    assert other.pearson.value is not None
    assert interval[0] <= other.pearson.value <= interval[1] <= 1


def test_win_rates_count_a_tie_as_half_and_are_missing_where_two_never_met() -> None:
    names, rates = ordered_rates(ranking(from_words("a>b", "a=b", "b>a", "a>b", "b>c", "c>b"), count=50))
    place = {name: number for number, name in enumerate(names)}
    assert rates[place["a"], place["b"]] == 2.5 / 4
    assert rates[place["b"], place["a"]] == 1.5 / 4
    assert np.isnan(rates[place["a"], place["c"]])


def test_the_side_of_an_answer_counts_decided_battles_only() -> None:
    figure = left_side(from_words("a>b", "b>a", "a>c", "a<c", "b=c"))
    assert (figure.value, figure.n) == (3 / 4, 4)
