"""Rendered Markdown in which each text knows where it stands in the source."""

import re
from html.parser import HTMLParser
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lib.texts.markdown import LONGEST, render, render_placed
from tests.lib.texts.attacks import ATTACKS
from tests.lib.texts.writing import any_texts

REPLACED = re.compile("[\x00\ud800-\udfff]")  # no database stores them


class Shown(NamedTuple):
    text: str
    start: int
    end: int
    is_exact: bool


class Runs(HTMLParser):
    """The runs of a page, and the text that stands in none."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.runs: list[Shown] = []
        self.outside = ""
        self.place = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.place = dict(attrs).get("data-at") or ""

    def handle_endtag(self, tag: str) -> None:
        self.place = ""

    def handle_data(self, data: str) -> None:
        if not self.place:
            self.outside += data
            return
        start, _to, end = self.place.partition("-")
        self.runs.append(Shown(data, int(start), int(end or int(start) + len(data)), not end))


def without_places(html: str) -> str:
    html = re.sub(r'<span data-at="[\d-]+">([^<]*)</span>', r"\1", html)
    return re.sub(r' data-at="[\d-]+"', "", html)


def joined_colours(html: str) -> str:
    """A coloured part may be two runs."""
    same = re.compile(r'<span class="([ksncf])">([^<]*)</span><span class="\1">')
    while same.search(html):
        html = same.sub(r'<span class="\1">\2', html)
    return html


def runs(text: str) -> list[tuple[str, str]]:
    """(what is shown, what it stands for) of all runs, after checks that hold for every text."""
    html = str(render_placed(text))
    assert html, "the text is shown as it is stored"
    page = Runs(html)
    assert joined_colours(without_places(html)) == joined_colours(str(render(text)))
    assert page.outside.strip(" \n") == ""
    place = 0
    for run in page.runs:
        assert place <= run.start < run.end <= len(text)
        place = run.end
        if run.is_exact:
            assert REPLACED.sub("\ufffd", text[run.start : run.end]) == run.text
    return [(run.text, text[run.start : run.end]) for run in page.runs]


MARKS = st.sampled_from([
    *"*_`~[]()<>!$\\|#-=\n\t \"'&;:\r", "](http://a.b)", "![", "$$", "\\[", "\\]", "```", "\n```\n", "| - |\n",
    "\n|-|-|\n", "1. ", "\n- ", "\n  - ", "\n> ", "    ", "\r\n", "\r\n\r\n", "\n\n", "  \n", "\\\n", "**", "~~", "``",
    "&amp;", "&#x301;", "\n[a]: http://c.d\n", "[a]", "<http://e.f>", "<me@g.h>", "a | b\n-|-\n", "\\|", "a", "b c",
    "汉字", "👩‍👩‍👧", "é", "===\n", "```py\n", "x = 'y'  # z\n", "\x00", "\x0b", "\u3000", "\ufeff", "<b>", "$x$",
    "\\begin{align}x\\end{align}",
])  # fmt: skip


@given(st.lists(MARKS, max_size=25).map("".join))
@example("a ~~~b~~~ ~~c~~~ ~~~~~d~~~~~ e")
@example("- `a\n\tb`\n\n  \tcode\n")
@example("- | - |\n  |-|\n  - | - |\n")
@example("> | a | a |\n> |-|-|\n> a | a | a\n> | a \\| a | a | a |")
@example("\x0b\na *b*\n\x0b\n")
def test_every_run_stands_where_it_says(text: str) -> None:
    if render_placed(text):
        runs(text)


@given(st.lists(st.sampled_from(ATTACKS) | any_texts | MARKS, max_size=8).map("".join))
def test_hostile_texts_are_placed_too(text: str) -> None:
    if render_placed(text):
        runs(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "emphasis": ("a **bold *both*** c", ["a ", "bold ", "both", " c"]),
        "nested lists": ("- one\n  1. two\n     * thr**e**e", ["one", "two", "thr", "e", "e"]),
        "a quote": ("> a\n> b\nlazy", ["a", "\n", "b", "\n", "lazy"]),
        "a table": ("| a | b\\|c |\n|---|---|\n| *d* | `x\\|y` |", ["a", "b", "|c", "d", "x", "|y"]),
        "a table without outer pipes": ("a | a\n-|-\na | a", ["a", "a", "a", "a"]),
        "a table in a list": ("- | - |\n  |---|\n  | - |", ["-", "-"]),
        "a link": ("see [a *b*](http://c.d 'a') a", ["see ", "a ", "b", " a"]),
        "a reference": ("see [it][a]\n\n[a]: http://it.it", ["see ", "it"]),
        "an address": ("<http://a.b> *c*", ["http://a.b", " ", "c"]),
        "doubled backticks": ("`` a`b `` and `a`", ["a`b", " and ", "a"]),
        "fenced code in a list": ("1. a\n   ```\n   b\n     c\n   ```", ["a", "b", "\n   ", "  c"]),
        "indented code": ("    a\n     b", ["a", "\n    ", " b"]),
        "headings": ("# a #\n\nb *c*\n===", ["a", "b ", "c"]),
        "hard breaks": ("*a*  \nb\\\nc", ["a", "  \n", "b", "\\\n", "c"]),
        "emphasis across words": ("*a b* c*d*e", ["a b", " c", "d", "e"]),
        "escapes": ("5 \\* 3", ["5 ", "* 3"]),
        "Chinese": ("**注意**：第一条", ["注意", "：第一条"]),
        "emoji": ("_👩‍👩‍👧_ é", ["👩‍👩‍👧", " é"]),
        "line ends of Windows": ("*a*\r\nb\r\n\r\n- c\r\n- d", ["a", "\r\n", "b", "c", "d"]),
        "line ends of Windows in code": ("```\r\na\r\nb\r\n```", ["a", "\r\n", "b"]),
        "tabs": ("-\ta\tb\n\n\t\tc", ["a\tb", "c"]),
        "raw HTML": ("<b>*a*</b>", ["<b>", "a", "</b>"]),
    }.values(),
)
def test_a_run_is_the_source_without_its_marks(text: str, expected: list[str]) -> None:
    assert [source for _shown, source in runs(text)] == expected


@pytest.mark.parametrize(
    ("text", "shown", "source"),
    [
        ("a &amp; *b*", "&", "&amp;"),
        ("a &#x301;", "\u0301", "&#x301;"),
        ("![a *b*](http://c.d)", "a b", "![a *b*](http://c.d)"),
        ("![](http://c.d)", "http://c.d", "![](http://c.d)"),
        ("[](http://c.d)", "http://c.d", "[](http://c.d)"),
        ("so $x_1$ is", "x_1", "$x_1$"),
        ("> $$\n> x\n> $$", "x", "$$\n> x\n> $$"),
        ("> *a* `b\n> c`", " ", "\n"),
        ("- a\n\n\t\tb\n\n\t c", None, None),
        ("<http://a.b/%C3%A9>", "http://a.b/é", "http://a.b/%C3%A9"),
    ],
)
def test_what_differs_from_the_source_is_one_run(text: str, shown: str | None, source: str | None) -> None:
    assert shown is None or (shown, source) in runs(text)


@pytest.mark.parametrize(
    "text", ["", "a", "a\nb  c\n\nd", '汉字。\r\n\r\n5 > 3 & "4"', "*" * 1000 + "a", "a" * (LONGEST + 1)]
)
def test_a_text_that_looks_like_its_source_has_no_places(text: str) -> None:
    assert render_placed(text) == ""


@pytest.mark.parametrize(
    "text", ["# a", "- a", "1. a", "    a", "> a", "a\n\n---", "\\*", "&amp;", "`a`", "<http://a.b>", "$x$"]
)
def test_a_text_with_a_mark_has_places(text: str) -> None:
    assert render_placed(text)
