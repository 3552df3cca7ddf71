import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.texts.near_duplicates import likeness, words


def test_words_are_compared_in_lower_case_and_chinese_by_neighbours() -> None:
    assert words("The Answer, 42 a") == {"the", "answer", "42"}
    assert words("清单很长 ok") == {"清单", "单很", "很长", "ok"}
    assert words("好") == {"好"}


def test_shared_words_count_by_how_rare_they_are() -> None:
    # Texts: {aa, bb}, {aa, cc}, {bb, dd}; n = 3, so a word of one text weighs ln(4/1)², of two texts ln(4/2)².
    rare, common = math.log(4) ** 2, math.log(2) ** 2
    mine = 2 * common  # aa and bb stand in two texts each
    expected = common / math.sqrt(mine * (common + rare))
    assert likeness("aa bb", ["aa cc", "bb dd"]) == [pytest.approx(expected), pytest.approx(expected)]


def test_a_rare_word_in_common_is_nearer_than_a_common_one() -> None:
    near, far, *_rest = likeness("weights of lists", ["weights here", "of here", "of there", "of where"])
    assert near > far > 0


def test_texts_without_a_word_in_common_are_not_alike() -> None:
    assert likeness("one", ["two", ""]) == [0.0, 0.0]
    assert likeness("", ["two"]) == [0.0]


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=6))
def test_it_lies_between_nothing_and_the_same(text: str, others: list[str]) -> None:
    found = likeness(text, others)
    assert all(0 <= one <= 1 for one in found)
    same = [one for one, other in zip(found, others, strict=True) if words(other) == words(text) != set()]
    assert same == [pytest.approx(1.0)] * len(same)
