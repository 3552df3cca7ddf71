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


def chunks(given: Iterable[Each], size: int = CHUNK) -> Iterator[list[Each]]:
    given = iter(given)
    while chunk := list(islice(given, size)):
        yield chunk


def remembered(rows: Iterable[Prepared], seen: Seen, file: str) -> None:
    """Pass over rows that were taken before an interruption."""
    for row in rows:
        without_repetitions([row], seen, file)


def count(report: Report, read: list[Read], repeated: list[Problem]) -> list[Read]:
    """Add a chunk to the report; returns what was refused of it."""
    refused: list[Read] = []
    told = list(repeated)
    for each in read:
        if isinstance(each, Prepared):
            told += each.problems
            refused += [each] if each.rejected else []
        else:
            told.append(each)
            refused += [each] if each.line is not None else []
    faults = sum(isinstance(each, Problem) and each.line is None for each in read)
    report.tell(sorted(told, key=_line))
    rows = len(read) - faults
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
        read = [reader.read(each) if isinstance(each, Row) else each for each in chunk]
        first, repeated = without_repetitions(read, seen, name)
        found = sort(project, first, policy=settings.duplicates, file=name)
        for row, item in found.known:
            against = stored.objection(row, item, settings.duplicates)
            if against:
                found.repeated.append(Problem(name, row.line, *against, "warning"))
        count(report, read, repeated + found.repeated)
        sample += first[: SAMPLE - len(sample)]
    return report, sample


SAMPLE = 20
