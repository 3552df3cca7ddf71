"""Sentences one after the other: with a space in between, but none after the full-width marks of Chinese."""

from collections.abc import Iterable

FULL_WIDTH = tuple("。！？；：，、）》")


def paragraph(sentences: Iterable[object]) -> str:
    """The texts in a row; empty ones are left out."""
    text = ""
    for sentence in filter(None, map(str, sentences)):
        text += sentence if not text or text.endswith(FULL_WIDTH) else f" {sentence}"
    return text
