"""Code that formats of annotation tools and of scored rows share: objects, JSON inside texts, scores and verdicts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from annotate.formats.json_array import JsonArray
from annotate.formats.json_values import BadValue, parse
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import JSON_ENDING, ImportRow, Problem
from annotate.formats.source import Source


class Bad(ValueError):
    """A value that prevents a row from being read: its path in the file, and what is wrong."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path


Warnings = list[tuple[str, str]]


def read_objects(
    source: Source, native: Callable[[Mapping[str, Any], Warnings], dict[str, Any]]
) -> Iterator[ImportRow | Problem]:
    """native: turns one object into a native row; it adds (path, message) for what it noticed, and raises Bad."""
    return read_several(source, lambda value, warnings: [native(value, warnings)])


def read_several(
    source: Source, natives: Callable[[Mapping[str, Any], Warnings], Sequence[dict[str, Any]]]
) -> Iterator[ImportRow | Problem]:
    """The same where an object may be several rows, or none; what was noticed goes with the first, or alone."""
    form = JsonArray() if source.first_character() == b"[" else JsonLines()
    for row in form.rows(source, {}):
        if isinstance(row, Problem):
            yield row
            continue
        warnings: Warnings = list(row.warnings)
        try:
            rows = natives(row.value, warnings)
        except Bad as bad:
            yield Problem(source.name, row.line, bad.path, str(bad))
            continue
        if not rows:
            yield from (Problem(source.name, row.line, path, message, "warning") for path, message in warnings)
        for number, value in enumerate(rows):
            yield ImportRow(row.line, value, () if number else warnings)


def decoded(values: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The values, with those parsed whose name says that they are JSON. Raises Bad."""
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


# Rows of scores and feedback: several names for a field, scores, and the verdict by scores. Pure.


def first_of(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The first of these fields that has a value; None if none does."""
    return next((value[name] for name in names if value.get(name) not in (None, "")), None)


def number(value: Any) -> Any:
    """A number that was written as text becomes a number; anything else stays unchanged, for the kind to report."""
    if not isinstance(value, str):
        return value
    for convert in (int, float):
        try:
            return convert(value.strip())
        except ValueError:
            continue
    return value


def two_scores(scores: Any) -> tuple[Any, Any] | None:
    """Two scores from a list of two, or from a text of two numbers with a blank between; None for anything else."""
    parts = scores.split() if isinstance(scores, str) else scores
    if not isinstance(parts, list) or len(parts) != 2:
        return None
    return number(parts[0]), number(parts[1])


def ahead(first: Any, second: Any) -> str | None:
    """The side with the higher score; a tie if both are equal, None if one is not a number."""
    if not all(isinstance(score, int | float) and not isinstance(score, bool) for score in (first, second)):
        return None
    return "tie" if first == second else "first" if first > second else "second"


def text_of(value: Any) -> Any:
    """The text itself, or the text under `text` of an object."""
    return value.get("text") if isinstance(value, Mapping) else value


def without_blanks(value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: field_value for name, field_value in value.items() if field_value not in (None, "")}
