"""Offsets of spans in UTF-16 units, as programs in JavaScript count them, and in code points, as we do."""

from itertools import accumulate
from typing import Any


def utf16_offsets(text: str) -> list[int]:
    """The offset of each code point in UTF-16 units, and that of the end."""
    return [0, *accumulate(2 if ord(character) > 0xFFFF else 1 for character in text)]


def from_utf16(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Both offsets in code points; None if one lies inside a character or behind the text."""
    if text.isascii():
        return (start, end) if 0 <= start <= end <= len(text) else None
    by_unit = {unit: index for index, unit in enumerate(utf16_offsets(text))}
    return (by_unit[start], by_unit[end]) if start in by_unit and end in by_unit else None


def code_point_offsets(text: str, start: Any, end: Any, words: Any) -> tuple[Any, Any, Any]:
    """(start, end, words) in code points, of offsets that may be UTF-16 units: those between which `words` stand.

    words: None if the file does not give them; the text between the offsets is returned then. If nothing fits, all
    three are returned unchanged, so that the check of the question can name the place.
    """
    if not isinstance(start, int) or not isinstance(end, int):
        return start, end, words
    units = from_utf16(text, start, end)
    spellings = {words, words.replace("\\n", "\n")} if isinstance(words, str) else None
    for first, last in filter(None, ((start, end), units)):
        if spellings is None or text[first:last] in spellings:
            return first, last, text[first:last]
    return start, end, words
