"""JSON arrays of any size, read element by element without holding the array; and the format."""

import io
import re
from collections.abc import Iterator, Mapping

from django.utils.translation import gettext_lazy

from annotate.formats.format import Format
from annotate.formats.json_values import read_objects
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import ImportRow, Problem
from annotate.formats.source import Source, Unreadable
from lib.texts.stored_sentences import say as _

_CHUNK_BYTES = 256 * 1024
_MOST_LEVELS = 1_000_000  # nesting so deep that the search is given up
_WHITE = b" \t\n\r"
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
# Everything up to the next significant character: commas count between elements, inside them only brackets.
_TO_SIGN_BETWEEN = re.compile(rb'(?:[^"\[\]{},]++|' + _STRING + rb")*+", re.DOTALL)
_TO_SIGN_INSIDE = re.compile(rb'(?:[^"\[\]{}]++|' + _STRING + rb")*+", re.DOTALL)
_TO_STRING_END = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_COMMA, _QUOTE, _BACKSLASH, _END = b',"\\]'
_OPENING, _CLOSING = b"[{", b"]}"


def elements(content: io.BufferedReader, limit: int) -> Iterator[bytes | None]:
    """The text of each element; None in place of one longer than `limit` bytes, which is never held in memory.

    Elements may be invalid JSON; nothing between two commas gives b"". Raises Unreadable if there is no array, if it
    does not end, or if something comes after it.
    """
    scanner = _Scanner(limit)
    while chunk := content.read(_CHUNK_BYTES):
        yield from scanner.cut(chunk)
    scanner.finish()


class _Scanner:
    """The state of the scan: its depth, whether it is inside a string, and the element collected so far."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._depth = 0
        self._in_string = False
        self._is_escaped = False
        self._has_begun = False
        self._count = 0
        self._pieces: list[bytes] = []
        self._size = 0

    def cut(self, chunk: bytes) -> Iterator[bytes | None]:
        """The elements that end in this chunk."""
        position = start = self._after_opening(chunk)
        while position < len(chunk):
            if self._is_outside():
                self._refuse_more(chunk[position:])
                return
            position = self._next_sign(chunk, position)
            if position < len(chunk) and self._ends_element(chunk[position]):
                yield from self._element(chunk[start:position])
                start = position + 1
            position += 1
        self._gather(chunk[start:])

    def finish(self) -> None:
        if not self._has_begun:
            raise Unreadable(_("The file is empty."))
        if not self._is_outside():
            message = _("The list is never closed: a bracket or a quote is missing after element %(count)s.")
            raise Unreadable(message % {"count": self._count})

    def _is_outside(self) -> bool:
        return self._has_begun and self._depth == 0

    def _after_opening(self, chunk: bytes) -> int:
        if self._has_begun:
            return 0
        text = chunk.lstrip(_WHITE)
        if not text:
            return len(chunk)
        if not text.startswith(b"["):
            raise Unreadable(_no_array(text))
        self._has_begun = True
        self._depth = 1
        return len(chunk) - len(text) + 1

    def _next_sign(self, chunk: bytes, position: int) -> int:
        """The position of the next significant character outside strings; the end of the chunk if there is none."""
        if self._in_string:
            return self._leave_string(chunk, position)
        pattern = _TO_SIGN_BETWEEN if self._depth == 1 else _TO_SIGN_INSIDE
        position = _end(pattern, chunk, position)
        if chunk[position : position + 1] == b'"':
            self._in_string = True
            return self._leave_string(chunk, position + 1)
        return position

    def _leave_string(self, chunk: bytes, position: int) -> int:
        if self._is_escaped and position < len(chunk):
            position += 1
            self._is_escaped = False
        end = _end(_TO_STRING_END, chunk, position)
        if end == len(chunk):
            return end
        self._in_string = chunk[end] != _QUOTE
        self._is_escaped = chunk[end] == _BACKSLASH
        return end

    def _ends_element(self, sign: int) -> bool:
        if sign in _OPENING:
            self._depth += 1
            self._refuse_depth()
        elif sign in _CLOSING:
            self._depth -= 1
            self._refuse_wrong_end(sign)
        return self._depth == 0 or (sign == _COMMA and self._depth == 1)

    def _element(self, tail: bytes) -> Iterator[bytes | None]:
        self._gather(tail)
        is_too_long = self._size > self._limit
        text = b"".join(self._pieces).strip(_WHITE)
        self._pieces, self._size = [], 0
        if text or is_too_long or self._depth or self._count:
            self._count += 1
            yield None if is_too_long else text

    def _gather(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            self._pieces = []
        else:
            self._pieces.append(piece)

    def _refuse_depth(self) -> None:
        if self._depth > _MOST_LEVELS:
            message = _("After element %(count)s brackets are nested without end; this is not a list of rows.")
            raise Unreadable(message % {"count": self._count})

    def _refuse_wrong_end(self, sign: int) -> None:
        if self._depth == 0 and sign != _END:
            message = _("After element %(count)s there is a “}” where the list should continue or end with “]”.")
            raise Unreadable(message % {"count": self._count})

    def _refuse_more(self, rest: bytes) -> None:
        if rest.strip(_WHITE):
            raise Unreadable(_("There is more text after the end of the list. Put all rows into one list."))


def _end(pattern: re.Pattern[bytes], chunk: bytes, position: int) -> int:
    match = pattern.match(chunk, position)
    return match.end() if match else position


def _no_array(text: bytes) -> str:
    if text.startswith(b"{"):
        return _("The file starts with an object, not with a list of rows. For one object on each line use jsonl.")
    return _("This is not a JSON list: the first character must be “[”.")


# The format: a JSON array of objects.


class JsonArray(Format):
    """`line` is the number of the element."""

    slug = "json"
    name = gettext_lazy("JSON array")
    endings = (".json",)

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        with source.opened() as content:
            yield from read_objects(source, enumerate(elements(content, source.limits.line_bytes), start=1))


FORMAT = JsonArray()


class JsonRows(Format):
    """One JSON object a line, or a JSON array of them: the first character says which. No format of its own."""

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        shape = FORMAT if source.first_character() == b"[" else JsonLines()
        yield from shape.rows(source, {})
