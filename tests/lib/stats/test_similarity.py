"""How far two answers agree: by hand, as properties, and against scipy and the arrays of span_f1."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from lib.stats.agreement.spans import SpanTable, span_f1
from lib.stats.similarity import kendall_distance, marked_f1, masi_distance

places = st.lists(
    st.tuples(st.sampled_from(["source", "target"]), st.integers(0, 40), st.integers(1, 9)).map(
        lambda place: (place[0], place[1], place[1] + place[2])
    ),
    max_size=6,
)


def test_masi_by_hand() -> None:
    # {a} in {a, b}: Jaccard 1/2 × 2/3 = 1/3. {a, b} and {b, c}: 1/3 × 1/3 = 1/9.
    assert masi_distance(frozenset("a"), frozenset("ab")) == pytest.approx(2 / 3)
    assert masi_distance(frozenset("ab"), frozenset("bc")) == pytest.approx(8 / 9)
    assert masi_distance(frozenset(), frozenset()) == 0


def test_orders_by_hand() -> None:
    # a b c and b a c: one of three pairs is the other way round. Where one side ties a and b, that pair counts a half.
    assert kendall_distance((1, 2, 3), (2, 1, 3)) == pytest.approx(1 / 3)
    assert kendall_distance((1, 1, 3), (1, 2, 3)) == pytest.approx(1 / 6)
    assert kendall_distance((1, 1, 3), (1, 1, 3)) == 0
    assert kendall_distance((1,), (1,)) == 0
    with pytest.raises(ValueError, match="2 and of 3 things"):
        kendall_distance((1, 2), (1, 2, 3))


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_orders_without_ties_are_as_scipys_tau(left: list[int], right: list[int]) -> None:
    assert kendall_distance(left, right) == pytest.approx((1 - kendalltau(left, right).statistic) / 2)


def test_marks_by_hand() -> None:
    # 0–5 and 3–8 share two characters of five and five; a character that is marked twice counts once.
    assert marked_f1([("t", 0, 5)], [("t", 3, 8)]) == pytest.approx(4 / 10)
    assert marked_f1([("t", 0, 5), ("t", 2, 4)], [("t", 3, 8)]) == pytest.approx(4 / 10)
    assert marked_f1([("t", 0, 5)], [("u", 0, 5)]) == 0
    assert marked_f1([], []) == 1
    assert marked_f1([], [("t", 0, 1)]) == 0


@given(places, places)
def test_marks_are_compared_as_span_f1_compares_them(left: list, right: list) -> None:
    value = marked_f1(left, right)
    assert value == marked_f1(right, left)
    spans = [(rating, start + 100 * (text == "target"), end + 100 * (text == "target"))
             for rating, answer in enumerate((left, right)) for text, start, end in answer]  # fmt: skip
    rating, start, end = np.array(spans, dtype=np.int64).reshape(-1, 3).T
    table = SpanTable(
        lengths=np.array([200]), clusters=np.array([0]), unit=np.array([0, 0]), rating=rating, start=start, end=end,
        labels=np.zeros((len(spans), 1), dtype=np.int64),
    )  # fmt: skip
    assert span_f1(table).value == (pytest.approx(value) if spans else None)
