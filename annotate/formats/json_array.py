"""A JSON array of objects, read element by element."""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext_lazy as _

from annotate.formats.base import Format
from annotate.formats.json_elements import elements
from annotate.formats.json_rows import read_objects
from annotate.formats.rows import Problem, Row
from annotate.formats.source import Source


class JsonArray(Format):
    """`line` is the number of the element."""

    slug = "json"
    name = _("JSON array")
    endings = (".json",)

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[Row | Problem]:
        with source.opened() as content:
            yield from read_objects(source, enumerate(elements(content, source.limits.line_bytes), start=1))


FORMAT = JsonArray()
