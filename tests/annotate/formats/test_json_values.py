import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.formats.json_values import MAX_DEPTH, MAX_VALUES, BadValue, parse, parse_object


def refusal(data: bytes) -> tuple[str, str]:
    with pytest.raises(BadValue) as caught:
        parse(data)
    return caught.value.path, caught.value.message


storable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | storable,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(storable, inner, max_size=4),
    max_leaves=20,
)


@given(json_values, st.booleans())
def test_every_storable_value_is_read_as_it_was_written(value: object, ascii_only: bool) -> None:
    assert parse(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@given(st.binary(max_size=40) | st.text('{}[]",:\\u0d8 1e-.', max_size=30).map(str.encode))
def test_no_bytes_whatever_raise_anything_but_bad_value(data: bytes) -> None:
    try:
        value = parse(data)
    except BadValue:
        return
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode()


def test_integers_stay_integers_and_floats_floats() -> None:
    values = parse(b"[1, 1.0, -0.0, 9223372036854775807, -9223372036854775808]")
    assert [type(value) for value in values] == [int, float, float, int, int]
    assert math.copysign(1, values[2]) == -1


@pytest.mark.parametrize(
    ("data", "path", "part"),
    [
        (b'{"a": [0, NaN]}', "a[1]", "NaN is not JSON"),
        (b'{"a": -Infinity}', "a", "-Infinity is not JSON"),
        (b'{"a": {"b": 1e999}}', "a.b", "too large"),
        (b'{"a": 1180591620717411303424}', "a", "64 bits"),
        (b'{"a": 9223372036854775808}', "a", "64 bits"),
        (b'{"a": [1, ' + b"7" * 5000 + b"]}", "a[1]", "64 bits"),
        (b'{"a": 0.' + b"7" * 5000 + b"}", "a", "digits"),
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', "b.c", "twice"),
        (b'{"a": 1, "\\u0061": 2}', "a", "twice"),
        (b'{"a": "x\\u0000y"}', "a", "NUL"),
        (b'{"a\\u0000": 1}', '["a\\\\x00"]', "NUL"),
        (b'{"a": "x\\ud83d"}', "a", "surrogate"),
        (b'{"a": ["\\uDE00"]}', "a[0]", "surrogate"),
        (b'{"a": "\\\\ud83d\\ude00"}', "a", "surrogate"),
        (b'{"\\ud83d": 1}', '["\\\\ud83d"]', "surrogate"),
        (b'{"a": ["ok", "caf\xe9"]}', "a[1]", "Byte 18 (0xE9) is not UTF-8"),
        (b'{"a": "\xed\xa0\x80"}', "a", "0xED"),
        (b'{"a": "x\x00y"}', "a", "control character"),
        (b'{"a": "x\ny"}', "a", "control character"),
        (b'{"a": [1, 2,, 3]}', "a[2]", "Character 13: a value is missing"),
        (b'{"a": "x}', "a", "no closing quote"),
        (b'{"a" 1}', "", "colon"),
        (b'{"a": 1 "b": 2}', "a", "comma"),
        (b"{a: 1}", "", "double quotes"),
        (b'{"a": "\\x"}', "a", "backslash"),
        (b'{"a": "\\u12"}', "a", "four hexadecimal digits"),
        (b'{"a": 1} {"b": 2}', "", "object on a line of its own"),
        (b'{"a": tru}', "a", "a value is missing"),
        (b"", "", "a value is missing"),
        (b'{"a": 1e999, "b": ?}', "b", "a value is missing"),
    ],
)
def test_what_would_be_lost_or_changed_is_refused_with_its_place(data: bytes, path: str, part: str) -> None:
    found_path, message = refusal(data)
    assert found_path == path
    assert part in message


def test_whole_surrogate_pairs_and_written_out_backslashes_are_fine() -> None:
    assert parse(b'["\\ud83d\\ude00", "\\\\u0000", "\\\\ud83d"]') == ["😀", "\\u0000", "\\ud83d"]


def test_separators_of_unicode_are_ordinary_characters_in_a_text() -> None:
    assert parse('["a\u2028b\u2029c\x85d"]'.encode()) == ["a\u2028b\u2029c\x85d"]


def test_depth_is_counted_outside_texts_only() -> None:
    assert parse(json.dumps(["[" * 1000, '"[{' * 50]).encode()) == ["[" * 1000, '"[{' * 50]
    assert parse(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    path, message = refusal(b'{"a": ' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"}")
    assert path.startswith("a[0][0]")
    assert "64 deep" in message


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"\\"":'])
def test_a_hundred_thousand_levels_are_refused_without_recursion(opening: bytes) -> None:
    assert "deep" in refusal(opening * 100_000)[1]


def test_a_row_of_endless_small_values_is_refused_before_it_fills_the_memory() -> None:
    path, message = refusal(b'{"a": [' + b"{}," * MAX_VALUES + b"{}]}")
    assert "100000 values" in message
    assert path.startswith("a[")


def test_commas_in_a_long_text_are_no_values() -> None:
    assert parse(b'["' + b"," * 200_000 + b'"]') == ["," * 200_000]


@pytest.mark.parametrize("data", [b"[1]", b"1", b'"text"', b"null"])
def test_a_row_must_be_an_object(data: bytes) -> None:
    with pytest.raises(BadValue, match="must be an object"):
        parse_object(data)
