"""Differences as HTML."""

from collections.abc import Iterable, Iterator
from html import escape

from django.utils.safestring import SafeString, mark_safe

from lib.texts.pieces import Difference, Piece

_TAGS = {"same": ("", ""), "added": ("<ins>", "</ins>"), "removed": ("<del>", "</del>")}


def numbered(pieces: Iterable[Piece]) -> Iterator[tuple[Piece, int]]:
    """Each piece with the number of its change, from 1; a removal and what took its place are one. Same text: 0."""
    number, was_same = 0, True
    for piece in pieces:
        is_same = piece.op == "same"
        number += was_same and not is_same
        was_same = is_same
        yield piece, 0 if is_same else number


def numbered_html(pieces: Iterable[tuple[Piece, int]]) -> SafeString:
    """Pieces with <ins> and <del> that say which change they belong to."""
    html = "".join(_numbered(piece, number) for piece, number in pieces)
    return mark_safe(html)  # noqa: S308 - the tags are ours and every text went through escape()


def _numbered(piece: Piece, number: int) -> str:
    tag = {"added": "ins", "removed": "del"}.get(piece.op)
    text = escape(piece.text)
    return f'<{tag} data-change="{number}">{text}</{tag}>' if tag else text


def difference_html(difference: Difference) -> SafeString:
    """All pieces with <ins> and <del>; line breaks stay text, the container has white-space: pre-wrap."""
    return pieces_html(difference.pieces)


def pieces_html(pieces: Iterable[Piece]) -> SafeString:
    """The same for some pieces: one column of split(), or one hunk."""
    html = "".join(f"{_TAGS[op][0]}{escape(text)}{_TAGS[op][1]}" for op, text in pieces)
    return mark_safe(html)  # noqa: S308 - the tags are ours and every text went through escape()
