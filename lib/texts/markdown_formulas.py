"""Formulas in Markdown, protected from its marks: $…$, $$…$$, \\(…\\), \\[…\\] and \\begin{align}…\\end{align}.

The TeX source becomes a token of type math_inline or math_block, whose markup is the opening mark.
"""

import re
from bisect import bisect_left

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

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
