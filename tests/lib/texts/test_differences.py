import random

import pytest
import regex
from hypothesis import given

from lib.texts import diff as changes_module
from lib.texts import differences as differences_module
from lib.texts.differences import TextDifference, difference, pieces_between, split
from lib.texts.tokens import tokens
from tests.lib.texts.writing import any_texts, mixed_texts


def old_of(found: TextDifference) -> str:
    return "".join(text for op, text in found.pieces if op != "added")


def new_of(found: TextDifference) -> str:
    return "".join(text for op, text in found.pieces if op != "removed")


@given(any_texts, any_texts)
def test_the_pieces_give_both_texts_again(old: str, new: str) -> None:
    found = difference(old, new)
    assert old_of(found) == old
    assert new_of(found) == new
    assert found.changed is (old != new)
    assert 0 <= found.shared <= 1


@given(mixed_texts, mixed_texts)
def test_no_word_and_no_grapheme_is_marked_in_part(old: str, new: str) -> None:
    left, right = split(difference(old, new))
    for text, pieces in ((old, left), (new, right)):
        edges = _edges(tokens(text)) & _edges(regex.findall(r"\X", text))
        assert _edges([piece.text for piece in pieces]) <= edges


def _edges(parts: list[str]) -> set[int]:
    lengths = [len(part) for part in parts]
    return {sum(lengths[:count]) for count in range(len(lengths) + 1)}


@given(mixed_texts, mixed_texts)
def test_the_fast_and_the_plain_engine_give_the_same_pieces(old: str, new: str) -> None:
    fast = difference(old, new, timeout=10)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(changes_module, "fast_diff_match_patch", None)
        assert difference(old, new, timeout=10) == fast


@given(any_texts)
def test_a_text_against_itself_is_one_same_piece(text: str) -> None:
    found = difference(text, text)
    assert found.pieces == ([("same", text)] if text else [])
    assert (found.added, found.removed, found.shared, found.says_nothing) == (0, 0, 1.0, False)


def test_words_are_counted_and_marked_whole() -> None:
    found = difference("It costs 1,000.5 euros.", "It costs 1,001.5 dollars, sadly.")
    assert found.pieces == [
        ("same", "It costs "),
        ("removed", "1,000.5 euros"),
        ("added", "1,001.5 dollars, sadly"),
        ("same", "."),
    ]
    assert (found.removed, found.added) == (2, 3)
    # common: It, costs and the full stop, out of 5 and 7 tokens
    assert found.shared == pytest.approx(2 * 3 / (5 + 7))


def test_chinese_is_compared_and_counted_by_character() -> None:
    found = difference("我喜欢吃苹果。", "我喜欢吃香蕉。")
    assert found.pieces == [("same", "我喜欢吃"), ("removed", "苹果"), ("added", "香蕉"), ("same", "。")]
    assert (found.removed, found.added) == (2, 2)


def test_a_family_emoji_is_replaced_whole() -> None:
    assert difference("👨‍👩‍👧 hi", "👨‍👩‍👦 hi").pieces == [
        ("removed", "👨‍👩‍👧"),
        ("added", "👨‍👩‍👦"),
        ("same", " hi"),
    ]


def test_blank_changes_are_changes_without_words() -> None:
    found = difference("a b", "a  b")
    assert found.changed
    assert (found.added, found.removed) == (0, 0)


def test_marks_that_would_cover_everything_say_nothing() -> None:
    old = "The capital of France is Paris, as everybody knows."
    new = "import sys; print(sys.argv[1:]) # nothing else"
    assert difference(old, new).says_nothing


@pytest.mark.parametrize(
    ("old", "new"),
    [("Yes", "No"), ("", "a whole new text of more than a dozen words " * 3), ("gone entirely " * 20, "")],
)
def test_short_or_one_sided_texts_are_worth_marking(old: str, new: str) -> None:
    assert not difference(old, new).says_nothing


def test_split_gives_two_columns() -> None:
    left, right = split(difference("one two three", "one 2 three"))
    assert left == [("same", "one "), ("removed", "two"), ("same", " three")]
    assert right == [("same", "one "), ("added", "2"), ("same", " three")]


def test_very_long_texts_are_compared_by_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences_module, "MOST_UNITS", 8)
    found = difference("first line\nsecond line\nlast", "first line\nother line\nlast")
    assert found.pieces == [
        ("same", "first line\n"),
        ("removed", "second line\n"),
        ("added", "other line\n"),
        ("same", "last"),
    ]


def test_texts_of_too_many_lines_are_replaced_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences_module, "MOST_UNITS", 8)
    found = difference("a\n" * 10, "a\n" * 11)
    assert found.pieces == [("removed", "a\n" * 10), ("added", "a\n" * 11)]


WORST = random.Random(7)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("".join(WORST.choices("一二", k=20_000)), "".join(WORST.choices("一二", k=20_000))),
        ("".join(WORST.choices("一二三四五六七八", k=20_000)), "".join(WORST.choices("八九十百千万", k=20_000))),
        ("一" * 10_000 + "二" + "一" * 9_999, "三" + "一" * 9_000 + "二二" + "一" * 9_999),
        (("一" * 100 + "二") * 200, "三" + ("一" * 101 + "二") * 200),
        ("a " * 10_000, "b a" * 7_000),
    ],
)
@pytest.mark.parametrize("accelerated", [True, False])
def test_hard_cases_of_20000_characters_end(
    old: str, new: str, accelerated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not accelerated:
        monkeypatch.setattr(changes_module, "fast_diff_match_patch", None)
    found = difference(old, new, timeout=0.2)
    assert (old_of(found), new_of(found)) == (old, new)


@pytest.mark.parametrize(
    ("old", "new", "in_characters"),
    [
        ("It has one moon.", "It has two moons.", False),
        ("火星只有一颗卫星。", "火星有两颗卫星。", True),
        ("火星有两颗卫星。", "火星有两颗卫星: Phobos.", True),
        ("Mars (火星) has two moons.", "Mars (火星) has two small moons.", False),
        ("", "再数一遍。", True),
        ("", "", False),
        ("1 2 3", "1 2 4", False),
    ],
)
def test_the_unit_of_its_counts_follows_the_text(old: str, new: str, in_characters: bool) -> None:
    assert difference(old, new).in_characters is in_characters


@given(any_texts, any_texts)
def test_pieces_without_counts_are_those_of_the_difference(old: str, new: str) -> None:
    assert list(pieces_between(old, new)) == difference(old, new).pieces
    assert list(pieces_between(new, new)) == difference(new, new).pieces
