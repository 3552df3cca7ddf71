"""Imports: files read in chunks, checked, and stored in short transactions; by a worker, by command, or as a dry run.

The database records the progress of an import: every chunk updates the batch's `read` in the transaction that stores
it. So a killed import resumes where it was, and of two workers on the same batch one stops. The job of the worker is
`run_batch` in annotate/chores.py.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotate.audit.trail import record, values_of
from annotate.bulk_rows import refresh_statistics
from annotate.engine.chores import Leases, Parts, finish
from annotate.errors import Refused
from annotate.formats.registry import find_format, guess
from annotate.formats.rows import ImportRow, Problem
from annotate.intake import report as intake_report
from annotate.intake import store
from annotate.intake import store as importing_new
from annotate.intake.duplicates import KnownRows, Neighbours, ReadRow, sort, without_repetitions
from annotate.intake.report import Report, sha256_of
from annotate.intake.row_reader import PreparedRow, RowReader, Settings
from annotate.kinds.contract import Kind
from annotate.media.actions import add_embedded
from annotate.media.bundles import RowsFile, rows_of, store_media
from annotate.models import Annotation, Batch, Event, Item, Project, Slot, User
from lib.media.sniffing import read_content
from lib.texts.stored_sentences import say as _

UNFINISHED = [Batch.State.WAITING, Batch.State.RUNNING]
# Of two workers, the first to store a part goes on: the other one counts from another row.
leases = Leases(
    Batch,
    Q(state__in=UNFINISHED),
    timedelta(minutes=2),
    due=lambda: ~Q(stored_as=""),  # a file that a command reads is on no worker's disk
    fence="read",
    related=("project", "created_by"),
    on_claim={"state": Batch.State.RUNNING},
    on_put_back={"state": Batch.State.WAITING},
    longest=timedelta(minutes=10),  # of files of judgements, which another app reads
)


def start(*, project: Project, file_name: str, settings: Settings, by: User | None, **columns: object) -> Batch:
    """The row of one import; nothing is read yet."""
    with transaction.atomic():
        batch = Batch.objects.create(
            project=project,
            file_name=intake_report.shown_name(file_name),
            format=settings.format,
            settings=settings.as_json(),
            rejects_as=intake_report.random_name(),
            created_by=by,
            **columns,
        )
        verb = "import.uploaded" if batch.state == Batch.State.PREVIEW else "import.started"
        record(verb, batch, after=values_of(batch, "file_name", "sha256", "format", "settings"))
    return batch


def fail_abandoned_commands() -> int:
    """Fail imports by command whose process is gone; returns how many."""
    message = _("The command was interrupted. Run it again: imported rows are skipped.")
    abandoned = Batch.objects.filter(state=Batch.State.RUNNING, lease_until__lt=timezone.now(), stored_as="")
    return sum(fail(batch, message) for batch in abandoned)


def fail(batch: Batch, message: str) -> int:
    """End an import that is running, with a message above its problems; returns how many were ended, 0 or 1."""
    batch.refresh_from_db(fields=["problems"])
    problems = [Problem(batch.file_name, None, "", message).stored(), *batch.problems]
    return Batch.objects.filter(pk=batch.pk, state=Batch.State.RUNNING).update(
        state=Batch.State.FAILED, problems=problems, finished_at=timezone.now()
    )


def run(batch: Batch, file: RowsFile, *, seen: KnownRows | None = None) -> Report:
    """Import all of the file that is left, here. Raises LeaseLost if another worker has taken the batch over.

    seen: shared by the files of one command, to detect a row that is in two of them.
    """
    report = stored_report(batch)
    finish(parts(batch, file, report, seen=seen))
    return report


def parts(batch: Batch, file: RowsFile, report: Report, *, seen: KnownRows | None = None) -> Parts:
    """Import the file from the batch's current position. report: of what was read before; it is continued."""
    settings, name = Settings(**batch.settings), file.name
    if file.bundle and not batch.read:
        yield from _media_parts(batch, file.bundle, report, name)
    intake_report.cut_rejects(batch.rejects_as, batch.rejected)
    reader = RowReader(batch.project, name, settings, keep=partial(_keep_embedded, batch))
    known_rows, neighbours = seen or KnownRows(), Neighbours(batch)
    source = stream(file.path, name, settings, batch.project.kind)
    remembered((reader.read(row) for row in islice(source, batch.read) if isinstance(row, ImportRow)), known_rows, name)
    for read_rows in chunks(reader.read(row) if isinstance(row, ImportRow) else row for row in source):
        _take(batch, read_rows, known_rows, neighbours, report, settings, name)
        yield len(read_rows)
    _finish(batch, report)


