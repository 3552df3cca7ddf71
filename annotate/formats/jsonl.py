"""JSON lines: one object on each line, blank lines allowed."""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext_lazy as _

from annotate.formats.base import Format
from annotate.formats.json_rows import read_objects
from annotate.formats.lines import numbered_lines
from annotate.formats.rows import Problem, Row
from annotate.formats.source import Source


class JsonLines(Format):
    slug = "jsonl"
    name = _("JSON lines")
    endings = (".jsonl", ".ndjson")

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[Row | Problem]:
        with source.opened() as content:
            lines = numbered_lines(content, source.limits.line_bytes)
            yield from read_objects(source, (line for line in lines if line[1] is None or line[1].strip()))


FORMAT = JsonLines()
