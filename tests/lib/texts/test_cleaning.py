import pytest

from lib.texts.markdown import cleaned, render
from tests.lib.texts.attacks import ATTACKS
from tests.lib.texts.test_markdown import assert_harmless


@pytest.mark.parametrize("attack", ATTACKS)
def test_cleaning_alone_would_hold(attack: str) -> None:
    if "\ud800" not in attack:
        assert_harmless(cleaned(attack))


@pytest.mark.parametrize(
    "html",
    [
        '<p id="x" name="y" style="color:red" title="z" class="code">a</p>',
        '<p hx-get="/x" data-hx-get="/x" hx-on:click="y" onclick="z">a</p>',
    ],
)
def test_no_attribute_survives_on_prose(html: str) -> None:
    assert cleaned(html) == "<p>a</p>"


def test_only_known_values_survive() -> None:
    assert cleaned('<span class="k btn" data-math="x">a</span>') == '<span class="k">a</span>'
    assert cleaned('<pre class="code x" tabindex="-1" role="alert">a</pre>') == '<pre class="code">a</pre>'


def test_a_foreign_target_and_relation_are_replaced() -> None:
    assert cleaned('<a href="https://a.example" target="_blank" rel="opener">a</a>') == (
        '<a href="https://a.example" rel="noopener noreferrer nofollow">a</a>'
    )


def test_what_markdown_writes_is_already_clean() -> None:
    html = render("# a\n\n[b](https://b.example) `c`\n\n```python\nd = 1\n```\n\n|e|\n|-|\n|$f$|\n\n$$g$$")
    assert cleaned(html) == html
