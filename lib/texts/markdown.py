"""Texts by people and models as safe HTML: Markdown with code, tables and formulas."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from html import escape, unescape
from itertools import chain, groupby, islice, repeat
from typing import NamedTuple

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text, _TokenType

from lib.texts.markdown_formulas import mathematics
from lib.texts.markdown_places import Run, at, placed_html, places

# Sanitising: the only HTML that texts by people may produce.


LINKS = ("http:", "https:", "mailto:")

_TAGS = "p br hr h3 h4 h5 h6 strong em s blockquote ul ol li a code pre span div table thead tbody tr th td"
# A group and no region: screen readers list regions as landmarks, and one text may have ten tables.
_SCROLLING = {"tabindex": {"0"}, "role": {"group"}}
_MATH = {"data-math": {"inline", "block"}}


def _cleaner(places: set[str]) -> nh3.Cleaner:
    """places: the attributes that say where a text stands in its source."""
    labelled = {"aria-label"}
    return nh3.Cleaner(
        tags=set(_TAGS.split()),
        attributes={
            "*": set(),
            "a": {"href"},
            "ol": {"start"},
            "pre": labelled,
            "div": labelled | places,
            "span": places,
        },
        tag_attribute_values={"pre": _SCROLLING, "div": {**_SCROLLING, **_MATH}, "span": _MATH},
        allowed_classes={"pre": {"code"}, "span": set("ksncf") | {"math"}, "div": {"math", "scroll-x"}},
        url_schemes={scheme.rstrip(":") for scheme in LINKS},
        url_relative="deny",
        link_rel="noopener noreferrer nofollow",
    )


_CLEANER = _cleaner(set())
_PLACED_CLEANER = _cleaner({"data-at"})


def cleaned(html: str) -> str:
    """The HTML with our own tags, classes and absolute web links only.

    No id and no name (they shadow what scripts look up), no style, nothing that htmx would act on.
    """
    return _CLEANER.clean(html)


# Code highlighting with five classes: k(eyword), s(tring), n(umber), c(omment), f(unction).


# Unusual code is shown without colours, because some lexers become very slow on it.
LONGEST_CODE = 10_000
_ODD = re.compile(r"[^\n]{1000}|\n\s{200}")

# The language names that people write after three backticks -> Pygments' names.
_LEXERS = {
    **dict.fromkeys(("python", "py", "python3", "pycon"), "python"),
    **dict.fromkeys(("javascript", "js", "jsx", "node"), "javascript"),
    **dict.fromkeys(("typescript", "ts", "tsx"), "typescript"),
    **dict.fromkeys(("bash", "sh", "shell", "zsh", "console"), "bash"),
    **dict.fromkeys(("c++", "cpp", "cc", "cxx"), "cpp"),
    **dict.fromkeys(("c#", "csharp", "cs"), "csharp"),
    **dict.fromkeys(("objective-c", "objc", "objectivec"), "objective-c"),
    **dict.fromkeys(("yaml", "yml"), "yaml"),
    **dict.fromkeys(("latex", "tex"), "latex"),
    **dict.fromkeys(("rust", "rs"), "rust"),
    **dict.fromkeys(("ruby", "rb"), "ruby"),
    **dict.fromkeys(("kotlin", "kt"), "kotlin"),
    **dict.fromkeys(("go", "golang"), "go"),
    **dict.fromkeys(("vba", "vb", "vbnet"), "vb.net"),
    **dict.fromkeys(("ini", "toml", "conf"), "ini"),
    **{name: name for name in (
        "abap", "applescript", "c", "css", "dart", "diff", "dockerfile", "haskell", "html", "java", "json", "lua",
        "matlab", "nginx", "pascal", "perl", "php", "powershell", "r", "scala", "sql", "swift", "xml",
    )},
}  # fmt: skip

_CLASSES = (
    (Comment.Preproc, "k"),
    (Comment, "c"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (Name.Tag, "k"),
    (String, "s"),
    (Number, "n"),
    (Name.Function, "f"),
    (Name.Builtin, "f"),
    (Name.Decorator, "f"),
    (Name.Class, "f"),
    (Name.Attribute, "f"),
)


def code_html(code: str, language: str, runs: Sequence[Run] = ()) -> str:
    """The code as escaped HTML, with coloured spans where the language is known. runs: where its parts stand."""
    parts = _coloured(code, language)
    if not runs:
        return "".join(_span(css_class, text) for css_class, text in parts)
    looks = chain.from_iterable(repeat(css_class, len(text)) for css_class, text in parts)
    return "".join(
        placed_html(part, f' class="{css_class}"' if css_class else "")
        for run in runs
        for css_class, part in _cut(run, list(islice(looks, len(run.text))))
    )


def _coloured(code: str, language: str) -> list[tuple[str, str]]:
    """(class, text) of its parts."""
    name = _LEXERS.get(language.lower())
    if name is None or len(code) > LONGEST_CODE or _ODD.search(code):
        return [("", code)]
    tokens = _lexer(name).get_tokens(code)
    order_mark = [(Text, "\ufeff")] if code.startswith("\ufeff") else []  # which lexers take away
    marked = ((_class_of(kind), part) for kind, part in chain(order_mark, tokens))
    return [(css_class, "".join(part for _, part in run)) for css_class, run in groupby(marked, lambda pair: pair[0])]


def _cut(run: Run, looks: Sequence[str]) -> Iterator[tuple[str, Run]]:
    """The run in parts of one colour; an atomic one stays whole."""
    if not run.is_exact:
        yield looks[0], run
        return
    place = 0
    for css_class, same in groupby(looks):
        size = len(list(same))
        start = run.start + place
        yield css_class, Run(run.text[place : place + size], start, start + size, True)
        place += size


def _span(css_class: str, text: str) -> str:
    return f'<span class="{css_class}">{escape(text)}</span>' if css_class else escape(text)


@cache
def _class_of(kind: _TokenType) -> str:
    return next((css_class for family, css_class in _CLASSES if kind in family), "")  # type: ignore[comparison-overlap]


@cache
def _lexer(name: str) -> Lexer:
    return get_lexer_by_name(name, stripnl=False, ensurenl=False)


# Rendering of parsed Markdown as HTML in our design; the result is still sanitised.


_LANGUAGE = re.compile(r"[\w+#.-]{1,20}")
# The page itself uses the first two levels of headings.
_HEADING_SHIFT = 2
# The number of characters of code per text that get colours, which cost far more than everything else.
_COLOURED = 20_000


class MarkupLabels(NamedTuple):
    """Labels of scrolling parts for screen readers; {language} is the language of the code."""

    code: str = "{language} code"
    table: str = "table"


ENGLISH = MarkupLabels()


class Markup(RendererHTML):
    """Overrides what our pages show differently; labels come in env["labels"]."""

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        match = _LANGUAGE.match(tokens[idx].info.strip())
        language = match.group() if match else ""
        label = env["labels"].code.replace("{language}", language).strip()
        html = _within_budget(tokens[idx], language, env)
        return f'<pre class="code" tabindex="0" role="group" aria-label="{escape(label)}"><code>{html}</code></pre>\n'

    code_block = fence

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return _text_html(tokens[idx], tokens[idx].content)

    def code_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<code>{_text_html(tokens[idx], tokens[idx].content)}</code>"

    def softbreak(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "<br>" + _text_html(tokens[idx], "\n") if options.breaks else "\n"

    def hardbreak(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "<br>" + _text_html(tokens[idx], "\n")

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A link without text shows its URL."""
        address = str(tokens[idx].attrGet("href") or "")
        is_empty = tokens[idx + 1].type == "link_close"
        return f'<a href="{escape(address)}">{_text_html(tokens[idx], address) if is_empty else ""}'

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """An image becomes a link, so that nothing is loaded from other sites."""
        address = str(tokens[idx].attrGet("src") or "")
        name = self.renderInlineAsText(tokens[idx].children, options, env) or address
        if idx and tokens[idx - 1].type == "link_open":
            return _text_html(tokens[idx], name)
        return f'<a href="{escape(address)}">{_text_html(tokens[idx], name)}</a>'

    def math_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        mode = "block" if tokens[idx].markup in ("$$", "\\[") else "inline"
        place = _place_attribute(tokens[idx])
        return f'<span class="math" data-math="{mode}"{place}>{escape(tokens[idx].content)}</span>'

    def math_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        place = _place_attribute(tokens[idx])
        return f'<div class="math" data-math="block"{place}>{escape(tokens[idx].content)}</div>\n'

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        label = escape(env["labels"].table)
        return f'<div class="scroll-x" tabindex="0" role="group" aria-label="{label}"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<{_heading_cell(tokens[idx + 1])}>"

    def th_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"</{_heading_cell(tokens[idx - 1])}>\n"

    def heading_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<{_lowered(tokens[idx].tag)}>"

    def heading_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"</{_lowered(tokens[idx].tag)}>\n"


