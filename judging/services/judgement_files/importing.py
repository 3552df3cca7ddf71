"""Files of others' judgements: read in parts, stored in short transactions. Doing it again makes only duplicates."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.db import transaction

from annotate.formats.rows import Problem
from annotate.models import Annotation, Item, Project
from annotate.services.importing.report import LISTED
from annotate.services.importing.table import refresh_statistics
from judging.formats.base import Checked, Judgement, JudgementFormat, PairJudgement, Voted
from judging.models import Answer, Author, Ballot, Part, Verdict
from judging.services.judgement_files.intake import Intake, JudgementReport
from judging.services.judgement_files.pairs import PairIntake
from judging.services.judgement_files.reading import Prepared, prepare
from judging.services.judgement_files.storing import Stored, store
from judging.services.judgement_files.targets import Target
from judging.services.judgement_files.votes.checked import CheckedIntake
from judging.services.judgement_files.votes.held import HeldIntake
from judging.services.judgement_files.votes.intake import VoteIntake
from lib.texts.said import say as _

CHUNK, CHUNK_CHARACTERS = 1000, 8_000_000
Each = Judgement | PairJudgement | Voted | Checked | Problem


def import_judgements(
    *,
    project: Project,
    files: Iterable[tuple[Path, str]],
    wanted: JudgementFormat,
    options: Mapping[str, str] | None = None,
    strict: bool = False,
    dry_run: bool = False,
) -> JudgementReport:
    """Take in files of one format, each with the name that people call it by.

    What is there already is a duplicate and stays as it is; a judgement of an unknown item is rejected by its line,
    unless the rows of the format bring their items along.
    strict: keep nothing if any row or file has an error; dry_run: keep nothing anyhow. Both read all files in one
    transaction, which ends as if it had never been: others who write on SQLite wait that long.
    Raises BadOption, and Refused where votes have no place to go to.
    """
    complete_options = wanted.complete(options or {})
    if not strict and not dry_run:
        return _taken(project, files, wanted, complete_options)
    with transaction.atomic():
        report = _taken(project, files, wanted, complete_options)
        refused = strict and not report.flawless
        transaction.set_rollback(dry_run or refused)
    if refused:
        report.refuse_all()
        report.tell([Problem("", None, "", _("Nothing was kept, because not everything is right (--strict)."))])
    return report


def _taken(
    project: Project, files: Iterable[tuple[Path, str]], file_format: JudgementFormat, options: Mapping[str, str]
) -> JudgementReport:
    if file_format.of_votes or file_format.of_people:
        return _votes(project, files, file_format, options)
    work: Intake[Any, Any] = (PairIntake if file_format.of_pairs else ChecklistIntake)(project, file_format)
    for path, name in files:
        for chunk in _chunks(file_format.read(path, name=name, options=options)):
            work.take(chunk, name)
    if work.report.kept >= CHUNK:
        refresh_statistics([Author, Answer, Verdict, Part])
    return work.report


def _votes(
    project: Project, files: Iterable[tuple[Path, str]], file_format: JudgementFormat, options: Mapping[str, str]
) -> JudgementReport:
    report = JudgementReport()
    for path, name in files:
        work = _intake_of(project, file_format)(project, file_format, path, name)
        for chunk in _chunks(file_format.read(path, name=name, options=options)):
            work.take(chunk)
        report.add(work.end())
    if report.kept >= CHUNK:
        refresh_statistics([Item, Annotation, Author, Answer, Ballot, Verdict])
    return report


def _intake_of(project: Project, file_format: JudgementFormat) -> type[CheckedIntake] | type[VoteIntake]:
    if file_format.of_people:
        return CheckedIntake
    return HeldIntake if project.kind.holds_pairs else VoteIntake


class ChecklistIntake(Intake[Judgement, Prepared]):
    """Judgements of single answers, question by question."""

    def prepared(self, judgement: Judgement, target: Target) -> Prepared:
        return prepare(judgement, target)

    def store(self, prepared_rows: Sequence[Prepared], source: str) -> Stored:
        return store(self.project, prepared_rows, strategy=self.format.strategy, source=source)

    def told(self, prepared_row: Prepared, name: str) -> list[Problem]:
        line = prepared_row.judgement.line
        if prepared_row.difference and len(self.report.differences) < LISTED:
            file_score, ours = prepared_row.difference
            self.report.differences.append({"file": name, "line": line, "score": file_score, "computed": ours})
        return [Problem(name, line, self.format.said_in, prepared_row.oddity, "warning")] if prepared_row.oddity else []


def _chunks(entries: Iterable[Each]) -> Iterator[list[Any]]:
    """Of so many judgements, or fewer where they are long, so that memory does not grow with a file's texts."""
    chunk: list[Any] = []
    characters = 0
    for entry in entries:
        chunk.append(entry)
        characters += _length(entry)
        if len(chunk) >= CHUNK or characters >= CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


def _length(entry: Each) -> int:
    if isinstance(entry, Voted):
        return sum(len(side.text or "") for side in entry.sides) + sum(
            len(judgement.reason) for judgement in entry.said
        )
    if not isinstance(entry, Judgement):
        return 0
    text_length = sum(len(key) + len(verdict.reason) for key, verdict in entry.said.items())
    return text_length + len(entry.text or "") + sum(map(len, entry.texts.values()))
