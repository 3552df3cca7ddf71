import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from lib.texts.authorship import WrittenPart, attributed, characters, inked, shares
from lib.texts.differences import difference
from tests.lib.texts.writing import any_texts, mixed_texts

chains = st.lists(st.tuples(st.sampled_from("abc"), st.one_of(any_texts, mixed_texts)), min_size=1, max_size=4)


def of(*versions: tuple[str, str]) -> list[tuple[str, str]]:
    return [tuple(part) for part in attributed([WrittenPart(*version) for version in versions])]


def test_nothing_has_no_author() -> None:
    assert of() == []
    assert of(("model", "one"), ("person", "")) == []


def test_a_word_stays_with_whoever_brought_it_in() -> None:
    assert of(("model", "Both weigh the same."), ("annotator", "Both weigh exactly the same.")) == [
        ("model", "Both weigh "),
        ("annotator", "exactly "),
        ("model", "the same."),
    ]


def test_each_hand_of_three_keeps_its_own() -> None:
    found = of(("m", "Mars has moons."), ("a", "Mars has two moons."), ("r", "Mars has two small moons."))
    assert [(by, text.strip()) for by, text in found] == [
        ("m", "Mars has"),
        ("a", "two"),
        ("r", "small"),
        ("m", "moons."),
    ]


def test_what_is_put_back_is_its_first_authors() -> None:
    assert of(("m", "Two moons."), ("a", "Something else entirely"), ("r", "Two moons.")) == [("m", "Two moons.")]


def test_chinese_is_attributed_by_character() -> None:
    found = of(("m", "火星有卫星。"), ("a", "火星有两颗卫星。"))
    assert found == [("m", "火星有"), ("a", "两颗"), ("m", "卫星。")]
    assert characters(WrittenPart(*one) for one in found) == {"m": 6, "a": 2}


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("a b\n", 2), ("👨‍👩‍👧 ok", 3), ("e\u0301t\u00e9", 3), ("两颗 卫星", 4), ("🇫🇷🇩🇪", 2)]
)
def test_a_character_is_what_people_see_as_one(text: str, count: int) -> None:
    assert inked(text) == count


def test_a_changed_emoji_is_never_cut() -> None:
    assert of(("m", "fine 👨‍👩‍👧"), ("a", "fine 👨‍👩‍👦")) == [("m", "fine "), ("a", "👨‍👩‍👦")]


@given(chains)
def test_the_parts_give_the_text_again_and_their_characters_add_up(versions: list[tuple[str, str]]) -> None:
    found = attributed([WrittenPart(*one) for one in versions])
    final = versions[-1][1]
    assert "".join(part.text for part in found) == final
    counted = characters(found)
    assert sum(counted.values()) == inked(final)
    told = shares(counted)
    assert told is None if not inked(final) else round(sum(told.values()), 9) == 1


@given(st.lists(st.one_of(any_texts, mixed_texts), min_size=1, max_size=3), mixed_texts)
def test_an_identical_text_is_its_authors_whoever_came_between(between: list[str], text: str) -> None:
    versions = [
        WrittenPart("first", text),
        *(WrittenPart("between", one) for one in between),
        WrittenPart("last", text),
    ]
    assert {part.by for part in attributed(versions)} <= {"first"}


@given(mixed_texts, mixed_texts)
def test_with_two_hands_the_first_has_what_the_difference_leaves_unmarked(old: str, new: str) -> None:
    found = attributed([WrittenPart("old", old), WrittenPart("new", new)])
    same = "".join(text for op, text in difference(old, new).pieces if op == "same")
    assert "".join(part.text for part in found if part.by == "old") == same


@given(any_texts)
def test_characters_are_graphemes_that_are_not_blank(text: str) -> None:
    assert inked(text) == sum(not grapheme.isspace() for grapheme in regex.findall(r"\X", text))


def test_rounded_shares_add_up_to_one() -> None:
    # a third each: 333 thousandths, and the one left over goes to the first
    assert shares({"a": 1, "b": 1, "c": 1}) == {"a": 0.334, "b": 0.333, "c": 0.333}
    assert shares({"a": 0, "b": 5}) == {"a": 0.0, "b": 1.0}
    assert shares({"a": 0}) is None
