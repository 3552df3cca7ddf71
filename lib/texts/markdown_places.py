"""Where rendered Markdown stands in its source: a layer on the parser that notes the place of every piece of text.

Block tokens have the lines they came from. A line of their content is the end of a source line, because only marks of
lists and quotes and white space stand before it. Inside a line, the rules know their place when they write a token.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import escape
from typing import Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.common.utils import MD_TRIM_CHARS
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_core import StateCore, text_join
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

InlineRule = Callable[[StateInline, bool], bool]


_SPLIT_MARKS = {"emphasis", "strikethrough"}  # rules that write a token for each mark
_WHOLE = {"image", "math_inline", "link_open"}
_BREAKS = {"softbreak", "hardbreak"}
_PIPE = re.compile(r"(?<!\\)\|")
_OPEN_ROW = re.compile(r"(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*\s*\|")


class Run(NamedTuple):
    """Text as it is shown, and the range of the source it stands for. One that is not exact is atomic: marked whole."""

    text: str
    start: int
    end: int
    is_exact: bool


class _Piece(NamedTuple):
    """Text that a rule wrote, and the range of the content it has read for it."""

    text: str
    start: int
    end: int


class _Stretch(NamedTuple):
    """A range of a token's content, and the range of the source it is; of a tab that became blanks they differ."""

    first: int
    past: int
    start: int
    end: int

    @property
    def is_exact(self) -> bool:
        return self.past - self.first == self.end - self.start


class _Lines:
    """The source as the parser has it: its lines, and where they stand in the text before line ends were unified."""

    def __init__(self, source: str, original: str) -> None:
        self.original = original.replace("\0", "\ufffd")  # as the parser does
        self.texts = source.split("\n")
        self.starts = [0]
        for text in self.texts:
            self.starts.append(self.starts[-1] + len(text) + 1)
        pairs = (match.start() for match in re.finditer("\r\n", original)) if "\r" in original else ()
        self._pairs = [place - number for number, place in enumerate(pairs)]

    def run(self, text: str, start: int, end: int) -> Run:
        start, end = (place + bisect_left(self._pairs, place) for place in (start, end))
        return Run(text, start, end, text == self.original[start:end])

    def ending(self, line: int, content: str, first: int, *, is_last: bool = False) -> list[_Stretch]:
        """content: the end of this line, perhaps with blanks before it that stand for a part of a tab.

        is_last: without the white space that is trimmed at the end of a paragraph.
        """
        text = self.texts[line].rstrip(MD_TRIM_CHARS) if is_last else self.texts[line]
        start = self.starts[line]
        for blanks in range(4):
            size = len(content) - blanks
            at = len(text) - size
            if blanks and (not content.startswith(" " * blanks) or at < 1 or text[at - 1] != "\t"):
                continue
            if size >= 0 and text.endswith(content[blanks:]):
                tab = [_Stretch(first, first + blanks, start + at - 1, start + at)] if blanks else []
                return [*tab, _Stretch(first + blanks, first + len(content) + 1, start + at, start + len(text) + 1)]
        return []


# Inside a line: the rules.


