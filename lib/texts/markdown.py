"""People's and models' texts as safe HTML: Markdown with code, tables and formulas."""

import re
from contextlib import suppress
from functools import lru_cache
from html import escape

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from lib.texts.cleaning import LINKS, cleaned
from lib.texts.markup import ENGLISH, Labels, Markup
from lib.texts.mathematics import mathematics

# Characters; longer texts are shown as they are.
LONGEST = 200_000

# Long runs of opening marks and quotes in quotes in quotes: nobody means them, and parsing them is slow.
_MARK = r"[>\[\]!*_~`<(]"
_BOMB = re.compile(rf"(?<!{_MARK})(?<!{_MARK}[ ])(?:{_MARK}[ ]?){{400}}|^(?:[ \t]*>){{9}}", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")


def render(text: str, labels: Labels = ENGLISH, *, breaks: bool = True) -> SafeString:
    """The text as HTML; a text too long or too deep to parse is shown as written.

    breaks: a single line break is shown as one, as people mean it in a chat; off for documents such as guidelines.
    HTML in the text is shown, not used; images become links; only web and mail addresses are links.
    Without JavaScript a formula shows its TeX source.
    """
    if len(text) > LONGEST or _BOMB.search(text):
        return mark_safe(_as_written(text))  # noqa: S308 - the text went through escape()
    return _rendered(text, labels, breaks)


def render_line(text: str) -> SafeString:
    """A text of one line, such as a question, as HTML that stands within a line: formulas, emphasis and code."""
    html = escape(text)
    if len(text) <= LONGEST and not _BOMB.search(text):
        with suppress(RecursionError):
            html = cleaned(_PARSERS[False].renderInline(_SURROGATE.sub("\ufffd", text), {"labels": ENGLISH}))
    return mark_safe(html)  # noqa: S308 - the text went through escape() or cleaned()


def plain_lines(text: str) -> int:
    """How many lines the text has; a line break at the very end begins no line."""
    return len(text.removesuffix("\n").split("\n")) if text else 0


@lru_cache(maxsize=2048)
def _rendered(text: str, labels: Labels, breaks: bool) -> SafeString:
    try:
        html = cleaned(_PARSERS[breaks].render(_SURROGATE.sub("\ufffd", text), {"labels": labels}))
    except RecursionError:
        html = _as_written(text)
    return mark_safe(html)  # noqa: S308 - cleaned() lets our own tags and attributes pass only


def _as_written(text: str) -> str:
    # A parser drops the first line break in <pre>; this one is for it to drop.
    return f'<pre class="verbatim">\n{escape(text)}</pre>\n'


def _parser(*, breaks: bool) -> MarkdownIt:
    options = {"html": False, "linkify": False, "breaks": breaks}
    parser = MarkdownIt("commonmark", options, renderer_cls=Markup).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: url.lower().startswith(LINKS)  # type: ignore[method-assign]
    return parser.use(mathematics)


_PARSERS = {breaks: _parser(breaks=breaks) for breaks in (True, False)}
