import pytest
from hypothesis import given

from lib.texts import language
from lib.texts.language import language_of
from tests.lib.texts.writing import any_texts


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("你好", "zh"),
        ("请写一个函数，按年龄排序。", "zh"),
        ("これは日本語です", "ja"),
        ("東京に行く", "ja"),
        ("안녕하세요 여러분", "ko"),
        ("한국어와 漢字", "ko"),
        ("Привет, как дела? ты", "ru"),
        ("Україна і світ", ""),
        ("مرحبا بالعالم", "ar"),
        ("Γειά σου κόσμε", "el"),
        ("สวัสดี", "th"),
        ("שלום עולם", "he"),
        ("नमस्ते दुनिया", "hi"),
        ("What is the capital of France?", "en"),
        ("Write a short poem about autumn.", "en"),
        ("Schreibe ein Gedicht über den Herbst", "de"),
        ("Où est la bibliothèque ?", "fr"),
        ("Escribe un poema sobre el otoño y la luna", "es"),
        ("Qual é a capital do Brasil?", "pt"),
        ("Scrivi una poesia sulla luna e il mare", "it"),
    ],
)
def test_a_text_has_a_language(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "请解释 def merge(a, b): return sorted(a + b)",
        '#include <stdio.h>\nint main() { printf("%d", n); return 0; }\n我这个程序有什么问题',
        "计算：$\\frac{3b^{2}}{16a}\\div\\frac{bc}{2a^{2}}\\bullet(-\\frac{2a}{b})$",
        "修复:\n```python\nfor word in the_list_of_words: print(word, end=' and the rest of it')\n```",
        "用 Python 和 Django 写一个 REST API",
    ],
)
def test_chinese_with_code_is_chinese(text: str) -> None:
    assert language_of(text) == "zh"


def test_prose_with_a_few_chinese_words_keeps_its_language() -> None:
    assert language_of("What does 你好 mean in English, and how do you say it in a letter?") == "en"
    assert language_of("α + β = γ where the sum of the angles is known") == "en"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "123 + 456 = 579",
        "👍👍",
        "ok",
        "foo bar baz",
        "for (int i=0;i<n;i++){x[i]=y[i];}",
        "```\nthe code\n```",
    ],
)
def test_where_nothing_tells_the_language_is_empty(text: str) -> None:
    assert language_of(text) == ""


def test_only_the_given_languages_are_answers_in_latin_script() -> None:
    text = "Dzień dobry wszystkim, jak się dzisiaj macie moi drodzy przyjaciele"
    assert language_of(text, among=["en", "pl"]) == "pl"
    assert language_of("The cat is on the mat", among=["de", "fr"]) != "en"
    assert language_of("The cat is on the mat", among=["zh", "en"]) == "en"
    assert language_of("你好", among=["en"]) == "zh"


def test_a_language_nobody_knows_is_never_an_answer() -> None:
    text = "Hochgeschwindigkeitszug Bahnsteigkante Fahrplanauskunft Verspätungsanzeige"
    assert language_of(text, among=["xx"]) == ""
    assert language_of(text, among=["de", "xx"]) == ""
    assert language_of(text, among=["de", "en"]) == "de"


def test_the_statistics_are_loaded_once_and_only_when_needed() -> None:
    language._detector.cache_clear()
    language_of("你好，世界")
    language_of("The cat is on the mat")
    assert language._detector.cache_info().misses == 0
    for _ in range(3):
        language_of("Hochgeschwindigkeitszug Bahnsteigkante Fahrplanauskunft Verspätungsanzeige")
    assert language._detector.cache_info().misses == 1


@given(any_texts)
def test_any_text_has_a_short_answer(text: str) -> None:
    assert len(language_of(text)) in (0, 2)
