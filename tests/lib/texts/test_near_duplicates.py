import random
from itertools import combinations

import pytest
from hypothesis import given

from lib.texts.near_duplicates import candidates, resemblance, shingles
from tests.lib.texts.writing import any_texts


def test_pairs_of_neighbouring_words_leave_capitals_and_signs_aside() -> None:
    assert shingles("What is 15% of 240?") == {"what is", "is 15", "15 of", "of 240"}
    assert shingles("what is 15 % of 240") == shingles("What is 15% of 240?")


def test_chinese_is_compared_character_by_character() -> None:
    assert shingles("水的化学式") == {"水 的", "的 化", "化 学", "学 式"}
    # 水的, 的化, 化学, 学式 and 式是, 是什, 什么: three of seven are only in the second.
    assert resemblance(shingles("水的化学式"), shingles("水的化学式是什么？")) == pytest.approx(4 / 7)


def test_one_word_is_compared_as_it_is_and_no_word_says_nothing() -> None:
    assert resemblance(shingles("Hello!"), shingles("hello")) == 1
    assert resemblance(shingles("…"), shingles("?!")) == 0


@given(any_texts, any_texts)
def test_resemblance_is_symmetric_and_between_0_and_1(one: str, other: str) -> None:
    left, right = shingles(one), shingles(other)
    assert resemblance(left, right) == resemblance(right, left)
    assert 0 <= resemblance(left, right) <= 1
    assert not left or resemblance(left, left) == 1


def test_what_resembles_is_found_among_many() -> None:
    """Every pair at 0.7 or above among 300 texts, by comparing all with all; at most one in fifty may be missed."""
    draw = random.Random(7)
    words = [f"word{n}" for n in range(400)]
    texts = [" ".join(draw.choices(words, k=40)) for _n in range(200)]
    texts += [" ".join(draw.choice(words) if draw.random() < 0.04 else w for w in one.split()) for one in texts[:100]]
    found = set(candidates(enumerate(texts), threshold=0.7))
    known = [shingles(text) for text in texts]
    alike = {(a, b) for a, b in combinations(range(300), 2) if resemblance(known[a], known[b]) >= 0.7}
    assert len(alike) > 50
    assert len(alike - found) <= len(alike) / 50


def test_a_thousand_equal_texts_make_no_million_pairs() -> None:
    found = list(candidates(((n, "the same words again and again") for n in range(1000)), threshold=0.9))
    assert len(found) < 20_000
    assert {later for _earlier, later in found} == set(range(1, 1000))


def test_texts_without_words_are_like_nothing() -> None:
    assert list(candidates([(1, "…"), (2, "…"), (3, "")], threshold=0.5)) == []
