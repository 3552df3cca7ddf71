"""YAML 1.2, core schema: what it reads, what it refuses, and where it says that the fault is."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.texts.yaml_core import DEEPEST, LONGEST, MOST_VALUES, BadYaml, Place, comment_lines, read_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: yes\nb: on\nc: No", {"a": "yes", "b": "on", "c": "No"}),  # booleans in YAML 1.1
        ("a: true\nb: ~\nc: null\nd:", {"a": True, "b": None, "c": None, "d": None}),
        ("a: 12:30\nb: 0o17\nc: 017\nd: 0x1F", {"a": "12:30", "b": 15, "c": 17, "d": 31}),
        ("a: 1_000\nb: 1.5\nc: -2\nd: .5e1", {"a": "1_000", "b": 1.5, "c": -2, "d": 5.0}),
        ('a: "1"\nb: \'no\'\nc: "true"', {"a": "1", "b": "no", "c": "true"}),
        ("{ask: How natural is it?, n: 1}", {"ask": "How natural is it?", "n": 1}),
        ("a: |\n  one\n  two\n", {"a": "one\ntwo\n"}),
        ("a: 2026-11-26", {"a": "2026-11-26"}),
        ("a: <<\n<<: b", {"a": "<<", "<<": "b"}),
        ("", None),
        ("# only a comment", None),
    ],
)
def test_values_are_those_of_the_core_schema(text: str, value: Any) -> None:
    assert read_yaml(text).value == value


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("a: 1\na: 2", Place(2, 1), "twice"),
        ("a: &x 1", Place(1, 4), "Anchors"),
        ("a: 1\nb: *x", Place(2, 4), "Anchors"),
        ("a: !!python/object:os.system ls", Place(1, 4), "Tags"),
        ("a: !text x", Place(1, 4), "Tags"),
        ("1: a", Place(1, 1), 'put this one in quotes: "1"'),
        ("? [a]\n: b", Place(1, 3), "quotes"),
        ("a: [1", Place(2, 1), "This is not YAML"),
        ("a: 1\n b: 2", Place(2, 3), "This is not YAML"),
        ("a: \0", Place(1, 1), "U+0000"),
        ("a: 1\nb: \ud800", Place(2, 1), "U+D800"),
        ("a: 1\n---\nb: 2", Place(2, 1), "second document"),
        ("[" * (DEEPEST + 2) + "]" * (DEEPEST + 2), Place(1, DEEPEST + 2), "deep"),
        ("x" * (LONGEST + 1), Place(1, 1), "characters"),
        (f"[{'a,' * MOST_VALUES}]", Place(1, 2 * MOST_VALUES), "More than"),
    ],
)
def test_what_it_refuses_it_refuses_at_its_place(text: str, place: Place, word: str) -> None:
    with pytest.raises(BadYaml, match=re.escape(word)) as bad:
        read_yaml(text)
    assert bad.value.place == place


def test_every_part_knows_its_place() -> None:
    document = read_yaml("show:\n  - {field: a}\nquestions:\n  - name: q\n    type: text\n")
    assert document.place_of(("questions", 0, "type")) == Place(5, 5)
    assert document.place_of(("questions", 0, "nowhere")) == Place(4, 5)
    assert document.place_of(("questions", 7)).line == 3


# Line separators are folded within quotes, and a few characters are forbidden.
PLAIN = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Cn"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PLAIN, inner, max_size=3),
    max_leaves=10,
)


@given(VALUES)
def test_json_is_read_as_what_it_is(value: Any) -> None:
    """YAML 1.2 contains JSON, but for characters that YAML forbids."""
    text = json.dumps(value, ensure_ascii=False)
    assert read_yaml(text).value == value


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("# first\na: 1 # second\nb: 'x # no'\n", [1, 2]),
        ("a: |\n  one # inside\n  two\n# after\nb: [1, 2] #3\n", [4, 5]),
        ("a: 'é # 中' # 中\n", [1]),
        ("a: C#\nb: {c: d#e}\n", []),
        ("", []),
    ],
)
def test_comments_are_found_and_nothing_that_looks_like_one(text: str, lines: list[int]) -> None:
    assert comment_lines(text) == lines
