"""What files of annotation tools have in common: objects in an array or a line each, and JSON inside texts."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from annotate.formats.json_array import JsonArray
from annotate.formats.json_errors import BadValue
from annotate.formats.json_values import parse
from annotate.formats.jsonl import JsonLines
from annotate.formats.outgoing import JSON_ENDING
from annotate.formats.rows import Problem, Row
from annotate.formats.source import Source


class Bad(ValueError):
    """A value that keeps a row from being read: path in the file, and what is wrong."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path


Warnings = list[tuple[str, str]]


def read(source: Source, native: Callable[[Mapping[str, Any], Warnings], dict[str, Any]]) -> Iterator[Row | Problem]:
    """native: one object as a native row; it adds (path, message) of what it noticed, and raises Bad."""
    form = JsonArray() if source.first_character() == b"[" else JsonLines()
    for row in form.rows(source, {}):
        if isinstance(row, Problem):
            yield row
            continue
        warnings: Warnings = list(row.warnings)
        try:
            yield Row(row.line, native(row.value, warnings), warnings)
        except Bad as bad:
            yield Problem(source.name, row.line, bad.path, str(bad))


def decoded(values: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The same, with what is JSON by its name read. Raises Bad."""
    fields = {}
    for name, value in values.items():
        if name.endswith(JSON_ENDING) and isinstance(value, str):
            try:
                fields[name.removesuffix(JSON_ENDING)] = parse(value.encode())
            except BadValue as bad:
                raise Bad(f"{path}.{name}", bad.message) from None
        else:
            fields[name] = value
    return fields