def _keep_embedded(batch: Batch, name: str, data: bytes) -> None:
    """A row may hold hundreds of images: the lease is extended after each. Raises BadContent."""
    add_embedded(name=name, data=data, batch=batch)
    leases.keep(batch)


def _media_parts(batch: Batch, bundle: Path, report: Report, name: str) -> Parts:
    """Store the files that came with the rows. A worker that begins again finds those of the last one."""
    refused = []
    for group in chunks(store_media(bundle, project=batch.project, batch=batch), MEDIA_AT_ONCE):
        refused += [Problem(name, None, file.name, file.refused) for file in group if file.refused]
        leases.keep(batch)
        yield len(group)
    report.faults += len(refused)
    report.tell(refused)
    leases.keep(batch, **progress_of(report))


def _take(
    batch: Batch,
    read_rows: list[ReadRow],
    seen_rows: KnownRows,
    neighbours: Neighbours,
    report: Report,
    settings: Settings,
    name: str,
) -> None:
    new_rows, repeated = without_repetitions(read_rows, seen_rows, name)
    with transaction.atomic():
        # One import at a time writes into a project, so that no two of them can store the same row.
        Project.objects.select_for_update(no_key=True).get(pk=batch.project_id)
        neighbours.read_on()
        sorted_rows = sort(batch.project, new_rows, policy=settings.duplicates, file=name, neighbours=neighbours)
        neighbours.own_up_to(importing_new.store(batch.project, batch, sorted_rows.new))
        for row, item in sorted_rows.known:
            against = store.change(batch.project, batch, row, item, settings.duplicates)
            if against:
                sorted_rows.repeated.append(Problem(name, row.line, *against, "warning"))
        refused = count(report, read_rows, repeated + sorted_rows.repeated)
        if refused:
            intake_report.add_rejects(batch.rejects_as, refused)
        leases.keep(batch, **progress_of(report))


def _finish(batch: Batch, report: Report) -> None:
    ended = {"lease_until": None, "finished_at": timezone.now()}
    if report.kept or report.flawless:
        leases.owned(batch).update(state=Batch.State.DONE, **ended)
    else:
        problems = [*_remedy(batch, report), *report.problems]
        leases.owned(batch).update(state=Batch.State.FAILED, problems=problems, **ended)
    if report.kept >= CHUNK:
        refresh_statistics([Item, Slot, Annotation, Event])


def _remedy(batch: Batch, report: Report) -> list[dict[str, Any]]:
    """What to do if no row was kept; a file that could not be read at all has its own message."""
    if not report.read:
        return []
    message = _("No row was imported. Fix the problems below, or change how the file is read, and import it again.")
    return [Problem(batch.file_name, None, "", message).stored()]


COLUMNS = ("read", "kept", "duplicates", "rejected", "problems", "unlisted")


def progress_of(report: Report) -> dict[str, object]:
    return {name: getattr(report, name) for name in COLUMNS}


def stored_report(batch: Batch) -> Report:
    """The report of an import so far; empty before it has begun."""
    return Report(**{name: getattr(batch, name) for name in COLUMNS})


CHUNK = 1000
MEDIA_AT_ONCE = 5  # a large image takes seconds, and a lease must not run out
RowOrProblem = TypeVar("RowOrProblem")


def stream(path: Path, name: str, settings: Settings, kind: Kind) -> Iterator[ImportRow | Problem]:
    file_format = find_format(settings.format).for_definition(kind.own_definition())
    return file_format.read(path, name=name, options=settings.options)


def chunks(entries: Iterable[RowOrProblem], size: int = CHUNK) -> Iterator[list[RowOrProblem]]:
    entries = iter(entries)
    while chunk := list(islice(entries, size)):
        yield chunk


def remembered(rows: Iterable[PreparedRow], seen_rows: KnownRows, file: str) -> None:
    """Skip rows that were stored before an interruption, but remember them."""
    for row in rows:
        without_repetitions([row], seen_rows, file)


