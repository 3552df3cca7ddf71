"""YAML that is written reads back unchanged, and looks as people write it."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from lib.texts.yaml_core import read_yaml, write_yaml

# Lone surrogates cannot stand in YAML at all: the reader names them.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
NUMBERS = st.integers(-(10**18), 10**18) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=20
)


@settings(max_examples=200)
@given(value=st.dictionaries(TEXTS, VALUES, max_size=4))
def test_what_is_written_reads_back_unchanged(value: Any) -> None:
    assert read_yaml(write_yaml(value)).value == value


def test_it_looks_as_people_write_it() -> None:
    text = """show:
  - {field: prompt, as: markdown, title: {en: Prompt, zh: 提示词}}
questions:
  - {name: safe, type: choice, ask: Is it safe?, options: ["yes", "no", cannot tell], when: {a: at least 2}}
  - name: price
    type: number
    ask: {en: "What does it cost, in all?", zh: 一共多少钱？}
    help: a text that is so long that it does not stand in one line with the others
    min: "0"
"""
    assert write_yaml(read_yaml(text).value) == text
