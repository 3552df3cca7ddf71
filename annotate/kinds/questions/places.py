"""Where a span lies in a text: offsets in code points, checked against the text that is stored."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import regex

from annotate.kinds.questions.definition_texts import one_line
from lib.texts.stored_sentences import say as _

Span = Mapping[str, Any]
_CLUSTER = regex.compile(r"\X")


def stored_text(facts: Mapping[str, Any], field: str) -> str:
    """The text of a column as people see it; "" where the item has none. A number is shown as a text."""
    value = facts.get(field)
    return str(value) if isinstance(value, str | int | float) else ""


def place_fault(span: Span, text: str) -> tuple[str, str] | None:
    """(part of the span, message) of what is wrong with its place in this text; None if it lies well."""
    start, end, field = span["start"], span["end"], one_line(span["field"], 60)
    if not text:
        return ".field", _("“%(field)s” is empty in this item; remove the span.") % {"field": field}
    if start < 0 or end <= start:
        message = _("%(start)d to %(end)d is no part of a text; a span ends after its start, which is 0 or more.")
        return ".start", message % {"start": start, "end": end}
    if text[start:end] != span["text"] and not lost_at_the_end(span, text):
        return ".text", _other_text(span, text)
    for part, offset in ((".start", start), (".end", end)):
        if not is_boundary(text, offset):
            message = _("%(offset)d is inside a character of several code points; move it to where the character ends.")
            return part, message % {"offset": offset}
    return None


def _other_text(span: Span, text: str) -> str:
    start, end = span["start"], span["end"]
    values = {"text": one_line(span["text"], 40), "start": start, "end": end, "field": one_line(span["field"], 60)}
    if end > len(text):
        message = _("“%(text)s” would end at %(end)d, but “%(field)s” has %(n)d characters; correct the offsets.")
        return message % {**values, "n": len(text)}
    message = _(
        "“%(text)s” is not at %(start)d to %(end)d of “%(field)s”, where “%(there)s” is; offsets count code points."
    )
    return message % {**values, "there": one_line(text[start:end], 40)}


def lost_at_the_end(span: Span, text: str) -> bool:
    """Whether the span goes on in white space behind the text, which tools often cut off when they export it."""
    start, end, marked = span["start"], span["end"], span["text"]
    if not text or not 0 <= start <= len(text) < end or len(marked) != end - start:
        return False
    rest = text[start:]
    return bool(marked.startswith(rest) and marked[len(rest) :].isspace())


def is_boundary(text: str, offset: int) -> bool:
    """Whether no grapheme cluster, such as an emoji or a letter with its accents, is cut at this offset."""
    if not 0 < offset < len(text):
        return True
    if text.isascii():
        return text[offset - 1 : offset + 1] != "\r\n"
    return offset in _boundaries(text)


@lru_cache(maxsize=64)
def _boundaries(text: str) -> frozenset[int]:
    return frozenset(cluster.end() for cluster in _CLUSTER.finditer(text))
