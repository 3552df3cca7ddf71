"""Sums of judgements by criteria: derived by hand, and what exchanging the answers must do to them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.strategies.branches.criterion_scores import Compared, Merged, merged, numbered
from judging.strategies.branches.strategies import opinion
from judging.strategies.orders import OTHER, turned
from judging.strategies.strategy import Opinion, OpinionPart

scores = st.integers(1, 5).map(float) | st.none()
weights = st.none() | st.floats(0, 10)
pieces = st.lists(st.builds(OpinionPart, st.just("1"), st.just(""), scores, scores, weights), max_size=10)


def piece(first: float | None, second: float | None = None, weight: float | None = None) -> OpinionPart:
    return OpinionPart("1", "", first, second, weight)


def prefixes(opinion_parts: list[OpinionPart]) -> list[Merged]:
    """The sums of the first one, two, … criteria."""
    return [merged(numbered(opinion_parts), n) for n in range(1, len(opinion_parts) + 1)]


def test_the_larger_sum_wins_and_every_prefix_has_its_own() -> None:
    """4, 4+1, 4+1+3 against 2, 2+3, 2+3+5: the first is ahead, then they are equal, then the second is."""
    found = prefixes([piece(4, 2), piece(1, 3), piece(3, 5)])
    assert [(one.first, one.second, one.choice) for one in found] == [
        (4, 2, "first"),
        (5, 5, "tie"),
        (8, 10, "second"),
    ]
    assert merged([piece(4, 2), piece(1, 3), piece(3, 5)], 2).choice == "tie"


def test_prefixes_go_by_number_however_rows_are_sorted() -> None:
    """As a database sorts texts, 10 stands before 2."""
    rows = [OpinionPart(axis, "", float(score), 1.0) for axis, score in (("1", 1), ("10", 5), ("2", 2))]
    assert [one.first for one in prefixes(rows)] == [1, 3, 8]


def test_a_weighted_sum_stays_on_the_scale_of_the_plain_one() -> None:
    """Weights 3 and 1: (3·4 + 1·2) · 2/4 = 7 against (3·2 + 1·5) · 2/4 = 5.5; plain they would be 6 and 7."""
    found = merged([piece(4, 2, 3), piece(2, 5, 1)])
    assert (found.first, found.second, found.choice) == (7, 5.5, "first")


def test_what_makes_a_tie_does_not_grow_with_the_sums() -> None:
    assert [Merged(10.0, 10.0 + more).choice for more in (0.0, 5e-10, 5e-9)] == ["tie", "tie", "second"]


def test_weights_that_differ_by_rounding_alone_make_a_tie() -> None:
    """0.1 + 0.2 is not 0.3 to a computer."""
    found = merged([piece(1, 2, 0.1), piece(1, 2, 0.2), piece(2, 1, 0.3)])
    assert found.choice == "tie"


@pytest.mark.parametrize("missing", [[], [piece(None, 3)], [piece(3, 3), piece(3, None)], [piece(3, 4, 0)]])
def test_where_a_score_is_missing_or_nothing_weighs_there_is_no_choice(missing: list[OpinionPart]) -> None:
    assert merged(missing).choice == ""


def test_a_single_answer_has_one_sum_and_no_choice() -> None:
    found = merged([piece(4), piece(5)])
    assert (found.first, found.second, found.choice) == (9, None, "")


@given(said=pieces)
def test_exchanging_the_answers_exchanges_sums_and_choice(said: list[OpinionPart]) -> None:
    """The opinion of a judge who said the same of both answers in the other order, turned back, is the same opinion."""
    exchanged = [OpinionPart(one.axis, one.label, one.score_second, one.score_first, one.weight) for one in said]
    direct, back = opinion(said), turned(opinion(exchanged))
    assert isinstance(back, Opinion)
    assert (back.score_first, back.score_second, back.choice) == (
        direct.score_first,
        direct.score_second,
        direct.choice,
    )
    assert opinion(exchanged).choice == OTHER.get(direct.choice, direct.choice)


@given(said=pieces)
def test_a_tie_is_there_exactly_where_the_sums_are_equal(said: list[OpinionPart]) -> None:
    for one in prefixes(said):
        if one.first is None or one.second is None:
            assert one.choice == ""
        else:
            assert (one.choice == "tie") == (abs(one.first - one.second) <= 1e-9)


@given(
    said=st.lists(
        st.builds(OpinionPart, st.just("1"), st.just(""), st.integers(1, 5).map(float)), min_size=1, max_size=10
    )
)
def test_sums_stay_on_the_scale(said: list[OpinionPart]) -> None:
    for n, one in enumerate(prefixes(said), start=1):
        assert one.first is not None
        assert n <= one.first <= 5 * n


def test_the_reason_is_what_was_said_of_each_answer_and_of_both() -> None:
    said = Compared(explanation_first="It is short.", comparison="The second is longer.", score_first=2, score_second=4)
    assert said.reason == "It is short.\nThe second is longer."
