"""JSON lines: one object on each physical line, blank lines allowed."""

import io
from collections.abc import Iterator, Mapping

from django.utils.translation import gettext_lazy as _

from annotate.formats.format import Format
from annotate.formats.json_values import read_objects
from annotate.formats.rows import ImportRow, Problem
from annotate.formats.source import Source

_PIECE_BYTES = 64 * 1024


def numbered_lines(content: io.BufferedReader, limit: int) -> Iterator[tuple[int, bytes | None]]:
    r"""(number from 1, line) for each line; None in place of one longer than `limit` bytes, which is never held in
    memory.

    Only "\n" ends a line: texts may contain "\r", U+2028 and similar characters.
    """
    number = 0
    while line := content.readline(limit + 1):
        number += 1
        if len(line) > limit and not line.endswith(b"\n"):
            _skip_line(content)
            yield number, None
        else:
            yield number, line


def _skip_line(content: io.BufferedReader) -> None:
    while (piece := content.readline(_PIECE_BYTES)) and not piece.endswith(b"\n"):
        pass


class JsonLines(Format):
    slug = "jsonl"
    name = _("JSON lines")
    endings = (".jsonl", ".ndjson")

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        with source.opened() as content:
            lines = numbered_lines(content, source.limits.line_bytes)
            yield from read_objects(source, (line for line in lines if line[1] is None or line[1].strip()))


FORMAT = JsonLines()
