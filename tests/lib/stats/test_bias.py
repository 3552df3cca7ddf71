import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from lib.stats.bias import length_of_choices, length_of_scores, leniency, own_family, position
from lib.stats.figures import (
    LENGTHS_ALIKE,
    NO_COMMON_ITEM,
    NO_DECISION,
    NO_OTHERS,
    NO_PEOPLE,
    NO_UNITS,
    NOT_BOTH_ORDERS,
    ONE_ORDER,
    ONE_UNIT,
)

NONE = np.nan
choices = st.sampled_from([1.0, 0.0, -1.0, NONE])
pairs = arrays(float, st.tuples(st.just(2), st.integers(1, 30)), elements=choices)


def test_position_by_hand() -> None:
    # Five pairs: first in both orders (1) twice, a tie and first (1/2), consistent (0), second in both (-1): 1.5 / 5.
    # The sixth was read in one order only.
    found = position(np.array([1, 1, 0, 1, -1, 1.0]), np.array([1, 1, 1, -1, -1, NONE]))
    assert (found.effect.value, found.effect.n) == (pytest.approx(0.3), 5)
    assert (found.units, found.showing) == ((0, 1, 2, 3, 4), (0, 1, 2))
    assert found.effect.low < 0 < found.effect.high


def test_a_judge_that_always_takes_the_first_is_found_out() -> None:
    found = position(np.ones(50), np.ones(50)).effect
    # (50 / 52) - 1.96 · √((51 / 52 - (50 / 52)²) / 52) = .9615 - 1.96 · √(.05621 / 52) = .9615 - .0644
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.8971, abs=1e-3)


def test_a_consistent_judge_has_no_bias_of_position_and_is_not_certain_of_it() -> None:
    choices = np.where(np.arange(40) % 3 == 0, 1.0, -1.0)
    found = position(choices, -choices).effect
    assert found.value == 0
    assert found.low < 0 < found.high


def test_one_order_says_something_of_random_orders_only() -> None:
    found = position(np.array([1.0, 1.0, -1.0, 0.0]))
    assert (found.effect.value, found.effect.note) == (0.25, ONE_ORDER)
    assert position(np.array([NONE])).effect.note == NO_UNITS
    assert position(np.array([1.0]), np.array([NONE])).effect.note == NOT_BOTH_ORDERS


def test_length_is_held_against_people() -> None:
    # Pairs: longer first, second, first, equal. The judge takes the longer one three times, people once in three:
    # by pair (1 - 1) / 2, (1 - -1) / 2, (1 - -1) / 2: together 2 / 3.
    longer, judge, people = np.array([[1, -1, 1, 0], [1, -1, 1, 1], [1, 1, -1, 1]], dtype=float)
    found = length_of_choices(longer, judge, people)
    assert (found.effect.value, found.units, found.showing) == (pytest.approx(2 / 3), (0, 1, 2), (1, 2))


def test_without_people_length_says_less() -> None:
    found = length_of_choices(np.array([1.0, -1.0]), np.array([1.0, 1.0]))
    assert (found.effect.value, found.effect.note) == (0.0, NO_PEOPLE)
    assert length_of_choices(np.zeros(3), np.ones(3), np.ones(3)).effect.note == NO_DECISION


def test_points_for_each_doubling_by_hand_and_oracle() -> None:
    # 100, 200, 400, 800 characters; the judge is 0, 1, 1, 2 above people. Doublings about their mean: -1.5 … 1.5:
    # (0 - .5 + .5 + 3) / (2 · (2.25 + .25)) = 3 / 5
    lengths, people = np.array([100.0, 200, 400, 800]), np.array([3.0, 2, 4, 5])
    found = length_of_scores(lengths, people + np.array([0, 1, 1, 2]), people)
    assert found.effect.value == pytest.approx(0.6)
    assert found.effect.value == pytest.approx(stats.linregress(np.log2(lengths), [0, 1, 1, 2]).slope)
    assert found.showing == (0, 3)  # the two about the mean lean nowhere


def test_a_judge_that_pays_for_length_is_found_out_and_another_is_not() -> None:
    chance = np.random.default_rng(9)
    lengths, people = np.exp(chance.normal(5, 1, 300)), chance.normal(3, 1, 300)
    noise = chance.normal(0, 0.5, 300)
    paying = length_of_scores(lengths, people + noise + 0.4 * np.log2(lengths), people).effect
    fair = length_of_scores(lengths, people + noise, people).effect
    assert paying.low > 0
    assert paying.low < 0.4 < paying.high
    assert fair.low < 0 < fair.high


