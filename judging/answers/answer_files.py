"""Import of files of answers: rows are read and checked, looked up in parts, and stored in short transactions.

Importing the same file again adds nothing: its rows count as duplicates.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from django.db import transaction
from pydantic import AfterValidator, Field, ValidationError

from annotate.audit.trail import record
from annotate.bulk_rows import refresh_statistics
from annotate.formats.rows import ImportRow, Problem
from annotate.intake.report import Report, shown_name
from annotate.kinds.shapes import Shape, faults
from annotate.models import Item, Project
from judging.answers.answer_columns import as_answer, columns_for, format_of, meant
from judging.answers.cases import judgeable
from judging.answers.store import GivenAnswer, authors_called, hold, store
from judging.models import Answer, Author
from lib.texts.stored_sentences import say as _

MOST_SAMPLES = 1000


def _trimmed(text: str) -> str:
    if not text.strip():
        raise ValueError(_("is empty. Leave out rows without an answer."))
    return text


def _sort(word: str) -> str:
    if word not in Author.Sort.values:
        raise ValueError(_("must be one of: %(sorts)s.") % {"sorts": ", ".join(Author.Sort.values)})
    return word


def _length(most: int) -> AfterValidator:
    def checked(text: str) -> str:
        if len(text) > most:
            raise ValueError(_("is longer than %(most)s characters.") % {"most": most})
        return text

    return AfterValidator(checked)


def one_line(text: str) -> str:
    """The name of an author without surrounding blanks. Raises ValueError if it cannot be shown in one line."""
    text = text.strip()
    if not text:
        raise ValueError(_("must not be empty."))
    if not text.isprintable():
        raise ValueError(_("contains characters that cannot be printed. Write the name as one line of plain text."))
    return text


def _sample(number: int) -> int:
    if not 1 <= number <= MOST_SAMPLES:
        raise ValueError(_("must be a number from 1 to %(most)s.") % {"most": MOST_SAMPLES})
    return number


Word = Annotated[str, _length(80), AfterValidator(lambda text: one_line(text) if text.strip() else "")]


class AnswerRow(Shape):
    """One answer as a file says it. The last three are of the author, and used where it is new here."""

    key: str
    author: Annotated[str, AfterValidator(one_line), _length(120)]
    text: Annotated[str, AfterValidator(_trimmed)]
    sample: Annotated[int, AfterValidator(_sample)] = 1
    sort: Annotated[str, AfterValidator(_sort)] = Author.Sort.MODEL.value
    family: Word = ""
    provider: Word = ""
    provenance: Any = Field(default=None, exclude=True)


@dataclass(frozen=True)
class ReadAnswer:
    """A row with its place in the file."""

    line: int
    row: AnswerRow


FIELDS = frozenset(AnswerRow.model_fields)


def read_answer(row: ImportRow, file: str) -> ReadAnswer | list[Problem]:
    """The row, or all of its problems. Columns that are no field of an answer are passed over."""
    is_table = format_of(file).is_table
    fields, others = as_answer(row.value, FIELDS, is_table=is_table)
    if isinstance(fields.get("text"), list | dict) and is_table:
        return [Problem(file, row.line, "text", _("begins like JSON. Put an apostrophe before it, and it is a text."))]
    message = _("is not a field of an answer. Did you mean “%(name)s”?")
    slips = [
        Problem(file, row.line, name, message % {"name": meant(name, FIELDS)}) for name in others if meant(name, FIELDS)
    ]
    if slips:
        return slips
    try:
        return ReadAnswer(row.line, AnswerRow.model_validate(fields))
    except ValidationError as error:
        return [Problem(file, row.line, fault.path, fault.message) for fault in faults(error)]


# Import: from here on rows are looked up and stored.


CHUNK_ROWS, CHUNK_CHARACTERS = 1000, 4_000_000
SOURCE = 255  # characters of Answer.source

RowOrProblem = ImportRow | Problem


class DryRun(Exception):
    """Rolls back what a chunk wrote in a dry run."""


@dataclass
class Import:
    """One command or upload.

    authors: how many answers of each could be read; first: the first such rows; renamed: field -> the column of another
    name that it was read from.
    """

    project: Project
    dry_run: bool = False
    report: Report = field(default_factory=Report)
    authors: Counter[str] = field(default_factory=Counter)
    first: list[ReadAnswer] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)

    def file(self, path: Path, name: str) -> None:
        unread: dict[str, None] = {}
        for chunk in _chunks(format_of(name).read(path, name=name)):
            try:
                with transaction.atomic():
                    part = self._chunk(chunk, name)
                    if part.kept:
                        record("answers.imported", self.project, after={"file": name, "answers": part.kept})
                    if self.dry_run:
                        raise DryRun
            except DryRun:
                pass
            self.report.add(part)
            for entry in chunk:
                if isinstance(entry, ImportRow):
                    self.renamed |= columns_for(entry.value)
                    unread |= dict.fromkeys(_unread(entry))
        if unread:
            message = _("Columns that answers do not have are not read: %(columns)s.")
            names = ", ".join(list(unread)[:SHOWN_COLUMNS])
            self.report.tell([Problem(name, None, "", message % {"columns": names}, "warning")])

    def _chunk(self, chunk: Sequence[RowOrProblem], name: str) -> Report:
        part = Report()
        good: list[ReadAnswer] = []
        problems: list[Problem] = []
        for entry in chunk:
            outcome = read_answer(entry, name) if isinstance(entry, ImportRow) else [entry]
            if isinstance(outcome, ReadAnswer):
                good.append(outcome)
            else:
                problems += outcome
                faulty = outcome[0].line is not None
                part.rejected += faulty
                part.faults += not faulty
        rows_with_items, unknown = self._looked_up(good, name)
        part.rejected += len(unknown)
        self.authors.update(read_row.row.author for read_row, _item in rows_with_items)
        self.first += [read_row for read_row, _item in rows_with_items][: SHOWN_ROWS - len(self.first)]
        repeated = self._stored(rows_with_items, name)
        part.duplicates += len(repeated)
        part.kept += len(rows_with_items) - len(repeated)
        part.read = part.kept + part.duplicates + part.rejected
        part.tell(sorted([*problems, *unknown, *repeated, *self._waiting(rows_with_items, name)], key=_line))
        return part

    def _looked_up(self, good: Sequence[ReadAnswer], name: str) -> tuple[list[tuple[ReadAnswer, Item]], list[Problem]]:
        keys = {read_row.row.key for read_row in good}
        items = {item.key: item for item in self.project.items.filter(key__in=keys).only("pk", "key")}
        message = _("There is no item with the key “%(key)s” in this project. Import the items first.")
        unknown = [
            Problem(name, read_row.line, "key", message % {"key": read_row.row.key})
            for read_row in good
            if read_row.row.key not in items
        ]
        return [(read_row, items[read_row.row.key]) for read_row in good if read_row.row.key in items], unknown

    def _waiting(self, rows_with_items: Sequence[tuple[ReadAnswer, Item]], name: str) -> list[Problem]:
        """Warnings about answers that no judge reads yet. Call it once the answers are stored."""
        items = {item.pk for _read_row, item in rows_with_items}
        judged = set(judgeable(self.project).filter(pk__in=items).values_list("pk", flat=True))
        message = _("The item “%(key)s” is not accepted: its answer is kept, and judged once the item is accepted.")
        return [
            Problem(name, read_row.line, "key", message % {"key": item.key}, "warning")
            for read_row, item in rows_with_items
            if item.pk not in judged
        ]

    def _stored(self, rows_with_items: Sequence[tuple[ReadAnswer, Item]], name: str) -> list[Problem]:
        """Store the rows; gives the warnings about answers that were stored before."""
        if not rows_with_items:
            return []
        authors = authors_called(
            self.project, {read_row.row.author: _described(read_row) for read_row, _item in reversed(rows_with_items)}
        )
        hold(author.pk for author in authors.values())
        answers = [
            GivenAnswer(item.pk, authors[read_row.row.author].pk, read_row.row.text, read_row.row.sample)
            for read_row, item in rows_with_items
        ]
        were_new = store(answers, source=shown_name(name)[:SOURCE])
        message = _("This exact answer already exists.")
        pairs = zip(rows_with_items, were_new, strict=True)
        return [
            Problem(name, read_row.line, "", message, "warning") for (read_row, _item), is_new in pairs if not is_new
        ]


SHOWN_ROWS, SHOWN_COLUMNS = 5, 20  # of a file, in its report


def _unread(row: ImportRow) -> list[str]:
    """The columns that are passed over."""
    others = as_answer(row.value, FIELDS, is_table=False)[1]
    return [name for name in others if not meant(name, FIELDS)][:SHOWN_COLUMNS]


def import_files(*, project: Project, names: Iterable[str], dry_run: bool = False) -> Report:
    """Import the answers of these files; a file that cannot be read is a problem in the report.

    dry_run: only report what would happen. If several parts of a file contain the same key, a dry run may count the
    repetition as new.
    """
    return import_paths(project=project, paths=[(Path(name), name) for name in names], dry_run=dry_run).report


def import_paths(*, project: Project, paths: Iterable[tuple[Path, str]], dry_run: bool = False) -> Import:
    """The same for files whose name for people differs from their path here; with what a preview shows."""
    work = Import(project, dry_run)
    for path, name in paths:
        work.file(path, name)
    if work.report.kept >= CHUNK_ROWS and not dry_run:
        refresh_statistics([Answer, Author])
    return work


def _described(read_row: ReadAnswer) -> dict[str, str]:
    return {"sort": read_row.row.sort, "family": read_row.row.family, "provider": read_row.row.provider}


def _chunks(entries: Iterable[RowOrProblem]) -> Iterator[list[RowOrProblem]]:
    """Chunks of a fixed number of rows, or fewer if the rows are long."""
    chunk: list[RowOrProblem] = []
    characters = 0
    for entry in entries:
        chunk.append(entry)
        characters += len(str(entry.value.get("text", ""))) if isinstance(entry, ImportRow) else 0
        if len(chunk) >= CHUNK_ROWS or characters >= CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


def _line(problem: Problem) -> float:
    """Sort key: problems of whole files come last."""
    return float("inf") if problem.line is None else problem.line
