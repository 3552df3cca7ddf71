import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.stats.consistency import NO_LABELS, NONE_CONSISTENT, ONE_ORDER, OrderPair, consistency_rate, orders
from lib.stats.figures import NO_UNITS

CHOICES = st.sampled_from(["first", "second", "tie"])
EIGHT = [
    OrderPair("first", "first", "first"),  # steady and right
    OrderPair("tie", "tie", "tie"),  # steady and right
    OrderPair("second", "second", "first"),  # steady and wrong
    OrderPair("first", "second", "first"),  # not steady, right at first
    OrderPair("first", "second", "second"),  # not steady, right when swapped
    OrderPair("tie", "first", "second"),
    OrderPair("second", "first", "second"),  # not steady, right at first
    OrderPair("first", "first", "second"),  # steady and wrong
]


def test_shares_are_of_all_pairs() -> None:
    """4 of 8 are steady, 2 of 8 steady and right, 4 of 8 right in the first order, 2 of the 4 steady ones right."""
    found = orders(EIGHT)
    assert found.n == 8
    assert (found.consistency.value, found.agreement.value, found.accuracy.value) == (0.5, 0.25, 0.5)
    assert (found.agreement_of_consistent.value, found.agreement_of_consistent.n) == (0.5, 4)
    assert found.agreement.low is not None
    assert found.agreement.low < 0.25


def test_of_one_order_only_the_accuracy_is_known() -> None:
    found = orders([OrderPair("first", None, "first"), OrderPair("tie", None, "first")])
    assert found.accuracy.value == 0.5
    for figure in (found.agreement, found.consistency, found.agreement_of_consistent):
        assert (figure.value, figure.note) == (None, ONE_ORDER)


def test_without_people_a_judge_is_only_held_to_itself() -> None:
    found = orders([OrderPair("first", "first"), OrderPair("tie", "first")])
    assert found.consistency.value == 0.5
    assert (found.agreement.value, found.agreement.note) == (None, NO_LABELS)
    assert found.accuracy.note == NO_LABELS


def test_nothing_is_undefined_and_no_division() -> None:
    assert {orders([]).accuracy.note, orders([]).consistency.note} == {NO_UNITS}
    assert orders([OrderPair("first", "second", "tie")]).agreement_of_consistent.note == NONE_CONSISTENT


def test_mixed_pairs_are_no_share() -> None:
    with pytest.raises(ValueError, match="one order"):
        orders([OrderPair("first", "first", "first"), OrderPair("first", None, "first")])


@given(st.lists(st.tuples(CHOICES, CHOICES, CHOICES), min_size=1, max_size=40))
def test_agreement_is_in_neither_consistency_nor_accuracy_alone(said: list[tuple[str, str, str]]) -> None:
    found = orders([OrderPair(*each) for each in said])
    values = [figure.value for figure in (found.agreement, found.consistency, found.accuracy)]
    assert all(value is not None for value in values)
    agreement, consistency, accuracy = (value or 0.0 for value in values)
    assert agreement <= min(consistency, accuracy)
    exchange = {"first": "second", "second": "first", "tie": "tie"}
    turned = orders([OrderPair(*[exchange[one] for one in each]) for each in said])
    assert turned.agreement.value == found.agreement.value


def test_each_author_counts_once_however_many_questions_it_was_asked() -> None:
    """a: 3 of 4 questions alike, 1 of 2 answers; b: 0 of 1, 0 of 1. Means: 37.5 % and 25 %; pooled it were 3 of 5."""
    left = {
        ("a", "1", "1"): True,
        ("a", "1", "2"): False,
        ("a", "2", "1"): True,
        ("a", "2", "2"): True,
        ("b", "3", "1"): True,
    }
    right = left | {("a", "2", "2"): False, ("b", "3", "1"): False}
    rate = consistency_rate(left, right)
    assert (rate.authors["a"].per_question, rate.authors["a"].per_sample) == (0.75, 0.5)
    assert (rate.per_question, rate.per_sample) == (0.375, 0.25)
    assert (rate.authors["a"].questions, rate.authors["a"].samples, rate.skipped) == (4, 2, 0)


def test_what_one_side_does_not_say_is_left_out_and_counted() -> None:
    left = {("a", "1", "1"): True, ("a", "1", "2"): True, ("a", "1", "3"): None}
    right = {("a", "1", "1"): True, ("a", "1", "2"): None, ("a", "2", "1"): False, ("a", "1", "3"): None}
    rate = consistency_rate(left, right)
    assert (rate.authors["a"].questions, rate.per_question, rate.skipped) == (1, 1.0, 2)


def test_no_question_in_common_has_no_rate() -> None:
    rate = consistency_rate({("a", "1", "1"): True}, {})
    assert (rate.per_question, rate.per_sample, rate.skipped) == (None, None, 1)