def count(report: Report, read_rows: list[ReadRow], repeated: list[Problem]) -> list[ReadRow]:
    """Add a chunk to the report; returns the refused rows."""
    refused: list[ReadRow] = []
    all_problems = list(repeated)
    for entry in read_rows:
        if isinstance(entry, PreparedRow):
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
    """Sort key: problems of whole files come last."""
    return float("inf") if problem.line is None else problem.line


def look(
    project: Project, file: RowsFile, *, settings: Settings, seen: KnownRows, most: int | None = None
) -> tuple[Report, list[PreparedRow]]:
    """The report that importing the file would give, and the first rows that it would keep; nothing is written.

    most: read at most this many rows, and of images that they hold only the heads. Files in a zip count as stored,
    whatever they are.
    """
    name = file.name
    report, reader = Report(), RowReader(project, name, settings, file.media, _check_embedded if most is None else None)
    sample: list[PreparedRow] = []
    for chunk in chunks(islice(stream(file.path, name, settings, project.kind), most)):
        read_rows = [reader.read(row) if isinstance(row, ImportRow) else row for row in chunk]
        new_rows, repeated = without_repetitions(read_rows, seen, name)
        sorted_rows = sort(project, new_rows, policy=settings.duplicates, file=name)
        for row, item in sorted_rows.known:
            against = store.objection(row, item, settings.duplicates)
            if against:
                sorted_rows.repeated.append(Problem(name, row.line, *against, "warning"))
        count(report, read_rows, repeated + sorted_rows.repeated)
        sample += new_rows[: SAMPLE - len(sample)]
    return report, sample


def _check_embedded(_name: str, data: bytes) -> None:
    """Raises BadContent, as storing it would."""
    read_content(data)


SAMPLE = 20


# Imports by command: several files at once, all or nothing with `strict`.


def import_files(
    *, project: Project, names: Sequence[str], settings: Settings, strict: bool = False, dry_run: bool = False
) -> Report:
    """Import the files in order. If settings.format is empty, each file's name decides its format.

    strict: read all files first, and keep nothing if any row or file has an error; dry_run: only read.
    """
    if strict or dry_run:
        report = _check_only(project, names, settings)
        if strict and not report.flawless:
            report.refuse_all()
            message = _("Nothing was imported, because there are errors (--strict).")
            report.tell([Problem("", None, "", message)])
            return report
        if dry_run:
            return report
    return _imported(project, names, settings)


def _check_only(project: Project, names: Sequence[str], settings: Settings) -> Report:
    def look_at(file: RowsFile, file_settings: Settings, seen_rows: KnownRows) -> Report:
        return look(project, file, settings=file_settings, seen=seen_rows)[0]

    return _together(project, names, settings, look_at)


def _imported(project: Project, names: Sequence[str], settings: Settings) -> Report:
    return _together(
        project,
        names,
        settings,
        lambda file, file_settings, seen_rows: _import_one(project, file, file_settings, seen_rows),
    )


def _together(
    project: Project, names: Sequence[str], settings: Settings, take: Callable[[RowsFile, Settings, KnownRows], Report]
) -> Report:
    """One report of several files, each in its own format; a row that is in two of them is reported."""
    report = Report()
    with KnownRows() as seen_rows:
        for name in names:
            report.add(_of_one(project, name, settings, lambda file, own: take(file, own, seen_rows)))
    return report


def _of_one(project: Project, name: str, settings: Settings, take: Callable[[RowsFile, Settings], Report]) -> Report:
    """The report of one file, which may be a zip."""
    try:
        with rows_of(project, Path(name)) as file:
            file_settings = _settings_for(project, file.name, settings)
            return _problem_report(file_settings) if isinstance(file_settings, Problem) else take(file, file_settings)
    except Refused as refused:
        return _problem_report(Problem(name, None, "", str(refused)))


def _settings_for(project: Project, name: str, settings: Settings) -> Settings | Problem:
    if settings.format:
        return settings
    guessed = guess(name, project.kind_slug)
    return guessed if isinstance(guessed, Problem) else replace(settings, format=guessed.slug)


def _problem_report(problem: Problem) -> Report:
    report = Report(faults=1)
    report.tell([problem])
    return report


def _import_one(project: Project, file: RowsFile, settings: Settings, seen_rows: KnownRows) -> Report:
    batch = start(
        project=project,
        file_name=file.name,
        settings=settings,
        by=None,
        sha256=sha256_of(file.bundle or file.path),
        state=Batch.State.RUNNING,
        **leases.held(),
    )
    return run(batch, file, seen=seen_rows)
