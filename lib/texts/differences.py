"""Differences between two texts in whole words (or CJK characters), as data and as HTML, for people to read."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import Literal, NamedTuple

from django.utils.safestring import SafeString, mark_safe

from lib.texts.diff import TokenChange, changes, smooth
from lib.texts.tokens import is_character, is_word, tokens

# A difference as data: pieces in reading order, with counts.


Operation = Literal["same", "added", "removed"]

# Below this share of common tokens nearly everything would be marked: two texts side by side read
# better. Very short texts are exempt, since "Yes" against "No" is clear when marked.
SAYS_NOTHING_BELOW = 0.25
SHORT = 12


class DifferencePiece(NamedTuple):
    op: Operation
    text: str


@dataclass(frozen=True)
class TextDifference:
    """Pieces in reading order; same + removed give the old text, same + added the new one.

    added, removed: words (in CJK: characters); in_characters: most of what both texts count are characters;
    shared: share of tokens in common, blanks aside, 0..1;
    says_nothing: the texts are too different for marks to help; show them side by side.
    """

    pieces: list[DifferencePiece]
    added: int
    removed: int
    in_characters: bool
    shared: float
    says_nothing: bool

    @property
    def changed(self) -> bool:
        return any(piece.op != "same" for piece in self.pieces)


def counted(pieces: list[DifferencePiece], cut: Sequence[Sequence[str]] | None = None) -> TextDifference:
    """The difference of these pieces, with its numbers. cut: the tokens of each piece, where they are known."""
    words = dict.fromkeys(("same", "added", "removed"), 0)
    marks = dict.fromkeys(("same", "added", "removed"), 0)
    characters = 0
    for (op, _text), units in zip(pieces, cut or [tokens(piece.text) for piece in pieces], strict=True):
        inked = [token for token in units if not token.isspace()]
        marks[op] += len(inked)
        words[op] += sum(map(is_word, inked))
        characters += sum(map(is_character, inked))
    total = 2 * marks["same"] + marks["added"] + marks["removed"]
    shared = 2 * marks["same"] / total if total else 1.0
    one_sided = not (marks["same"] or (marks["added"] and marks["removed"]))
    return TextDifference(
        pieces=pieces,
        added=words["added"],
        removed=words["removed"],
        in_characters=2 * characters > sum(words.values()),
        shared=shared,
        says_nothing=shared < SAYS_NOTHING_BELOW and total >= SHORT and not one_sided,
    )


def split(difference: TextDifference) -> tuple[list[DifferencePiece], list[DifferencePiece]]:
    """The pieces of the old text and those of the new one, for two columns."""
    left = [piece for piece in difference.pieces if piece.op != "added"]
    right = [piece for piece in difference.pieces if piece.op != "removed"]
    return left, right


# Hunks: only the changed places of a difference, each with some text around it.


CONTEXT = 6


@dataclass
class Hunk:
    """Changes with their context; cut_before and cut_after: text was left out there."""

    pieces: list[DifferencePiece] = field(default_factory=list)
    cut_before: bool = False
    cut_after: bool = False


def changes_only(difference: TextDifference, context: int = CONTEXT) -> list[Hunk]:
    """The changed places with up to `context` words (in CJK: characters) of the same text around each.

    Changes whose surroundings meet share a hunk. Without a change there is no hunk.
    """
    return list(_hunks(difference.pieces, context))


def _hunks(pieces: list[DifferencePiece], context: int) -> Iterator[Hunk]:
    hunk = Hunk()
    for index, piece in enumerate(pieces):
        if piece.op != "same":
            hunk.pieces.append(piece)
            continue
        head = _first_words(piece.text, context) if index else ""
        tail = _last_words(piece.text, context) if index + 1 < len(pieces) else ""
        if len(head) + len(tail) >= len(piece.text):
            hunk.pieces.append(piece)
            continue
        if index:
            yield Hunk([*hunk.pieces, *_same(head)], hunk.cut_before, cut_after=True)
        hunk = Hunk(list(_same(tail)), cut_before=True)
    if any(piece.op != "same" for piece in hunk.pieces):
        yield hunk


def _same(text: str) -> Iterator[DifferencePiece]:
    if text:
        yield DifferencePiece("same", text)


def _first_words(text: str, count: int) -> str:
    return "".join(_until_words(tokens(text), count))


def _last_words(text: str, count: int) -> str:
    return "".join([*_until_words(reversed(tokens(text)), count)][::-1])


def _until_words(units: Iterable[str], count: int) -> Iterator[str]:
    """Units up to and with the count-th word."""
    for unit in units:
        if count <= 0:
            return
        yield unit
        count -= is_word(unit)


# Longer texts (in tokens, both together) are compared by lines, and beyond that as a whole.
MOST_UNITS = 60_000
SECONDS = 0.5

Part = tuple[Operation, Sequence[str]]


def difference(old: str, new: str, *, timeout: float = SECONDS) -> TextDifference:
    """How new differs from old.

    timeout in seconds bounds the search; a search cut short marks more than needed, never wrongly.
    """
    in_tokens = _in_tokens(old, new)
    parts = _cut(*(in_tokens or _in_lines(old, new)), timeout)
    return counted(_joined(parts), [units for _op, units in parts] if in_tokens else None)


def _cut(left: Sequence[str], right: Sequence[str], timeout: float) -> list[Part]:
    return list(_parts(smooth(changes(left, right, timeout=timeout), left, right), left, right))


def _joined(parts: Iterable[Part]) -> list[DifferencePiece]:
    return [DifferencePiece(op, "".join(units)) for op, units in parts]


@lru_cache(maxsize=256)
def pieces_between(old: str, new: str) -> Sequence[DifferencePiece]:
    """The pieces of the difference without its counts, cached: for figures that only need to know who wrote what."""
    if old == new or not old:
        return [DifferencePiece("same" if old else "added", new)] if new else []
    return _joined(_cut(*(_in_tokens(old, new) or _in_lines(old, new)), SECONDS))


@lru_cache(maxsize=256)
def compared(old: str, new: str) -> TextDifference:
    """The difference, cached: a page and its checks use one difference several times."""
    return difference(old, new)


def _in_tokens(old: str, new: str) -> tuple[list[str], list[str]] | None:
    """The tokens of both texts; None of very long ones."""
    if len(old) + len(new) >= 8 * MOST_UNITS:
        return None
    units = tokens(old), tokens(new)
    return units if len(units[0]) + len(units[1]) <= MOST_UNITS else None


def _in_lines(old: str, new: str) -> tuple[list[str], list[str]]:
    """Lines (their ends are token ends too), or each text as one unit."""
    lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    if len(lines[0]) + len(lines[1]) <= MOST_UNITS:
        return lines
    return [old], [new]


def _parts(edits: list[TokenChange], old: Sequence[str], new: Sequence[str]) -> Iterator[Part]:
    """The same, removed and added pieces in reading order, without empty ones."""
    offset = 0
    for change in edits:
        yield from _part("same", old[offset : change.old_start])
        yield from _part("removed", old[change.old_start : change.old_end])
        yield from _part("added", new[change.new_start : change.new_end])
        offset = change.old_end
    yield from _part("same", old[offset:])


def _part(op: Operation, units: Sequence[str]) -> Iterator[Part]:
    if units:
        yield op, units


# Differences as HTML.


_TAGS = {"same": ("", ""), "added": ("<ins>", "</ins>"), "removed": ("<del>", "</del>")}


def numbered(pieces: Iterable[DifferencePiece]) -> Iterator[tuple[DifferencePiece, int]]:
    """Each piece with the number of its change, from 1; a removal and its replacement share one. Same text: 0."""
    number, was_same = 0, True
    for piece in pieces:
        is_same = piece.op == "same"
        number += was_same and not is_same
        was_same = is_same
        yield piece, 0 if is_same else number


def numbered_html(pieces: Iterable[tuple[DifferencePiece, int]]) -> SafeString:
    """Pieces with <ins> and <del> that carry the number of their change."""
    html = "".join(_numbered(piece, number) for piece, number in pieces)
    return mark_safe(html)  # noqa: S308 - the tags are ours and every text went through escape()


def _numbered(piece: DifferencePiece, number: int) -> str:
    tag = {"added": "ins", "removed": "del"}.get(piece.op)
    text = escape(piece.text)
    return f'<{tag} data-change="{number}">{text}</{tag}>' if tag else text


def difference_html(difference: TextDifference) -> SafeString:
    """All pieces with <ins> and <del>; line breaks stay text, the container has white-space: pre-wrap."""
    return pieces_html(difference.pieces)


def pieces_html(pieces: Iterable[DifferencePiece]) -> SafeString:
    """The same for some pieces: one column of split(), or one hunk."""
    html = "".join(f"{_TAGS[op][0]}{escape(text)}{_TAGS[op][1]}" for op, text in pieces)
    return mark_safe(html)  # noqa: S308 - the tags are ours and every text went through escape()
