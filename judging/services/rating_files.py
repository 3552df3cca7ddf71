"""Files of ratings, which need no project: one {"unit","rater","value"} a line."""

from array import array
from collections.abc import Iterator, MutableSequence
from pathlib import Path
from typing import Any

from annotate.formats.registry import find_format
from annotate.formats.rows import Problem, Row, printable
from lib.stats.agreement import BadRatings, Level, Ratings, ratings

MISSING: Any = object()


class BadFile(Exception):
    """A file that no ratings can be made of; the text names the line and the remedy."""


def read(path: Path, level: Level) -> Ratings:
    """The ratings of a file of JSON lines, also gzipped; other fields of a row are not read. Raises BadFile."""
    lines = array("q")
    try:
        return ratings(_rows(path, lines), level)
    except BadRatings as bad:
        again = "" if bad.first is None else f" The first is on line {lines[bad.first]}."
        raise BadFile(f"Line {lines[bad.row]}: {printable(bad.message, most=500)}{again}") from None


def _rows(path: Path, lines: MutableSequence[int]) -> Iterator[tuple[str, str, Any]]:
    """unit, rater, value; the line of each is kept in `lines`."""
    for row in find_format("jsonl").read(path):
        if isinstance(row, Problem):
            raise BadFile(_problem(row))
        lines.append(row.line)
        yield name_in(row, "unit"), name_in(row, "rater"), value_in(row)


def _problem(problem: Problem) -> str:
    location = "" if problem.line is None else f"Line {problem.line}"
    location += f", {problem.path}" if location and problem.path else ""
    return f"{location}: {problem.message}" if location else problem.message


def name_in(row: Row, field: str) -> str:
    """A text; a whole number is taken as one. Raises BadFile."""
    value = row.value.get(field, MISSING)
    if value is MISSING:
        raise BadFile(f'Line {row.line}: {field} missing; a row is {{"unit": …, "rater": …, "value": …}}.')
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise BadFile(f"Line {row.line}, {field}: it must be a text that is not empty, or a whole number.")
    return str(value)


def value_in(row: Row) -> Any:
    value = row.value.get("value", MISSING)
    if value is MISSING:
        raise BadFile(f"Line {row.line}: value missing; write null where somebody gave no rating.")
    return value
