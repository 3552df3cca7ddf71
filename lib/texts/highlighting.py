"""Colours program code with five classes: k(eyword), s(tring), n(umber), c(omment), f(unction)."""

import re
from functools import cache
from html import escape
from itertools import groupby

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

# Code unlike what people write is shown without colours: some lexers slow down badly on it.
LONGEST = 10_000
_ODD = re.compile(r"[^\n]{1000}|\n\s{200}")

# Pygments' name for what people write behind the three backticks.
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
    if name is None or len(code) > LONGEST or _ODD.search(code):
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