def test_length_of_scores_needs_lengths_that_differ() -> None:
    assert length_of_scores(np.full(5, 10.0), np.arange(5.0), np.zeros(5)).effect.note == LENGTHS_ALIKE
    assert length_of_scores(np.array([1.0, 2.0]), np.zeros(2), np.zeros(2)).effect.note == NO_UNITS


def test_own_family_by_hand() -> None:
    # Item a: own answer 4 against people's 3 (+1), others 3 - 3 and 2 - 3 (mean -.5): 1.5.
    # Item b: own 2 - 3 (-1), other 3 - 3: -1. Item c has no answer of the family, d none of others. Mean .25.
    scores, people = np.array([4, 3, 2, 2, 3, 5, 5.0]), np.full(7, 3.0)
    own = np.array([True, False, False, True, False, False, True])
    found = own_family(scores, people, own, np.array(list("aaabbcd")))
    assert (found.effect.value, found.effect.n) == (pytest.approx(0.25), 2)
    assert (found.units, found.showing) == ((0, 1, 2, 3, 4), (0, 1, 2))
    # ± 12.706 · (2.5 / √2) / √2
    assert found.effect.high == pytest.approx(0.25 + 12.7062 * 1.25, abs=1e-3)


def test_own_family_leaves_out_how_hard_items_are() -> None:
    chance = np.random.default_rng(2)
    items, own = np.repeat(np.arange(80), 2), np.tile([True, False], 80)
    hard = np.repeat(chance.normal(0, 3, 80), 2)
    people = hard + chance.normal(0, 0.2, 160)
    found = own_family(people + 0.5 * own + chance.normal(0, 0.2, 160), people, own, items).effect
    assert found.low < 0.5 < found.high
    assert found.low > 0.3


def test_own_family_without_common_items_is_undefined() -> None:
    found = own_family(np.ones(2), np.ones(2), np.array([True, False]), np.array(["a", "b"]))
    assert (found.effect.value, found.effect.note) == (None, NO_COMMON_ITEM)


def test_leniency_by_hand() -> None:
    # Unit 1: 4, 3, 2: above the mean of the others 1.5, 0, -1.5. Unit 2: 5, 3, nobody: 2, -2. The fourth is alone.
    values = np.array([[4, 3, 2, NONE], [5, 3, NONE, NONE], [NONE, NONE, NONE, 1]])
    kind, middling, severe, alone = leniency(values)
    assert [each.effect.value for each in (kind, middling, severe)] == pytest.approx([1.75, -1.0, -1.5])
    assert (kind.units, severe.units, severe.effect.note) == ((0, 1), (0,), ONE_UNIT)
    assert (alone.effect.value, alone.effect.note, alone.units) == (None, NO_OTHERS, ())


def test_the_oracle_gives_the_same_interval_of_leniency_for_two() -> None:
    one, other = np.random.default_rng(1).normal(0, 1, (2, 30))
    oracle = stats.ttest_rel(one, other).confidence_interval()
    kind, severe = leniency(np.column_stack([one, other]))
    assert (kind.effect.low, kind.effect.high) == pytest.approx((oracle.low, oracle.high))
    assert severe.effect.low == pytest.approx(-oracle.high)


@given(pairs)
def test_places_turned_round_change_the_sign(table: np.ndarray) -> None:
    there, back = position(*table), position(*-table)
    assert there.units == back.units
    if there.effect.value is not None:
        assert back.effect.value == pytest.approx(-there.effect.value)
        assert set(there.showing) <= set(there.units)


@given(
    arrays(
        float,
        st.tuples(st.integers(1, 15), st.integers(1, 5)),
        elements=st.one_of(st.just(NONE), st.integers(1, 5).map(float)),
    )
)
def test_kinder_for_everybody_changes_nobodys_leniency(values: np.ndarray) -> None:
    there, shifted = leniency(values), leniency(values + 2)
    assert [each.effect.value for each in there] == [
        None if each.effect.value is None else pytest.approx(each.effect.value, abs=1e-9) for each in shifted
    ]
    assert [each.units for each in there] == [each.units for each in shifted]
