import pytest

from annotate.templatetags.texts import as_markdown, difference, reading_lines, written_in


@pytest.mark.parametrize(
    ("text", "otherwise", "language"),
    [
        ("火星有几颗卫星？", "", "zh-Hans"),
        ("请用 Python 写一个 merge_shifts 函数", "en", "zh-Hans"),
        ("How many moons?", "en", "en"),
        ("How many moons?", "zh", "en"),
        ("Combien de lunes ?", "fr", "fr"),
        ("これはペンです", "zh", "ja"),
        ("안녕하세요", "", "ko"),
        ("", "de", "de"),
        ("123", "", ""),
    ],
)
def test_the_language_of_a_text_is_told_by_its_script(text: str, otherwise: str, language: str) -> None:
    assert written_in(text, otherwise) == language


def test_lines_are_counted_as_they_are_read() -> None:
    assert reading_lines("") == 0
    assert reading_lines("one\ntwo\n") == 2
    assert reading_lines("x" * 200) == 3  # 200 letters, 90 to a line
    assert reading_lines("字" * 100) == 3  # each as wide as two letters


def test_a_missing_text_counts_as_empty() -> None:
    assert difference(None, "new").added == 1
    assert not difference("same", "same").changed


def test_markdown_is_safe() -> None:
    assert "<script" not in as_markdown("<script>alert(1)</script>")
