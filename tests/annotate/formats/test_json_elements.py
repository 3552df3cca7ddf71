import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.formats import json_array
from annotate.formats.json_array import elements
from annotate.formats.source import Unreadable

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.text('"\\[]{},: '),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=30,
)


def cut(text: bytes, *, limit: int = 10_000, chunk: int | None = None, patch: pytest.MonkeyPatch) -> list[bytes | None]:
    if chunk:
        patch.setattr(json_array, "_CHUNK_BYTES", chunk)
    return list(elements(io.BufferedReader(io.BytesIO(text)), limit))


@given(st.lists(json_values), st.integers(1, 20), st.booleans(), st.sampled_from([None, 1]))
def test_any_list_falls_into_the_elements_that_the_parser_finds(
    values: list[object], chunk: int, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(values, ensure_ascii=ascii_only, indent=indent).encode(errors="surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        found = cut(text, chunk=chunk, patch=patch)
    assert [json.loads(each.decode(errors="surrogatepass")) for each in found if each is not None] == json.loads(text)


@given(st.text('[]{}",\\ a', max_size=30).map(str.encode), st.integers(1, 5))
def test_the_size_of_the_chunks_changes_nothing(text: bytes, chunk: int) -> None:
    def outcome(size: int) -> object:
        with pytest.MonkeyPatch.context() as patch:
            try:
                return cut(b"[" + text, chunk=size, patch=patch)
            except Unreadable as fault:
                return str(fault)

    assert outcome(chunk) == outcome(1000)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (b"", "empty"),
        (b" \n ", "empty"),
        (b'{"a": 1}', "starts with an object"),
        (b'"text"', "not a JSON list"),
        (b'[{"a": 1}', "never closed"),
        (b'[{"a": 1}, {"b": ', "missing after element 1"),
        (b'[{"a": "x}]', "never closed"),
        (b'[{"a": 1}]]', "more text after the end"),
        (b'[{"a": 1}]\n[{"a": 2}]', "more text after the end"),
        (b'[{"a": 1}}', "should continue or end"),
    ],
)
def test_what_is_no_list_is_refused(text: bytes, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for chunk in (1, 7, 1000):
        with pytest.raises(Unreadable, match=part):
            cut(text, chunk=chunk, patch=monkeypatch)


def test_elements_before_a_fault_are_handed_over_first() -> None:
    found = elements(io.BufferedReader(io.BytesIO(b'[{"a": 1}, {"a": 2}')), 100)
    assert next(found) == b'{"a": 1}'
    with pytest.raises(Unreadable):
        next(found)


def test_broken_elements_are_cut_out_for_the_parser_to_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cut(b'[{"a": tru}, , {"b"}, 7]', patch=monkeypatch) == [b'{"a": tru}', b"", b'{"b"}', b"7"]
    assert cut(b"[1,]", patch=monkeypatch) == [b"1", b""]
    assert cut(b"[ ]", patch=monkeypatch) == []


def test_an_element_as_long_as_the_limit_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b'[{"a": 1},{"a": 12},{"a": 3}]'
    assert cut(text, limit=8, patch=monkeypatch) == [b'{"a": 1}', None, b'{"a": 3}']


def test_an_element_over_the_limit_is_left_out_and_the_next_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b'[{"a": 1}, "' + b'x]\\"' * 100 + b'", {"a": 2}]'
    assert cut(text, limit=50, chunk=16, patch=monkeypatch) == [b'{"a": 1}', None, b'{"a": 2}']