class PlacedState(StateInline):
    """Notes for each part of the pending text where it stands in the content."""

    def __init__(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> None:
        super().__init__(src, md, env, tokens)
        self.pending_pieces: list[_Piece] = []

    def append_pending(self, text: str) -> None:
        super().append_pending(text)
        self.pending_pieces.append(_Piece(text, self.pos, self.pos + len(text)))

    def pushPending(self) -> Token:  # noqa: N802 - the name that the parser calls
        token = super().pushPending()
        token.meta["pieces"] = _first(self.pending_pieces, len(token.content))
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token = super().push(ttype, tag, nesting)
        self.pending_pieces = []
        return token


def _first(pieces: Sequence[_Piece], size: int) -> list[_Piece]:
    """The pieces of the first characters: a line break takes blanks away from the end."""
    kept: list[_Piece] = []
    for piece in pieces:
        part = piece.text[:size]
        if part:
            kept.append(_Piece(part, piece.start, piece.start + len(part)))
        size -= len(part)
    return kept


class PlacedInline(ParserInline):
    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = PlacedState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _noting(name: str, rule: InlineRule) -> InlineRule:
    """The rule; the tokens that it writes know the range of the content that it has read."""

    def run_rule(state: StateInline, silent: bool) -> bool:
        if silent:
            return rule(state, silent)
        start, known, waiting = state.pos, len(state.tokens), len(state.pending) if name == "newline" else 0
        if not rule(state, silent):
            return False
        written = state.tokens[known:]
        if waiting and written:
            start -= waiting - (len(written[0].content) if written[0].type == "text" else 0)
        for token in written:
            if "pieces" not in token.meta:
                token.meta["pieces"] = list(_pieces(token, state.src, start, state.pos))
                start += len(token.content) if name in _SPLIT_MARKS else 0
        return True

    return run_rule


def _pieces(token: Token, source: str, start: int, end: int) -> Iterator[_Piece]:
    if token.type in _BREAKS:
        yield _Piece("\n", start, end)
    elif token.type in _WHOLE:
        yield _Piece("", start, end)
    elif token.type == "code_inline":
        yield from _code(token, source, start + len(token.markup), end - len(token.markup))
    elif token.info == "escape" and token.content != token.markup:
        yield _Piece(token.content, start + 1, end)
    elif token.type == "text" and source[start] == "<":
        yield _Piece(token.content, start + 1, end - 1)
    elif token.type == "text":
        yield _Piece(token.content, start, start + len(token.content))
    elif token.type == "text_special":
        yield _Piece(token.content, start, end)


def _code(token: Token, source: str, start: int, end: int) -> Iterator[_Piece]:
    """Line by line; a line break is shown as a blank."""
    start += (end - start - len(token.content)) // 2
    for part in re.split("(\n)", source[start : start + len(token.content)]):
        if part:
            yield _Piece(part.replace("\n", " "), start, start + len(part))
        start += len(part)


def _join(join: Callable[[StateInline], None], state: StateInline) -> None:
    before = list(state.tokens)
    place = 0
    for token in before:
        pieces = token.meta.get("pieces")
        if token.type not in ("text", "s_close") or not pieces:
            continue
        if pieces[0].start < place:  # a tilde that changed places with the mark behind it
            token.meta["pieces"] = [_Piece(token.content, place - len(token.content), place)]
        place = max(place, pieces[-1].end)
        if not token.content:  # a mark that was used
            token.meta["pieces"] = []
    join(state)
    _carry(before, state.tokens)


def _join_escapes(state: StateCore) -> None:
    before = [(token, list(token.children or [])) for token in state.tokens if token.type == "inline"]
    text_join(state)
    for token, children in before:
        _carry(children, token.children or [])


def _carry(before: Sequence[Token], after: Sequence[Token]) -> None:
    """Neighbouring texts became one token, which takes the pieces of all."""
    stayed = {id(token) for token in after}
    group: list[Token] = []
    for token in [*before, Token("end", "", 0)]:
        if token.type == "text":
            group.append(token)
            continue
        if len(group) > 1:
            pieces = [piece for part in group for piece in part.meta.get("pieces", [])]
            next(part for part in group if id(part) in stayed).meta["pieces"] = pieces
        group = []


# From lines of blocks to places in the source.


def _place(state: StateCore) -> None:
    """Gives each token that shows text its runs, in order."""
    lines = _Lines(state.src, state.env["source"])
    cell, row = 0, -1
    for number, token in enumerate(state.tokens):
        if token.type == "tr_open":
            cell, row = 0, token.map[0] if token.map else -1
        elif token.type == "tr_close":
            row = -1
        elif token.type == "inline":
            stretches = _of_cell(lines, row, cell, token) if row >= 0 else _of_inline(lines, state.tokens, number)
            cell += 1
            for child in token.children or []:
                pieces = child.meta.get("pieces", ())
                child.meta["runs"] = _merged([run for piece in pieces for run in _runs(lines, piece, stretches)])
        elif token.type in ("fence", "code_block", "math_block"):
            token.meta["runs"] = _of_block(lines, token)


def _of_inline(lines: _Lines, tokens: Sequence[Token], number: int) -> list[_Stretch]:
    token, opening = tokens[number], tokens[number - 1]
    first, past = token.map or [0, 0]
    if opening.markup.startswith("#"):
        return _of_heading(lines, first, token.content)
    content = token.content.split("\n")
    ends = [text.rstrip(MD_TRIM_CHARS) for text in lines.texts[first:past]]
    for skipped in range(past - first - len(content) + 1):  # lines of nothing but white space were trimmed
        here = ends[skipped : skipped + len(content)]
        if all(end.endswith(part.strip(MD_TRIM_CHARS)) for end, part in zip(here, content, strict=True)):
            first += skipped
            break
    stretches: list[_Stretch] = []
    place = 0
    for line, part in enumerate(content, start=first):
        stretches += lines.ending(line, part, place, is_last=line == first + len(content) - 1)
        place += len(part) + 1
    return stretches


def _of_heading(lines: _Lines, line: int, content: str) -> list[_Stretch]:
    text = lines.texts[line].rstrip(" \t")
    closed = text.rstrip("#")
    if closed != text and closed.endswith((" ", "\t")):
        text = closed
    at = lines.starts[line] + len(text.rstrip(MD_TRIM_CHARS)) - len(content)
    return [_Stretch(0, len(content), at, at + len(content))]


def _of_cell(lines: _Lines, row: int, cell: int, token: Token) -> list[_Stretch]:
    """A pipe in a cell stands behind a backslash that is not shown."""
    text, start = lines.texts[row], lines.starts[row]
    bars = [match.start() for match in _PIPE.finditer(text)]
    edges = [*([] if _OPEN_ROW.match(text) else [-1]), *bars, len(text)]
    if not token.content or cell + 1 >= len(edges):
        return []
    past = len(text[: edges[cell + 1]].rstrip(MD_TRIM_CHARS))
    stretches: list[_Stretch] = []
    size = len(token.content)
    while size > 0:
        bar = token.content.rfind("|", 0, size)
        first = max(bar, 0)
        stretches.append(_Stretch(first, size, start + past - (size - first), start + past))
        past -= size - first + 1
        size = first
    return stretches[::-1]


def _of_block(lines: _Lines, token: Token) -> list[Run]:
    first, past = token.map or [0, 0]
    if token.type == "math_block":
        start = lines.starts[first] + lines.texts[first].index(token.markup)
        end = lines.starts[past - 1] + len(lines.texts[past - 1].rstrip(MD_TRIM_CHARS))
        return [lines.run(token.content, start, end)]
    content = token.content.removesuffix("\n")
    stretches: list[_Stretch] = []
    place = 0
    for line, part in enumerate(content.split("\n"), start=first + (token.type == "fence")):
        if line < len(lines.texts):
            stretches += lines.ending(line, part, place)
        place += len(part) + 1
    return list(_code_runs(lines, content, stretches))


def _code_runs(lines: _Lines, content: str, stretches: Sequence[_Stretch]) -> Iterator[Run]:
    """A run for each line, with its line break where nothing stands before the next line."""
    for number, stretch in enumerate(stretches):
        text = content[stretch.first : stretch.past]
        if not stretch.is_exact or not text.endswith("\n"):
            end = stretch.start + len(text) if stretch.is_exact else stretch.end
            yield from [lines.run(text, stretch.start, end)] if text else []
            continue
        following = stretches[number + 1].start if number + 1 < len(stretches) else stretch.end
        run = lines.run(text, stretch.start, stretch.end)
        if run.is_exact and following == stretch.end:
            yield run
            continue
        if text[:-1]:
            yield lines.run(text[:-1], stretch.start, stretch.end - 1)
        yield lines.run("\n", stretch.end - 1, following)


def _runs(lines: _Lines, piece: _Piece, stretches: Sequence[_Stretch]) -> Iterator[Run]:
    inside = [part for part in stretches if part.first < piece.end and part.past > piece.start]
    if not inside:
        return
    if len(piece.text) != piece.end - piece.start or piece.text == "\n":
        start = inside[0].start + max(0, piece.start - inside[0].first)
        yield lines.run(piece.text, start, inside[-1].end - max(0, inside[-1].past - piece.end))
        return
    for part in inside:
        first, past = max(part.first, piece.start), min(part.past, piece.end)
        text = piece.text[first - piece.start : past - piece.start]
        if part.is_exact:
            yield lines.run(text, part.start + first - part.first, part.start + past - part.first)
        else:
            yield lines.run(text, part.start, part.end)


def _merged(runs: Sequence[Run]) -> list[Run]:
    """Neighbours that stand side by side in the source too are one run."""
    merged: list[Run] = []
    for run in runs:
        before = merged[-1] if merged else None
        if before and before.is_exact and run.is_exact and before.end == run.start:
            merged[-1] = Run(before.text + run.text, before.start, run.end, True)
        else:
            merged.append(run)
    return merged


def placed_html(run: Run, look: str = "") -> str:
    return f"<span{look} {at(run)}>{escape(run.text)}</span>"


def at(run: Run) -> str:
    """The attribute: where an exact run starts, or the range of an atomic one, in code points."""
    return f'data-at="{run.start}"' if run.is_exact else f'data-at="{run.start}-{run.end}"'


def places(markdown: MarkdownIt) -> None:
    """The plug-in: tokens that show text get their runs in meta["runs"]; env["source"] is the text as it is stored."""
    inline = PlacedInline()
    inline.ruler, inline.ruler2 = markdown.inline.ruler, markdown.inline.ruler2
    for name, rule in zip(inline.ruler.get_active_rules(), inline.ruler.getRules(""), strict=True):
        inline.ruler.at(name, _noting(name, rule))
    join = dict(zip(inline.ruler2.get_active_rules(), inline.ruler2.getRules(""), strict=True))["fragments_join"]
    inline.ruler2.at("fragments_join", partial(_join, join))
    markdown.inline = inline
    markdown.core.ruler.at("text_join", _join_escapes)
    markdown.core.ruler.push("places", _place)
