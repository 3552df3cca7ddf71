"""Differences with numbered changes: every way of showing them holds both texts, and numbers each change the same."""

import html
import re

from hypothesis import given

from annotate.templatetags.texts import change_count, changes_alone, changes_in_gold, changes_in_new, changes_in_one
from lib.texts.differences import difference
from tests.lib.texts.writing import any_texts, mixed_texts

MARK = re.compile(r'<(ins|del) data-change="(\d+)">(.*?)</\1>', re.DOTALL)


def shown(marked: str, *, without: str) -> str:
    """The text of some HTML of ours, without the marks of one sort."""
    return html.unescape(MARK.sub(lambda found: "" if found[1] == without else found[3], marked))


def numbers(marked: str) -> set[int]:
    return {int(found[2]) for found in MARK.finditer(marked)}


@given(any_texts, any_texts)
def test_both_texts_can_be_read_from_every_way_of_showing_them(old: str, new: str) -> None:
    found = difference(old, new)
    assert shown(changes_in_one(found), without="ins") == old
    assert shown(changes_in_one(found), without="del") == new
    assert shown(changes_in_gold(found), without="ins") == old
    assert shown(changes_in_new(found), without="del") == new
    assert numbers(changes_in_gold(found)) | numbers(changes_in_new(found)) == numbers(changes_in_one(found))


@given(mixed_texts, mixed_texts)
def test_changes_alone_have_the_numbers_and_the_texts_of_the_whole(old: str, new: str) -> None:
    found = difference(old, new)
    alone = changes_alone(found)
    joined = "".join(place.html for place in alone)
    assert MARK.findall(joined) == MARK.findall(changes_in_one(found))
    assert numbers(joined) == set(range(1, change_count(found) + 1))
    assert [place.first for place in alone] == [min(numbers(place.html)) for place in alone]


def test_what_was_removed_and_what_took_its_place_are_one_change() -> None:
    found = difference("The lift is 26 metres & more.", "The lift is 62 metres & less.")
    assert changes_in_one(found) == (
        'The lift is <del data-change="1">26</del><ins data-change="1">62</ins> metres &amp; '
        '<del data-change="2">more</del><ins data-change="2">less</ins>.'
    )
    assert change_count(found) == 2
    assert change_count(difference("same", "same")) == 0
