"""A file as chunks of read rows, counted; shared by imports and by looking at a file without importing it."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

from annotate.formats.registry import find_format
from annotate.formats.rows import Problem, Row
from annotate.models import Project
from annotate.services.importing import stored
from annotate.services.importing.duplicates import Read, sort, without_repetitions
from annotate.services.importing.report import Report
from annotate.services.importing.rows import Prepared, RowReader, Settings
from annotate.services.importing.seen import Seen

CHUNK = 1000
Each = TypeVar("Each")


def stream(path: Path, name: str, settings: Settings) -> Iterator[Row | Problem]:
    return find_format(settings.format).read(path, name=name, options=settings.options)


def chunks(entries: Iterable[Each], size: int = CHUNK) -> Iterator[list[Each]]:
    entries = iter(entries)
    while chunk := list(islice(entries, size)):
        yield chunk


def remembered(rows: Iterable[Prepared], seen_rows: Seen, file: str) -> None:
    """Pass over rows that were taken before an interruption."""
    for row in rows:
        without_repetitions([row], seen_rows, file)


def count(report: Report, read_rows: list[Read], repeated: list[Problem]) -> list[Read]:
    """Add a chunk to the report; returns what was refused of it."""
    refused: list[Read] = []
    all_problems = list(repeated)
    for entry in read_rows:
        if isinstance(entry, Prepared):
            all_problems += entry.problems
            refused += [entry] if entry.rejected else []
        else:
            all_problems.append(entry)
            refused += [entry] if entry.line is not None else []
    faults = sum(isinstance(entry, Problem) and entry.line is None for entry in read_rows)
    report.tell(sorted(all_problems, key=_line))
    rows = len(read_rows) - faults
    report.read += rows
    report.faults += faults
    report.rejected += len(refused)
    report.duplicates += len(repeated)
    report.kept += rows - len(refused) - len(repeated)
    return refused


def _line(problem: Problem) -> float:
    """Problems of whole files come last."""
    return float("inf") if problem.line is None else problem.line


def look(
    project: Project, path: Path, *, name: str, settings: Settings, seen: Seen, most: int | None = None
) -> tuple[Report, list[Prepared]]:
    """What importing the file would say, and the first rows it would keep; nothing is written.

    most: read only so many rows.
    """
    report, reader = Report(), RowReader(project, name, settings)
    sample: list[Prepared] = []
    for chunk in chunks(islice(stream(path, name, settings), most)):
        read_rows = [reader.read(row) if isinstance(row, Row) else row for row in chunk]
        new_rows, repeated = without_repetitions(read_rows, seen, name)
        sorted_rows = sort(project, new_rows, policy=settings.duplicates, file=name)
        for row, item in sorted_rows.known:
            against = stored.objection(row, item, settings.duplicates)
            if against:
                sorted_rows.repeated.append(Problem(name, row.line, *against, "warning"))
        count(report, read_rows, repeated + sorted_rows.repeated)
        sample += new_rows[: SAMPLE - len(sample)]
    return report, sample


SAMPLE = 20
