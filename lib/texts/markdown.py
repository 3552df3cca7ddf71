"""Texts by people and models as safe HTML: Markdown with code, tables and formulas."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, lru_cache
from html import escape
from itertools import groupby
from typing import NamedTuple

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

# A plug-in that protects formulas: $…$, $$…$$, \(…\), \[…\] and \begin{align}…\end{align}. The TeX source becomes a
# token of type math_inline or math_block, whose markup is the opening mark.


# The longest formula; the limit makes an unmatched opening mark cheap to detect.
LONGEST_FORMULA = 5_000

_CLOSING = {"$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]"}
_OPENING = re.compile(r"\$\$?|\\[(\[]")
_BLOCK_OPENING = re.compile(r"\$\$|\\\[|\\begin\{(?:equation|align|alignat|gather|multline)\*?\}")
_FORMULA_SIGN = re.compile(r"[\\^_=<>+*/]|^ \w(?:\([\w, ]*\))? $")
_COMMAND = re.compile(r"\\[A-Za-z]")
_PROSE = re.compile(r"\s[A-Za-z]{3}|[A-Za-z]{3}\s")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_END_OF_LINE = re.compile(r"[ \t]*(?:\n|$)")
_ALPHANUMERIC = re.compile(r"[A-Za-z0-9]")


def mathematics(markdown: MarkdownIt) -> None:
    """The plug-in: two rules that find formulas before anything else reads their characters."""
    markdown.inline.ruler.before("escape", "math", _inline)
    markdown.block.ruler.before(
        "fence", "math_block", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )


def _inline(state: StateInline, silent: bool) -> bool:
    opening = _OPENING.match(state.src, state.pos)
    if opening is None:
        return False
    mark = opening.group()
    start, closing = opening.end(), _CLOSING[mark]
    end = _find_closing(state.src, closing, start)
    if end < 0 or not state.src[start:end].strip():
        return False
    if mark == "$" and not _is_formula(state.src, start, end):
        return False
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content, token.markup = state.src[start:end].strip(), mark
    state.pos = end + len(closing)
    return True


def _find_closing(source: str, closing: str, start: int) -> int:
    """The position of the closing mark, or -1; a dollar sign after a backslash does not close."""
    end = source.find(closing, start, start + LONGEST_FORMULA)
    while end > 0 and closing[0] == "$" and source[end - 1] == "\\":
        end = source.find(closing, end + 1, start + LONGEST_FORMULA)
    return end


def _is_formula(source: str, start: int, end: int) -> bool:
    """Tells $x$ from "$5 and $6".

    No letter or digit may touch the marks from outside, but for indices and powers as in x$_1$.
    Without a TeX command, blanks inside must stand on both sides; then, and with several words,
    something must look like a formula.
    """
    content = source[start:end]
    touched = _ALPHANUMERIC.match(source, end + 1) or (start > 1 and _ALPHANUMERIC.match(source, start - 2))
    if touched and not content.startswith(("^", "_", "\\")):
        return False
    if _COMMAND.search(content):
        return True
    if _FORMULA_SIGN.search(content):
        return content[0].isspace() == content[-1].isspace()
    return not (content[0].isspace() or content[-1].isspace() or _PROSE.search(content))


def _block(state: StateBlock, first_line: int, past: int, silent: bool) -> bool:
    start = state.bMarks[first_line] + state.tShift[first_line]
    opening = _BLOCK_OPENING.match(state.src, start, state.eMarks[first_line])
    if opening is None or state.is_code_block(first_line):
        return False
    mark = opening.group()
    closing = _CLOSING.get(mark) or mark.replace("begin", "end", 1)
    end = _find_closing(state.src, closing, opening.end())
    if end < 0 or not _END_OF_LINE.match(state.src, end + len(closing)):
        return False
    last_line = bisect_left(state.eMarks, end)
    content = state.getLines(first_line, last_line + 1, state.blkIndent, False).strip()
    if last_line >= past or _BLANK_LINE.search(content):
        return False
    if not silent:
        _push(state, first_line, last_line, mark, _without_marks(content, mark, closing))
    return True


def _without_marks(content: str, mark: str, closing: str) -> str:
    """The source that KaTeX expects: a named environment keeps its \\begin and \\end."""
    if mark.startswith("\\begin"):
        return content
    return content.removeprefix(mark).removesuffix(closing).strip()


def _push(state: StateBlock, first_line: int, last_line: int, mark: str, content: str) -> None:
    state.line = last_line + 1
    token = state.push("math_block", "math", 0)
    token.block, token.map = True, [first_line, last_line + 1]
    token.content, token.markup = content, mark


# Sanitising: the only HTML that texts by people may produce.


LINKS = ("http:", "https:", "mailto:")

_TAGS = "p br hr h3 h4 h5 h6 strong em s blockquote ul ol li a code pre span div table thead tbody tr th td"
# A group and no region: screen readers list regions as landmarks, and one text may have ten tables.
_SCROLLING = {"tabindex": {"0"}, "role": {"group"}}
_MATH = {"data-math": {"inline", "block"}}

_CLEANER = nh3.Cleaner(
    tags=set(_TAGS.split()),
    attributes={"*": set(), "a": {"href"}, "ol": {"start"}, "pre": {"aria-label"}, "div": {"aria-label"}},
    tag_attribute_values={"pre": _SCROLLING, "div": {**_SCROLLING, **_MATH}, "span": _MATH},
    allowed_classes={"pre": {"code"}, "span": set("ksncf") | {"math"}, "div": {"math", "scroll-x"}},
    url_schemes={scheme.rstrip(":") for scheme in LINKS},
    url_relative="deny",
    link_rel="noopener noreferrer nofollow",
)


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


def code_html(code: str, language: str) -> str:
    """The code as escaped HTML, with coloured spans where the language is known."""
    name = _LEXERS.get(language.lower())
    if name is None or len(code) > LONGEST_CODE or _ODD.search(code):
        return escape(code)
    marked = ((_class_of(kind), text) for kind, text in _lexer(name).get_tokens(code))
    return "".join(
        _span(css_class, "".join(text for _, text in run)) for css_class, run in groupby(marked, lambda pair: pair[0])
    )


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
        html = _within_budget(tokens[idx].content.removesuffix("\n"), language, env)
        return f'<pre class="code" tabindex="0" role="group" aria-label="{escape(label)}"><code>{html}</code></pre>\n'

    code_block = fence

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A link without text shows its URL."""
        address = escape(str(tokens[idx].attrGet("href") or ""))
        is_empty = tokens[idx + 1].type == "link_close"
        return f'<a href="{address}">{address if is_empty else ""}'

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """An image becomes a link, so that nothing is loaded from other sites."""
        address = str(tokens[idx].attrGet("src") or "")
        name = self.renderInlineAsText(tokens[idx].children, options, env) or address
        if idx and tokens[idx - 1].type == "link_open":
            return escape(name)
        return f'<a href="{escape(address)}">{escape(name)}</a>'

    def math_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        mode = "block" if tokens[idx].markup in ("$$", "\\[") else "inline"
        return f'<span class="math" data-math="{mode}">{escape(tokens[idx].content)}</span>'

    def math_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f'<div class="math" data-math="block">{escape(tokens[idx].content)}</div>\n'

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


def _within_budget(code: str, language: str, env: EnvType) -> str:
    budget = env.get("colours_left", _COLOURED) - len(code)
    if budget < 0:
        return escape(code)
    env["colours_left"] = budget
    return code_html(code, language)


def _lowered(tag: str) -> str:
    return f"h{min(int(tag[1]) + _HEADING_SHIFT, 6)}"


# Characters; longer texts are shown unformatted.
LONGEST = 200_000

# Limits for long runs of opening marks and deeply nested quotes, which nobody intends and which are slow to parse.
_MARK = r"[>\[\]!*_~`<(]"
_BOMB = re.compile(rf"(?<!{_MARK})(?<!{_MARK}[ ])(?:{_MARK}[ ]?){{400}}|^(?:[ \t]*>){{9}}", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")


def render(text: str, labels: MarkupLabels = ENGLISH, *, breaks: bool = True) -> SafeString:
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
def _rendered(text: str, labels: MarkupLabels, breaks: bool) -> SafeString:
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
