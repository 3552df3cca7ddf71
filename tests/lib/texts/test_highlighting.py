import re
from html import unescape

import pytest

from lib.texts.markdown import _LEXERS, LONGEST_CODE, code_html, render

SAMPLE = 'x = 1 + "two"  # <three>\n\n\tif (a && b) { return 4.5; } // é 中\n/* 5 */ <a href="b">c</a>\n\n'


@pytest.mark.parametrize("language", sorted(_LEXERS))
def test_colours_change_no_character(language: str) -> None:
    html = code_html(SAMPLE, language)
    assert unescape(re.sub(r'</?span(?: class="[ksncf]")?>', "", html)) == SAMPLE


def test_the_five_classes_of_the_design() -> None:
    html = code_html('def f(): return "a", 1  # c', "Python")
    assert re.findall(r'"([ksncf])">([^<]*)<', html) == [
        ("k", "def"),
        ("f", "f"),
        ("k", "return"),
        ("s", "&quot;a&quot;"),
        ("n", "1"),
        ("c", "# c"),
    ]


@pytest.mark.parametrize(
    ("code", "language"),
    [("def <x>", "klingon"), ("def <x>", ""), ("x = 1\n" * (LONGEST_CODE // 5), "python"), ("x" * 1000, "python")],
)
def test_unknown_and_unusual_code_is_only_escaped(code: str, language: str) -> None:
    assert code_html(code, language) == code.replace("<", "&lt;").replace(">", "&gt;")


def test_a_text_full_of_code_is_coloured_up_to_a_limit() -> None:
    one = "```python\n" + "x = 1\n" * 1_000 + "```\n\n"
    coloured = ['<span class="n">' in part for part in render(one * 5).split("<pre")[1:]]
    assert coloured == [True, True, True, False, False]
