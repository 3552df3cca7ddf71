import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from lib.texts import tokens as tokens_module
from lib.texts.tokens import is_word, tokens
from tests.lib.texts.writing import any_texts


@given(any_texts)
def test_joined_tokens_are_the_text(text: str) -> None:
    assert "".join(tokens(text)) == text


@given(any_texts)
def test_no_token_begins_inside_a_grapheme(text: str) -> None:
    edges = {match.start() for match in regex.finditer(r"\X", text)}
    at = 0
    for token in tokens(text):
        assert at in edges
        at += len(token)


ASCII_TEXTS = st.text(st.characters(max_codepoint=127)) | st.text(st.sampled_from("0123456789.,-+eE%xX ()a_]}'\\\r\n"))


@given(ASCII_TEXTS)
def test_texts_in_ascii_are_cut_like_all_others(text: str) -> None:
    assert tokens(text) == tokens_module._TOKEN.findall(text)


@pytest.mark.parametrize(
    "token",
    [
        "word", "naïve", "e\u0301te\u0301", "don't", "don’t", "well-known", "GPT", "Привет", "नमस्ते",
        "foo_bar", "__init__", "camelCase2", "\\frac", "\\alpha", "\\\\", "\\{", "\\(",
        "1,000.5", "-3.2e-4", "+7", "12%", "１２％", "0.5", ".5", "1.000,5", "1,234,567", "1.2.3", "0x1F", "3e8",
        "我", "안", "👨‍👩‍👧", "🇩🇪", "3️⃣", "👍🏽", " \t ", "\n\n", "\r\n", "。", "?",
    ],
)  # fmt: skip
def test_one_unit_is_one_token(token: str) -> None:
    assert tokens(token) == [token]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("我们 go", ["我", "们", " ", "go"]),
        ("它是Python3。", ["它", "是", "Python3", "。"]),
        ("3-4", ["3", "-", "4"]),
        ("x=-5", ["x", "=", "-5"]),
        ("(a)-1", ["(", "a", ")", "-", "1"]),
        ("1,2,3", ["1", ",", "2", ",", "3"]),
        ("10kg", ["10", "kg"]),
        ("5个", ["5", "个"]),
        ("os.path", ["os", ".", "path"]),
        ("\\frac{1}{2}", ["\\frac", "{", "1", "}", "{", "2", "}"]),
        ("end. $5", ["end", ".", " ", "$", "5"]),
        ("a\n\n b", ["a", "\n\n ", "b"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
    ],
)
def test_a_text_falls_into_the_units_people_see(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("token", "counts"),
    [("word", True), ("12%", True), ("我", True), ("\\frac", True), (" ", False), ("。", False), ("👍", False)],
)
def test_words_numbers_and_cjk_characters_count_as_words(token: str, counts: bool) -> None:
    assert is_word(token) is counts
