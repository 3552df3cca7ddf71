from dataclasses import asdict

import numpy as np
import pytest

from lib.stats.ranking.report import as_json, neighbours, separation
from lib.stats.ranking.standings import ModelRanking, ranking
from lib.stats.sample_size import two_digits
from tests.lib.stats.ranking.fought import from_words, simulated

LOGS = np.array([1.2, 0.5, 0.0, -0.5, -1.2])


def strengths(found: ModelRanking) -> dict[str, float | None]:
    return {each.name: each.strength for each in found.standings}


def test_the_strongest_comes_first_and_its_interval_holds_it() -> None:
    found = ranking(simulated(LOGS, 600, seed=3, ties=0.2))
    ranked = found.standings
    assert [each.name for each in ranked] == ["m0", "m1", "m2", "m3", "m4"]
    assert sum(each.strength or 0 for each in ranked) == pytest.approx(1)
    assert all(each.low < each.strength < each.high for each in ranked)  # type: ignore[operator]
    assert all(each.rank_low <= place <= each.rank_high for place, each in enumerate(ranked, start=1))  # type: ignore[operator]
    assert found.notes == []


def test_elo_is_four_hundred_for_ten_times_the_strength() -> None:
    found = ranking(simulated(LOGS, 600, seed=3))
    one, *_between, last = found.standings
    assert one.elo - last.elo == pytest.approx(400 * np.log10(one.strength / last.strength))  # type: ignore[operator]
    assert np.mean([each.elo for each in found.standings]) == pytest.approx(1000)


def test_a_model_that_always_won_has_no_strength_and_the_others_do() -> None:
    found = ranking(from_words("a>b", "a>c", "b>c", "c>b", "b>c"))
    assert strengths(found) == {"a": None, "b": pytest.approx(2 / 3), "c": pytest.approx(1 / 3)}
    (best,) = (each for each in found.standings if each.name == "a")
    assert (best.battles, best.wins, best.ties, best.elo, best.rank_low) == (2, 2, 0, None, None)
    note = as_json(found)["note"]
    assert "Won all their battles, so their strength cannot be estimated: a." in note
    assert "Ranked against each other: b, c." in note


def test_groups_that_never_met_are_ranked_each_by_itself() -> None:
    found = ranking(from_words("a>b", "b>a", "a>b", "c>d", "d>c"))
    assert strengths(found) == {"a": pytest.approx(2 / 3), "b": pytest.approx(1 / 3), "c": None, "d": None}
    told = as_json(found)
    assert "form 2 groups" in told["note"]
    assert [row["name"] for row in told["other_groups"][0]] == ["c", "d"]


def test_one_win_alone_ranks_nobody() -> None:
    found = ranking(from_words("a>b"))
    assert strengths(found) == {"a": None, "b": None}
    assert "No strength can be estimated" in as_json(found)["note"]


def test_ties_alone_make_equals_without_an_interval() -> None:
    found = ranking(from_words("a=b", "b=a"))
    assert [(each.strength, each.low, each.rank_low, each.rank_high) for each in found.standings] == [
        (0.5, None, 1, 2),
        (0.5, None, 1, 2),
    ]
    assert "gives no interval" in as_json(found)["note"]


def test_the_same_seed_says_the_same_and_davidson_something_else() -> None:
    given = simulated(LOGS, 300, seed=6, ties=0.4)
    assert as_json(ranking(given)) == as_json(ranking(given))
    by_davidson = ranking(given, davidson=True, count=50)
    assert by_davidson.fit is not None
    assert by_davidson.fit.tendency is not None
    assert by_davidson.standings[0].strength > ranking(given).standings[0].strength  # type: ignore[operator]


def test_about_so_many_more_votes_separate_two_models() -> None:
    """Ten battles, six won: log-odds log(1.5); a battle tells p(1 - p) = 0.24. In all ((1.96 + 0.84) / log 1.5)² / 0.24
    = 199 battles are needed; what the ten have told already, about their number, goes off."""
    found = ranking(from_words(*["a>b"] * 6, *["b>a"] * 4))
    assert found.fit is not None
    spread = float(np.diff(found.fit.drawn).std())
    (pair,) = neighbours(found)
    expected = ((1.96 + 0.8416) / np.log(1.5)) ** 2 / 0.24 - 1 / spread**2 / 0.24
    assert pair.votes == pytest.approx(expected, abs=2)
    assert pair.low < 0 < pair.elo < pair.high


def test_models_that_are_told_apart_need_no_more_votes() -> None:
    found = separation(ranking(simulated(np.array([1.0, -1.0]), 200, seed=1)), "m0", "m1")
    assert found is not None
    assert (found.votes, found.low > 0) == (0, True)


@pytest.mark.slow
def test_intervals_of_differences_hold_the_truth_in_95_of_100_studies() -> None:
    """1,000 studies of five models and 400 battles in pairs drawn at random, a fixed design."""
    held = asked = 0
    first, second = np.triu_indices(len(LOGS), 1)
    truth = LOGS[first] - LOGS[second]
    for seed in range(1000):
        fit = ranking(simulated(LOGS, 400, seed=seed), count=200, seed=seed).fit
        assert fit is not None
        order = [fit.names.index(f"m{number}") for number in range(len(LOGS))]
        drawn = fit.drawn[:, order]
        low, high = np.percentile(drawn[:, first] - drawn[:, second], [2.5, 97.5], axis=0)
        held += int(((low <= truth) & (truth <= high)).sum())
        asked += truth.size
    assert 0.93 <= held / asked <= 0.97


def test_a_number_of_votes_has_a_range_without_an_end_where_the_order_may_be_the_other() -> None:
    (pair,) = neighbours(ranking(from_words(*["a>b"] * 6, *["b>a"] * 4)))
    assert pair.votes_low is not None
    assert pair.votes is not None
    assert pair.votes_low < pair.votes
    assert pair.votes_high is None


def test_a_report_names_the_neighbours_and_plans_with_two_digits() -> None:
    found = ranking(from_words(*["a>b"] * 6, *["b>a"] * 4))
    (pair,) = neighbours(found)
    (planned,) = as_json(found)["votes_needed"]
    assert planned["votes"] == two_digits(pair.votes or 0) != pair.votes
    assert planned | {"votes": pair.votes, "votes_low": pair.votes_low} == asdict(pair)


def test_two_that_are_next_to_equal_get_no_number_of_votes() -> None:
    (pair,) = neighbours(ranking(from_words(*["a>b"] * 51, *["b>a"] * 49)))
    assert (pair.votes, pair.near) == (None, True)
