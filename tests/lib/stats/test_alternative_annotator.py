from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from statsmodels.stats.multitest import multipletests

from lib.stats.alternative_annotator import AnnotatorTest, annotator_test_of
from lib.stats.figures import (
    AS_SEEN_SO_FAR,
    ENOUGH,
    FEW_ITEMS,
    MORE_DO_NOT_HELP,
    NEAR_MARGIN,
    ONE_PERSON,
    TESTS_DIFFER,
    TOO_FEW_ITEMS,
    TWO_PEOPLE,
)
from lib.stats.leave_one_out import NO_JUDGE, ONE_RATING, compared

NONE = np.nan
tables = arrays(float, st.tuples(st.integers(4, 30), st.just(4)), elements=st.sampled_from([0.0, 1.0, 2.0, NONE]))


def noisy(units: int, errors: list[float], seed: int = 1) -> np.ndarray:
    """(units, raters): a truth of 0 or 1, which each rater misses with their own chance."""
    chance = np.random.default_rng(seed)
    truth = chance.integers(0, 2, (units, 1))
    return (truth ^ (chance.random((units, len(errors))) < errors)).astype(float)


def outcome(people: np.ndarray, judge: np.ndarray, alignment: str = "match", **options: object) -> AnnotatorTest:
    return annotator_test_of(*compared(people, judge, alignment), **{"count": 20, **options})


def test_who_is_closer_by_hand() -> None:
    # Unit 1: others of the first person say 0 and 1; the person says 0 (half agree), the judge 2 (nobody): 1 ahead.
    # Of the third, others say 0 and 0; the person says 1 (nobody), the judge neither: no difference.
    # Unit 2: all say 1, the judge too. Unit 3: only one person. Unit 4: no judge.
    people = np.array([[0, 0, 1], [1, 1, 1], [0, NONE, NONE], [1, 1, 1]], dtype=float)
    differences, skipped = compared(people, np.array([2, 1, 0, NONE], dtype=float), "match")
    expected = [[1, 1, 0], [0, 0, 0], [NONE] * 3, [NONE] * 3]
    assert np.array_equal(differences, expected, equal_nan=True)
    assert skipped == {ONE_RATING: 1, NO_JUDGE: 1}


def test_scores_are_compared_by_their_distance() -> None:
    # The first person says 5, others 2 and 2: 3 away. The judge says 3: 1 away, and closer.
    # The second says 2, others 5 and 2: √(9/2) = 2.12 away; the judge √((4 + 1)/2) = 1.58: closer as well.
    differences, _skipped = compared(np.array([[5.0, 2.0, 2.0]]), np.array([3.0]), "distance")
    assert differences.tolist() == [[-1.0, -1.0, -1.0]]


def test_a_judge_that_is_as_good_as_people_wins() -> None:
    table = noisy(300, [0.15, 0.15, 0.15, 0.05])
    found = outcome(table[:, :3], table[:, 3])
    assert (found.winning_rate.value, found.passes) == (1.0, True)
    assert found.more_items.note == ENOUGH
    assert found.advantage.low < found.advantage.value < found.advantage.high


def test_a_judge_that_guesses_loses_and_more_items_would_not_help() -> None:
    table = noisy(300, [0.05, 0.05, 0.05, 0.5])
    found = outcome(table[:, :3], table[:, 3])
    assert (found.winning_rate.value, found.passes, found.more_items.value) == (0.0, False, None)
    assert found.more_items.note == MORE_DO_NOT_HELP


def test_shares_and_p_values_of_one_person_by_hand_and_oracle() -> None:
    # Two people and 40 items; they differ on items 0 to 3. The judge agrees with the second on all but 10 to 15.
    # In place of the first: on 0 to 3 the judge is closer to the second, on 10 to 15 the first is.
    first, second = np.zeros(40), np.zeros(40)
    first[:4] = 1
    judge = second.copy()
    judge[10:16] = 1
    found = outcome(np.column_stack([first, second]), judge, epsilon=0.2, guarded=False).people[0]
    differences = np.repeat([-1.0, 1.0, 0.0], [4, 6, 30])
    assert (found.judge.value, found.left_out.value) == (34 / 40, 36 / 40)
    assert found.p == pytest.approx(stats.ttest_1samp(differences, 0.2, alternative="less").pvalue)


def test_the_oracle_adjusts_the_same_p_values() -> None:
    table = noisy(120, [0.1, 0.2, 0.3, 0.4, 0.25])
    found = outcome(table[:, :4], table[:, 4])
    expected = multipletests([each.p for each in found.people], method="fdr_by")[1]
    assert [each.p_adjusted for each in found.people] == pytest.approx(list(expected))
    assert found.winning_rate.value == np.mean(expected <= 0.05)


def test_who_has_too_few_items_is_not_tested_and_not_counted() -> None:
    table = noisy(60, [0.1] * 4)
    table[29:, 2] = NONE
    found = outcome(table[:, :3], table[:, 3])
    assert [each.wins is None for each in found.people] == [False, False, True]
    assert (found.people[2].p, found.people[2].note) == (None, TOO_FEW_ITEMS)
    assert (found.winning_rate.n, found.winning_rate.note) == (2, TWO_PEOPLE)


