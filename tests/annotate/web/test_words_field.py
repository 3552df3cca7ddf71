import pytest

from annotate.web.access import WordsField


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a, b", ["a", "b"]),
        ("甲，乙；丙;a\nb", ["甲", "乙", "丙", "a", "b"]),
        (" a ,, a,", ["a"]),
        ("", []),
        (None, []),
    ],
)
def test_words_are_parted_by_commas_and_each_is_kept_once(text: str | None, words: list[str]) -> None:
    assert WordsField(required=False).clean(text) == words


@pytest.mark.parametrize(("value", "shown"), [(["a", "b"], "a, b"), ("a,b", "a,b"), (None, None)])
def test_words_are_shown_as_they_are_written(value: object, shown: str | None) -> None:
    assert WordsField().prepare_value(value) == shown
