"""Files of answers: read in parts, looked up, stored in short transactions. Doing it again makes only duplicates."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction

from annotate.formats.rows import Problem, Row
from annotate.models import Item, Project
from annotate.services.importing.files import shown_name
from annotate.services.importing.report import Report
from annotate.services.importing.table import refresh_statistics
from judging.models import Answer, Author
from judging.services.answers.reading import FORMAT, Read, read
from judging.services.answers.storing import Given, authors_called, hold, store
from lib.texts.said import say as _

CHUNK_ROWS, CHUNK_CHARACTERS = 1000, 4_000_000
SOURCE = 255  # characters of Answer.source

Each = Row | Problem


class DryRun(Exception):
    """Takes back what a chunk wrote when nothing is to be kept."""


@dataclass
class Import:
    """One command or upload."""

    project: Project
    dry_run: bool = False
    report: Report = field(default_factory=Report)

    def file(self, path: Path, name: str) -> None:
        for chunk in _chunks(FORMAT.read(path, name=name)):
            try:
                with transaction.atomic():
                    part = self._chunk(chunk, name)
                    if self.dry_run:
                        raise DryRun
            except DryRun:
                pass
            self.report.add(part)

    def _chunk(self, chunk: Sequence[Each], name: str) -> Report:
        part = Report()
        good: list[Read] = []
        problems: list[Problem] = []
        for entry in chunk:
            outcome = read(entry, name) if isinstance(entry, Row) else [entry]
            if isinstance(outcome, Read):
                good.append(outcome)
            else:
                problems += outcome
                faulty = outcome[0].line is not None
                part.rejected += faulty
                part.faults += not faulty
        rows_with_items, unknown = self._looked_up(good, name)
        part.rejected += len(unknown)
        repeated = self._stored(rows_with_items, name)
        part.duplicates += len(repeated)
        part.kept += len(rows_with_items) - len(repeated)
        part.read = part.kept + part.duplicates + part.rejected
        part.tell(sorted([*problems, *unknown, *repeated], key=_line))
        return part

    def _looked_up(self, good: Sequence[Read], name: str) -> tuple[list[tuple[Read, Item]], list[Problem]]:
        keys = {read_row.row.key for read_row in good}
        items = {item.key: item for item in self.project.items.filter(key__in=keys).only("pk", "key")}
        message = _("There is no item with the key “%(key)s” in this project. Import the items first.")
        unknown = [
            Problem(name, read_row.line, "key", message % {"key": read_row.row.key})
            for read_row in good
            if read_row.row.key not in items
        ]
        return [(read_row, items[read_row.row.key]) for read_row in good if read_row.row.key in items], unknown

    def _stored(self, rows_with_items: Sequence[tuple[Read, Item]], name: str) -> list[Problem]:
        """The warnings of those that were there already."""
        if not rows_with_items:
            return []
        authors = authors_called(
            self.project, {read_row.row.author: _described(read_row) for read_row, _item in reversed(rows_with_items)}
        )
        hold(author.pk for author in authors.values())
        answers = [
            Given(item.pk, authors[read_row.row.author].pk, read_row.row.text, read_row.row.sample)
            for read_row, item in rows_with_items
        ]
        were_new = store(answers, source=shown_name(name)[:SOURCE])
        message = _("This answer is here already, word for word.")
        pairs = zip(rows_with_items, were_new, strict=True)
        return [
            Problem(name, read_row.line, "", message, "warning") for (read_row, _item), is_new in pairs if not is_new
        ]


def import_files(*, project: Project, names: Iterable[str], dry_run: bool = False) -> Report:
    """Take the answers of these files in; a file that cannot be read is a problem of the report.

    dry_run: only say what would happen; of a place that stands in several parts of a file it may then count a
    repetition as new.
    """
    return import_paths(project=project, paths=[(Path(name), name) for name in names], dry_run=dry_run)


def import_paths(*, project: Project, paths: Iterable[tuple[Path, str]], dry_run: bool = False) -> Report:
    """The same for files that people call otherwise than they lie here."""
    work = Import(project, dry_run)
    for path, name in paths:
        work.file(path, name)
    if work.report.kept >= CHUNK_ROWS and not dry_run:
        refresh_statistics([Answer, Author])
    return work.report


def _described(read_row: Read) -> dict[str, str]:
    return {"sort": read_row.row.sort, "family": read_row.row.family, "provider": read_row.row.provider}


def _chunks(entries: Iterable[Each]) -> Iterator[list[Each]]:
    """Of so many rows, or fewer where they are long."""
    chunk: list[Each] = []
    characters = 0
    for entry in entries:
        chunk.append(entry)
        characters += len(str(entry.value.get("text", ""))) if isinstance(entry, Row) else 0
        if len(chunk) >= CHUNK_ROWS or characters >= CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


def _line(problem: Problem) -> float:
    """Problems of whole files come last."""
    return float("inf") if problem.line is None else problem.line
