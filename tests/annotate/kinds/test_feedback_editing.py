import math

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from annotate.kinds.feedback.forms import edited, posted_draft, shared_out
from annotate.kinds.values import number

ROWS = [["A", 0.5], ["B", 0.3], ["C", 0.2]]


@pytest.mark.parametrize(
    ("action", "questions"),
    [
        ("add-row", "ABC "),
        ("remove-2", "AC"),
        ("up-1", "ABC"),
        ("up-3", "ACB"),
        ("down-3", "ABC"),
        ("down-1", "BAC"),
        ("remove-0", "ABC"),
        ("remove-4", "ABC"),
        ("remove-x", "ABC"),
        ("", "ABC"),
    ],
)
def test_rows_are_added_removed_and_moved(action: str, questions: str) -> None:
    assert "".join(row[0] or " " for row in edited(ROWS, action, weighted=True)) == questions


def test_plain_questions_have_no_weights_to_share_out() -> None:
    assert edited(["A", "B"], "distribute", weighted=False) == ["A", "B"]


def test_what_has_no_weight_yet_takes_part() -> None:
    assert edited([["A", "x"], ["B", None]], "distribute", weighted=True) == [["A", 0.5], ["B", 0.5]]
    assert edited([["A", "x"], ["B", 0.2]], "normalise", weighted=True) == [["A", 0.0], ["B", 1.0]]


def test_thirds_add_up_to_one() -> None:
    # 100 hundredths among three: 33 each, and the one that is left goes to the first.
    assert shared_out([1, 1, 1]) == [0.34, 0.33, 0.33]


@given(st.lists(st.floats(min_value=0.001, max_value=1000), min_size=1, max_size=150))
def test_shares_always_add_up_to_one(shares: list[float]) -> None:
    assert math.isclose(math.fsum(shared_out(shares)), 1, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("typed", "read"),
    [("1", 1), ("0.5", 0.5), ("0,5", 0.5), (" .5 ", 0.5), ("", None), ("nan", "nan"), ("1e999", "1e999"), ("x", "x")],
)
def test_a_weight_is_read_as_typed(typed: str, read: object) -> None:
    assert number(typed) == read


def test_a_number_too_long_for_a_float_stays_text() -> None:
    assert number("9" * 400) == "9" * 400


def test_an_unsuitable_item_needs_no_readable_weights() -> None:
    data = QueryDict("suitable=no&question=A&weight=half&question=B&weight=0.5")
    assert posted_draft(data, weighted=True)["checklist"] == ["A", ["B", 0.5]]
