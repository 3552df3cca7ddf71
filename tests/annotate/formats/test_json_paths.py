import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.formats.json_values import find, path_at, spell


@pytest.mark.parametrize(
    ("place", "spelled"),
    [
        ((), ""),
        (("user_query",), "user_query"),
        (("checklist", 2, "weight"), "checklist[2].weight"),
        ((0, 1), "[0][1]"),
        (("问题", 0), "问题[0]"),
        (("a.b", "c"), '["a.b"].c'),
        (("",), '[""]'),
        (("a\0",), '["a\\\\x00"]'),
    ],
)
def test_places_are_spelled_as_people_write_them(place: tuple[str | int, ...], spelled: str) -> None:
    assert spell(place) == spelled


def test_a_very_deep_place_is_cut() -> None:
    assert spell([0] * 60) == "[0]" * 12 + "…"


def test_the_first_match_in_document_order_is_found_names_included() -> None:
    value = {"a": [1, {"bad": 2}], "b": "bad"}
    assert find(value, lambda leaf: leaf == "bad") == (("a", 1, "bad"), "bad")
    assert find(value, lambda leaf: leaf == 2) == (("a", 1, "bad"), 2)
    assert find(value, lambda leaf: leaf == 3) is None


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"a": ?', "a"),
        ('{"a": [1, 2, ?', "a[2]"),
        ('{"a": {"b": [[], {"c": ?', "a.b[1].c"),
        ('{"a": "[{,:", "b": ?', "b"),
        ('{"a": "\\"}", "b": ?', "b"),
        ('{"a": 1, ?', ""),
        ("]]?", ""),
        ('{"a": [1, "unclosed?', "a[1]"),
    ],
)
def test_the_place_of_a_broken_spot_is_told(text: str, path: str) -> None:
    assert path_at(text, len(text) - 1) == path


words = st.text("abcdef", min_size=1, max_size=3)
values = st.recursive(
    st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(words, inner), max_leaves=10
)


@given(st.lists(values, max_size=3), st.dictionaries(words, values, max_size=3))
def test_a_spot_after_anything_well_formed_is_placed_right(before: list[object], members: dict[str, object]) -> None:
    lead = json.dumps({**members, "here": [*before, None]}, ensure_ascii=False).removesuffix("null]}")
    assert path_at(lead + "?", len(lead)) == f"here[{len(before)}]"
