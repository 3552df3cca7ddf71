import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.texts import diff as module
from lib.texts.diff import ALPHABET_SIZE, TokenChange, changes, engine, fast_engine, plain_engine

few_letters = st.text(alphabet="abc", max_size=40)


@given(few_letters, few_letters)
def test_both_engines_find_the_same(old: str, new: str) -> None:
    assert list(fast_engine(old, new, 10)) == list(plain_engine(old, new, 10))


@given(few_letters, few_letters)
def test_what_lies_between_changes_is_the_same(old: str, new: str) -> None:
    old_at = new_at = 0
    for change in [*changes(old, new, timeout=10), TokenChange(len(old), len(old), len(new), len(new))]:
        assert old[old_at : change.old_start] == new[new_at : change.new_start]
        old_at, new_at = change.old_end, change.new_end


@given(few_letters)
def test_equal_sequences_have_no_change(text: str) -> None:
    assert changes(text, text, timeout=10) == []


def test_the_plain_engine_stands_in_where_the_fast_one_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert engine() is fast_engine
    monkeypatch.setattr(module, "fast_diff_match_patch", None)
    assert engine() is plain_engine


def test_more_distinct_tokens_than_sixteen_bits_hold() -> None:
    old = [f"w{n}" for n in range(70_000)]
    new = [*old[:100], "x", *old[101:60_000], *old[60_001:]]
    assert changes(["a", *old, "b"], ["c", *new, "d"], timeout=10) == [
        TokenChange(0, 1, 0, 1),
        TokenChange(101, 102, 101, 102),
        TokenChange(60_001, 60_002, 60_001, 60_001),
        TokenChange(70_001, 70_002, 70_000, 70_001),
    ]


def test_no_letter_of_the_alphabet_is_a_surrogate() -> None:
    letters = [code for codes in module._ALPHABET for code in codes]
    assert len(set(letters)) == ALPHABET_SIZE > 1_000_000
    assert not any(0xD800 <= code <= 0xDFFF for code in letters)
    assert max(letters) <= sys.maxunicode


def test_an_exhausted_alphabet_gives_one_change_between_the_common_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ALPHABET_SIZE", 3)
    assert changes("same abcd end", "same bcde end", timeout=10) == [TokenChange(5, 9, 5, 9)]


def test_sequences_without_a_common_word_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "engine", lambda: pytest.fail("searched"))
    assert changes(["a", " ", "b"], ["c", " ", "d"], timeout=10) == [TokenChange(0, 3, 0, 3)]
