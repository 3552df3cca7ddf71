"""From JSON texts with their numbers to rows; shared by the formats that hold JSON objects."""

from collections.abc import Iterable, Iterator

from annotate.formats.json_errors import BadValue
from annotate.formats.json_values import parse_object
from annotate.formats.rows import Problem, Row
from annotate.formats.source import Source
from annotate.formats.unpacking import MIB
from lib.texts.said import say as _


def read_objects(source: Source, texts: Iterable[tuple[int, bytes | None]]) -> Iterator[Row | Problem]:
    """One Row or Problem for each (number, text); a text of None was too long to be held."""
    for number, text in texts:
        if text is None:
            yield Problem(source.name, number, "", too_long(source))
        else:
            yield _read_object(source, number, text)


def too_long(source: Source) -> str:
    return _("The row is longer than %(limit)s MiB. Split it.") % {"limit": f"{source.limits.line_bytes / MIB:g}"}


def _read_object(source: Source, number: int, text: bytes) -> Row | Problem:
    try:
        return Row(number, parse_object(text))
    except BadValue as fault:
        return Problem(source.name, number, fault.path, fault.message)
