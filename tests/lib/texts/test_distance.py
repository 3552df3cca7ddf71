import pytest
from hypothesis import given

from lib.texts.diff import distance
from lib.texts.tokens import tokens
from tests.lib.texts.writing import mixed_texts


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", 0),
        ("", "new words", 1),
        ("the same words", "the  same\nwords", 0),  # blanks do not count
        ("one two three four", "one two five four", 1 / 4),
        ("one two", "one two three four", 2 / 4),
        ("one two three", "four five six", 1),
        ("火星有卫星", "火星有两颗卫星", 2 / 7),  # one character, one unit
        ("ok 👨‍👩‍👧", "ok 👨‍👩‍👦", 1 / 2),  # a family is one unit
    ],
)
def test_the_share_of_the_longer_text_that_was_rewritten(old: str, new: str, expected: float) -> None:
    assert distance(old, new) == pytest.approx(expected)


@given(mixed_texts, mixed_texts)
def test_it_lies_between_nothing_and_everything_whichever_comes_first(old: str, new: str) -> None:
    found = distance(old, new)
    inked = [[token for token in tokens(text) if not token.isspace()] for text in (old, new)]
    assert 0 <= found <= 1
    assert (found == 0) == (inked[0] == inked[1])
    assert distance(old, old) == 0
