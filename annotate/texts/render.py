"""Differences as HTML."""

from collections.abc import Iterable
from html import escape

from django.utils.safestring import SafeString, mark_safe

from annotate.texts.pieces import Difference, Piece

_TAGS = {"same": ("", ""), "added": ("<ins>", "</ins>"), "removed": ("<del>", "</del>")}


def difference_html(found: Difference) -> SafeString:
    """All pieces with <ins> and <del>; line breaks stay text, the container has white-space: pre-wrap."""
    return pieces_html(found.pieces)


def pieces_html(pieces: Iterable[Piece]) -> SafeString:
    """The same for some pieces: one column of split(), or one hunk."""
    html = "".join(f"{_TAGS[op][0]}{escape(text)}{_TAGS[op][1]}" for op, text in pieces)
    return mark_safe(html)  # noqa: S308 - the tags are ours and every text went through escape()