def _heading_cell(text: Token) -> str:
    """The tag of a cell in the first row: an empty `th` would be read aloud as a heading without words."""
    return "th" if text.content.strip() else "td"


def _within_budget(token: Token, language: str, env: EnvType) -> str:
    code, runs = token.content.removesuffix("\n"), token.meta.get("runs", ())
    budget = env.get("colours_left", _COLOURED) - len(code)
    if budget < 0:
        return code_html(code, "", runs)
    env["colours_left"] = budget
    return code_html(code, language, runs)


def _text_html(token: Token, text: str) -> str:
    """The text escaped; its parts say where they stand in the source, where the parser noted it."""
    runs = token.meta.get("runs", ())
    if len(runs) == 1 and not runs[0].text:
        runs = [runs[0]._replace(text=text)]
    return "".join(map(placed_html, runs)) or escape(text)


def _place_attribute(token: Token) -> str:
    return "".join(f" {at(run)}" for run in token.meta.get("runs", ()))


def _lowered(tag: str) -> str:
    return f"h{min(int(tag[1]) + _HEADING_SHIFT, 6)}"


# Characters; longer texts are shown unformatted.
LONGEST = 200_000

# Limits for long runs of opening marks and deeply nested quotes, which nobody intends and which are slow to parse.
_MARK = r"[>\[\]!*_~`<(]"
_BOMB = re.compile(rf"(?<!{_MARK})(?<!{_MARK}[ ])(?:{_MARK}[ ]?){{400}}|^(?:[ \t]*>){{9}}", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")
# What a text without Markdown has in its rendering, and white space, which is not compared.
_PLAIN_TAG = re.compile(r'</?p>|<br>|<span data-at="[\d-]+">|</span>')
_BLANK = re.compile(r"\s+")


def render(text: str, labels: MarkupLabels = ENGLISH, *, breaks: bool = True) -> SafeString:
    """The text as HTML; a text too long or too deep to parse is shown as written.

    breaks: a single line break is shown as one, as people mean it in a chat; off for documents such as guidelines.
    HTML in the text is shown, not used; images become links; only web and mail addresses are links.
    Without JavaScript a formula shows its TeX source.
    """
    if len(text) > LONGEST or _BOMB.search(text):
        return mark_safe(_as_written(text))  # noqa: S308 - the text went through escape()
    return _rendered(text, labels, breaks)


def render_placed(text: str, labels: MarkupLabels = ENGLISH) -> SafeString:
    """The same HTML, in which each text says where it stands in the source; "" where the source looks like it.

    Texts stand in elements with `data-at`: the place of the first character, in code points, or the range FROM-TO that
    an atomic text stands for.
    """
    return _placed(text, labels)


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
def _rendered(text: str, labels: MarkupLabels, breaks: bool) -> SafeString:
    try:
        html = cleaned(_PARSERS[breaks].render(_SURROGATE.sub("\ufffd", text), {"labels": labels}))
    except RecursionError:
        html = _as_written(text)
    return mark_safe(html)  # noqa: S308 - cleaned() lets our own tags and attributes pass only


@lru_cache(maxsize=512)
def _placed(text: str, labels: MarkupLabels) -> SafeString:
    html = ""
    if len(text) <= LONGEST and not _BOMB.search(text):
        with suppress(RecursionError):
            source = _SURROGATE.sub("\ufffd", text)
            html = _PLACED_PARSER.render(source, {"labels": labels, "source": source})
    if not html or _BLANK.sub("", unescape(_PLAIN_TAG.sub("", html))) == _BLANK.sub("", text):
        return SafeString("")
    return mark_safe(_PLACED_CLEANER.clean(html))  # noqa: S308 - the cleaner lets our own tags and attributes pass only


def _as_written(text: str) -> str:
    # A parser drops the first line break in <pre>; this one is for it to drop.
    return f'<pre class="verbatim">\n{escape(text)}</pre>\n'


def _parser(*, breaks: bool, placed: bool = False) -> MarkdownIt:
    options = {"html": False, "linkify": False, "breaks": breaks}
    parser = MarkdownIt("commonmark", options, renderer_cls=Markup).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: url.lower().startswith(LINKS)  # type: ignore[method-assign]
    parser.use(mathematics)
    return parser.use(places) if placed else parser


_PARSERS = {breaks: _parser(breaks=breaks) for breaks in (True, False)}
_PLACED_PARSER = _parser(breaks=True, placed=True)