def test_nobody_has_enough_items() -> None:
    found = outcome(noisy(20, [0.0, 0.0, 0.0]), np.zeros(20))
    assert (found.winning_rate.value, found.winning_rate.note, found.passes) == (None, FEW_ITEMS, None)


def test_nobody_has_enough_items_but_the_judge_does_well_so_far() -> None:
    table = noisy(20, [0.1] * 4)
    found = outcome(table[:, :3], table[:, 3], epsilon=0.3)
    assert found.more_items.value is not None
    assert found.more_items.value >= 10  # thirty are needed in any case
    assert found.more_items.note == AS_SEEN_SO_FAR


def test_one_person_cannot_be_compared_with_others() -> None:
    found = outcome(noisy(50, [0.1]), np.zeros(50))
    assert (found.winning_rate.note, found.more_items.note, found.passes) == (ONE_PERSON, ONE_PERSON, None)
    assert found.people[0].judge.value is None


def test_the_units_behind_are_those_compared() -> None:
    people = np.array([[0, 0], [1, NONE], [1, 1]], dtype=float)
    found = outcome(people, np.array([0.0, 1.0, 1.0]))
    assert [each.units for each in found.people] == [(0, 2), (0, 2)]


def test_more_items_are_those_of_the_textbook() -> None:
    # Two people who always agree, 100 items, ten of which the judge misses: mean .1, variance .1 · .9 · 100/99 = .0909,
    # ε = .2: half of two people is one, which may use .05 · 1/2 / (1 + 1/2) = .016667: z = 2.12805; power: z = .84162.
    # Under ε the spread is √(q…) with q = 0: the slope 10 · 1.2 - 40 is below 0. So √(.2 - .04) = .4.
    # ((2.12805 · .4 + .84162 · √.0909) / .1)² = (.85122 + .25376)² · 100 = 122.1: 123 items, 23 more.
    people = np.zeros((100, 2))
    judge = np.repeat([1.0, 0.0], [10, 90])
    found = outcome(people, judge, epsilon=0.2)
    assert found.people[0].more == 23
    assert found.more_items.value == (0 if found.passes else 23)


def test_where_differences_hardly_vary_the_published_test_is_too_sure() -> None:
    # One miss in 30 with ε = .1: t = (1/30 - .1) / √(1/30 · 29/30 / 29) = -2, p = .027; score: .0667 · √30 / .3 = 1.22.
    judge = np.zeros(30)
    judge[0] = 1
    guarded = outcome(np.zeros((30, 3)), judge, epsilon=0.1).people[0]
    assert guarded.p_published == pytest.approx(0.0274, abs=1e-4)
    assert guarded.p == pytest.approx(0.1117, abs=1e-3)
    assert (guarded.wins, guarded.note) == (False, TESTS_DIFFER)


@pytest.mark.parametrize("options", [{"epsilon": -0.1}, {"epsilon": 1.0}, {"alignment": "cosine"}])
def test_what_makes_no_sense_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"ε|alignment"):
        outcome(np.zeros((40, 3)), np.zeros(40), **options)


@given(tables, st.permutations([0, 1, 2]))
def test_neither_the_order_of_people_nor_the_names_of_labels_matter(table: np.ndarray, order: list[int]) -> None:
    there = outcome(table[:, :3], table[:, 3], fewest_items=2)
    back = outcome(2 - table[:, order], 2 - table[:, 3], fewest_items=2)
    assert [there.people[place].p for place in order] == pytest.approx([each.p for each in back.people])
    assert there.winning_rate.value == back.winning_rate.value


@given(tables)
def test_the_guard_only_ever_takes_wins_away(table: np.ndarray) -> None:
    guarded, published = (outcome(table[:, :3], table[:, 3], fewest_items=2, guarded=each) for each in (True, False))
    for one, other in zip(guarded.people, published.people, strict=True):
        assert not one.wins or other.wins


STUDIES, ALPHA = 2000, 0.05
ALLOWED = ALPHA + 2 * np.sqrt(ALPHA * (1 - ALPHA) / STUDIES)


def exactly_worse(epsilon: float, misses: float) -> float:
    """How often a judge misses the truth that is worse than three people, who miss it that often, by exactly ε."""

    def behind(judge_misses: int) -> float:
        total = 0.0
        for missed in product((0, 1), repeat=3):
            weight = np.prod([misses if each else 1 - misses for each in missed])
            found, _skipped = compared(np.array([missed], dtype=float), np.array([float(judge_misses)]), "match")
            total += weight * found[0, 0]
        return float(total)

    return (epsilon - behind(0)) / (behind(1) - behind(0))


