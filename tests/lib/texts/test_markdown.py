from html.parser import HTMLParser

import pytest
from django.utils.safestring import SafeString
from hypothesis import given
from hypothesis import strategies as st

from lib.texts import markdown as module
from lib.texts.markdown import LONGEST, MarkupLabels, plain_lines, render, render_line
from tests.lib.texts.attacks import ATTACKS
from tests.lib.texts.writing import any_texts

TAGS = {
    *("p", "br", "hr", "h3", "h4", "h5", "h6", "strong", "em", "s", "blockquote", "ul", "ol", "li", "a", "code"),
    *("pre", "span", "div", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {
    "a": {"href", "rel"},
    "ol": {"start"},
    "pre": {"class", "tabindex", "role", "aria-label"},
    "div": {"class", "tabindex", "role", "aria-label", "data-math"},
    "span": {"class", "data-math"},
}
CLASSES = {"code", "verbatim", "math", "scroll-x", "k", "s", "n", "c", "f"}


class Browser(HTMLParser):
    """Notes what a browser would find, and everything in it that we never write."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.surplus: list[str] = []
        self.links: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.surplus.append(tag)
        for name, value in attrs:
            self._attribute(tag, name, value or "")

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if name not in ATTRIBUTES.get(tag, set()):
            self.surplus.append(f"{tag} {name}")
        if name == "class" and value not in CLASSES:
            self.surplus.append(f"class {value}")
        if name == "rel":
            assert value == "noopener noreferrer nofollow"
        if name == "href":
            self.links.append(value)

    def handle_comment(self, data: str) -> None:
        self.surplus.append(f"comment {data}")


def assert_harmless(html: str) -> None:
    browser = Browser(html)
    assert browser.surplus == []
    assert all(link.lower().startswith(("http://", "https://", "mailto:")) for link in browser.links)


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("frame", ["{}", "> {}", "- {}", "**{}**", "[{}](https://a.example)", "text\n{}\ntext", "`{}"])
def test_an_attack_leaves_only_our_own_markup(attack: str, frame: str) -> None:
    assert_harmless(render(frame.format(attack)))


MARKS = st.sampled_from(
    [*ATTACKS, *"*_`~[]()<>!$\\|#-\n \"'&;:", "](", "![", "$$", "\\[", "\\]", "```", "| - |\n", "1. "]
)


@given(st.lists(MARKS | any_texts, max_size=12).map("".join))
def test_random_markup_leaves_only_our_own(text: str) -> None:
    html = render(text)
    assert isinstance(html, SafeString)
    assert_harmless(html)


def test_html_is_shown_as_written() -> None:
    assert render("a <b>bold</b> &amp; <!-- c -->") == "<p>a &lt;b&gt;bold&lt;/b&gt; &amp; &lt;!-- c --&gt;</p>\n"


def test_prose_has_breaks_emphasis_and_lists() -> None:
    assert render("one\ntwo **b** *e* ~~s~~") == ("<p>one<br>\ntwo <strong>b</strong> <em>e</em> <s>s</s></p>\n")
    assert render("3. x\n4. y") == '<ol start="3">\n<li>x</li>\n<li>y</li>\n</ol>\n'


@pytest.mark.parametrize(("written", "shown"), [("# a", "h3"), ("## a", "h4"), ("#### a", "h6"), ("###### a", "h6")])
def test_headings_stand_below_those_of_the_page(written: str, shown: str) -> None:
    assert render(written) == f"<{shown}>a</{shown}>\n"


def test_links_lead_to_the_web_or_to_mail_only() -> None:
    assert render("[a](https://a.example/?q=1&r=2)") == (
        '<p><a href="https://a.example/?q=1&amp;r=2" rel="noopener noreferrer nofollow">a</a></p>\n'
    )
    assert "mailto:a@b.example" in render("<a@b.example>")
    assert render("[a](/here)") == "<p>[a](/here)</p>\n"
    assert "<a" not in render("see https://a.example")


def test_a_link_without_words_shows_its_address() -> None:
    assert ">https://a.example</a>" in render("[](https://a.example)")


def test_images_become_links() -> None:
    assert render("![a *cat*](https://a.example/cat.png)") == (
        '<p><a href="https://a.example/cat.png" rel="noopener noreferrer nofollow">a cat</a></p>\n'
    )
    assert ">https://a.example/cat.png</a>" in render("![](https://a.example/cat.png)")
    assert render("[![badge](https://a.example/b.svg)](https://b.example)") == (
        '<p><a href="https://b.example" rel="noopener noreferrer nofollow">badge</a></p>\n'
    )


def test_code_is_highlighted_with_our_classes() -> None:
    assert render("```python\ndef f(x):\n    return 'a' + 1  # <why>\n```") == (
        '<pre class="code" tabindex="0" role="group" aria-label="python code"><code>'
        '<span class="k">def</span> <span class="f">f</span>(x):\n'
        '    <span class="k">return</span> <span class="s">\'a\'</span> + <span class="n">1</span>  '
        '<span class="c"># &lt;why&gt;</span></code></pre>\n'
    )


@pytest.mark.parametrize("written", ["```\n<x>\n```", "    <x>"])
def test_code_without_a_language_is_plain(written: str) -> None:
    assert render(written) == (
        '<pre class="code" tabindex="0" role="group" aria-label="code"><code>&lt;x&gt;</code></pre>\n'
    )


def test_labels_can_be_in_the_reader_s_language() -> None:
    labels = MarkupLabels(code="{language} 代码", table="表格")
    assert 'aria-label="sql 代码"' in render("```sql\nselect 1\n```", labels)
    assert 'aria-label="代码"' in render("```\nx\n```", labels)
    assert 'aria-label="表格"' in render("|a|\n|-|\n|b|", labels)


def test_wide_tables_scroll_on_their_own() -> None:
    assert render("|a|b|\n|:-|-:|\n|1|2|") == (
        '<div class="scroll-x" tabindex="0" role="group" aria-label="table"><table>\n'
        "<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n"
        "<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table></div>\n"
    )


def test_a_heading_without_text_is_an_ordinary_cell() -> None:
    assert "<tr>\n<td></td>\n<th>b</th>\n</tr>" in render("||b|\n|-|-|\n|1|2|")


@pytest.mark.parametrize(
    "text",
    [">" * 100_000, "> " * 50_000, "[" * 100_000, "![" * 50_000, "*" * 100_000, "_" * 100_000, "(" * 100_000,
     "`" * 100_000, "~" * 100_000, "<" * 100_000, ("> " * 9 + "a\n") * 5_000],
)  # fmt: skip
def test_a_depth_bomb_is_shown_as_written(text: str) -> None:
    html = render(text)
    assert html.startswith('<pre class="verbatim">\n')
    assert len(html) > len(text)


@pytest.mark.parametrize(
    "text",
    ["- " * 50_000, "[a" * 50_000, "[a](" * 25_000, "*a **b " * 14_000, "<a " * 30_000, "$a " * 30_000, "\\(" * 50_000,
     "\\[\n" * 30_000, "$$\n" * 30_000, "|" * 100_000, "&" * 100_000, ("> " * 8 + "a\n") * 5_000, "a\n-\n" * 25_000],
)  # fmt: skip
def test_repetition_that_slows_other_parsers_is_rendered(text: str) -> None:
    assert_harmless(render(text))


def test_what_the_parser_cannot_finish_is_shown_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_deep(text: str, env: object) -> str:
        raise RecursionError

    monkeypatch.setattr(module._PARSERS[True], "render", too_deep)
    assert render("never seen before <b>") == '<pre class="verbatim">\nnever seen before &lt;b&gt;</pre>\n'
    module._rendered.cache_clear()


def test_a_text_beyond_the_limit_is_shown_as_written_and_not_kept() -> None:
    module._rendered.cache_clear()
    assert render("**a** " * (LONGEST // 5)).startswith('<pre class="verbatim">\n**a** ')
    assert module._rendered.cache_info().currsize == 0


def test_rendering_twice_costs_once() -> None:
    module._rendered.cache_clear()
    assert render("the *same*") is render("the *same*")
    assert module._rendered.cache_info().hits == 1
    assert module._rendered.cache_info().maxsize == 2048


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\r\nb\r\n", 2), ("\n\n", 2), ("a\n\nb\u2028c", 3)],
)
def test_lines_are_counted_as_an_editor_does(text: str, lines: int) -> None:
    assert plain_lines(text) == lines


def test_a_line_has_its_formulas_and_no_blocks() -> None:
    assert render_line("Is it $15\\pi$, and *short*?") == (
        'Is it <span class="math" data-math="inline">15\\pi</span>, and <em>short</em>?'
    )
    assert render_line("# 1. no heading") == "# 1. no heading"


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_line_holds_only_what_we_write(attack: str) -> None:
    assert Browser(render_line(attack)).surplus == []