def errors(
    study: Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]], **options: object
) -> tuple[float, float]:
    """Shares of studies in which the first person is beaten at α without adjustment, and in which the test passes."""
    chance = np.random.default_rng(20250703)
    found = [outcome(*study(chance), count=1, **options) for _ in range(STUDIES)]
    return float(np.mean([each.people[0].p <= ALPHA for each in found])), float(
        np.mean([bool(each.passes) for each in found])
    )


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "misses"), [(0.1, 0.1), (0.15, 0.2), (0.2, 0.3)])
@pytest.mark.parametrize("guarded", [True, False])
def test_a_judge_exactly_worse_by_the_margin_wins_no_more_often_than_alpha(
    epsilon: float, misses: float, guarded: bool
) -> None:
    judge_misses = exactly_worse(epsilon, misses)

    def study(chance: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return (chance.random((200, 3)) < misses).astype(float), (chance.random(200) < judge_misses).astype(float)

    assert 0 < judge_misses < 1
    assert max(errors(study, epsilon=epsilon, guarded=guarded)) <= ALLOWED


@pytest.mark.slow
@pytest.mark.parametrize("units", [30, 60, 200])
def test_the_guard_keeps_alpha_where_people_always_agree_and_the_published_test_does_not(units: int) -> None:
    def study(chance: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((units, 3)), (chance.random(units) < 0.1).astype(float)

    assert max(errors(study, epsilon=0.1)) <= ALLOWED
    assert errors(study, epsilon=0.1, guarded=False)[0] > ALLOWED


@pytest.mark.slow
@pytest.mark.parametrize("misses", [4, 5])
def test_with_the_items_asked_for_the_test_passes_four_times_in_five_or_more(misses: int) -> None:
    judge = np.repeat([1.0, 0.0], [misses, 40 - misses])
    asked = outcome(np.zeros((40, 3)), judge, epsilon=0.2)
    assert asked.passes is False
    units, chance = 40 + int(asked.more_items.value), np.random.default_rng(20250704)
    passed = [
        bool(
            outcome(
                np.zeros((units, 3)), (chance.random(units) < misses / 40).astype(float), epsilon=0.2, count=1
            ).passes
        )
        for _ in range(STUDIES)
    ]
    assert np.mean(passed) >= 0.8 - 2 * np.sqrt(0.16 / STUDIES)


def test_a_test_without_power_shows_nothing_and_refutes_nothing() -> None:
    """Thirty items, and a judge that is right as often as people are: nothing is shown, and nothing is refuted."""
    table = noisy(30, [0.2] * 4, seed=5)
    found = outcome(table[:, :3], table[:, 3])
    assert (found.passes, found.state) == (False, "not_shown")
    assert {each.state for each in found.people} <= {"not_shown", "shown"}


def test_a_judge_that_is_worse_by_more_than_the_margin_is_refuted() -> None:
    table = noisy(300, [0.05, 0.05, 0.05, 0.5])
    found = outcome(table[:, :3], table[:, 3])
    assert (found.state, {each.state for each in found.people}) == ("refuted", {"refuted"})


def test_the_states_of_good_judges_and_of_nobody_tested() -> None:
    table = noisy(300, [0.15, 0.15, 0.15, 0.05])
    assert outcome(table[:, :3], table[:, 3]).state == "shown"
    assert outcome(noisy(20, [0.0, 0.0, 0.0]), np.zeros(20)).state == "not_shown"


def test_a_judge_exactly_at_the_margin_is_neither_and_needs_no_number() -> None:
    # Forty items, on six of which the judge misses: exactly ε = .15 worse.
    judge = np.repeat([1.0, 0.0], [6, 34])
    found = outcome(np.zeros((40, 3)), judge, epsilon=0.15)
    assert (found.state, found.more_items.value, found.more_items.note) == ("not_shown", None, NEAR_MARGIN)
    assert all(each.need.near for each in found.people)


def test_a_judge_that_always_misses_is_refuted_though_nothing_varies() -> None:
    found = outcome(np.zeros((40, 3)), np.ones(40))
    assert found.state == "refuted"


def test_the_range_of_a_plan_holds_it_and_may_have_no_end() -> None:
    # Of the textbook's case: the spread .4, standard error .04; .1 lies 2.5 of them below ε: an end to both sides.
    close = outcome(np.zeros((100, 2)), np.repeat([1.0, 0.0], [10, 90]), epsilon=0.2).people[0].need
    assert close.low == 0
    # ε less (.1 + 1.28155 · .04) is .04874: (.85122 + .25376)² · .16/… grows by (.1/.04874)²: 122.1 · 4.21 = 514.
    assert close.high == pytest.approx(514 - 100, abs=2)
    # Five misses of forty: mean .125, error .0632, so ε = .2 may be passed.
    open_ended = outcome(np.zeros((40, 3)), np.repeat([1.0, 0.0], [5, 35]), epsilon=0.2)
    assert open_ended.more_items.low < open_ended.more_items.value
    assert open_ended.more_items.high is None


@pytest.mark.slow
def test_a_judge_exactly_worse_by_the_margin_is_refuted_no_more_often_than_alpha() -> None:
    misses = 0.2
    judge_misses, chance = exactly_worse(0.15, misses), np.random.default_rng(20261123)
    states = [
        outcome(
            (chance.random((200, 3)) < misses).astype(float),
            (chance.random(200) < judge_misses).astype(float),
            count=1,
        ).state
        for _ in range(STUDIES)
    ]
    assert states.count("refuted") / STUDIES <= ALLOWED
