"""Import of files of judgements in chunks with short transactions: gold and perturbed pairs, checklists, and votes.

Judgements of gold and perturbed answers are stored like the verdicts that a run of ours would have left. Importing a
file again yields only duplicates.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from django.db import transaction

from annotate.bulk_rows import BulkInsert, refresh_statistics
from annotate.formats.rows import Problem
from annotate.intake.report import LISTED
from annotate.models import Annotation, Item, Project
from judging.answers.store import authors_called, hold
from judging.formats.format import CheckedAnswer, Judgement, JudgementFormat, PairJudgement, Voted
from judging.intake.checklist_verdicts import CheckedIntake
from judging.intake.held_pairs import HeldIntake
from judging.intake.judgement_store import (
    BroughtAnswer,
    Intake,
    JudgementReport,
    Stored,
    answers_about,
    judges_called,
    store,
)
from judging.intake.judgements import JudgedTarget, PreparedJudgement, prepare
from judging.intake.vote_files import VoteIntake
from judging.models import Answer, Author, Ballot, Judge, Part, Verdict
from lib.stats.blindspots import PAIRWISE, SINGLE
from lib.texts.stored_sentences import say as _

SORTS = {"gold": Author.Sort.GOLD.value, "perturbed": Author.Sort.PERTURBED.value}  # author -> its sort


@dataclass(frozen=True)
class PreparedPair:
    judgement: PairJudgement
    target: JudgedTarget


class PairVerdictKey(NamedTuple):
    """The key of a verdict. scaled: with a reference, so that the scale has a top."""

    judge: int
    first: int
    second: int | None
    swapped: bool
    scaled: bool


class PairVerdictContent(NamedTuple):
    """The content of a verdict."""

    reading: str
    score_first: float | None
    choice: str
    top: float | None
    found_in_explanation: bool | None


class PairVerdictRow(NamedTuple):
    item: int
    sha256: str
    reference: int | None
    place: PairVerdictKey
    content: PairVerdictContent


class PairIntake(Intake[PairJudgement, PreparedPair]):
    def prepared(self, judgement: PairJudgement, target: JudgedTarget) -> PreparedPair:
        return PreparedPair(judgement, target)

    def store(self, prepared_rows: Sequence[PreparedPair], source: str) -> Stored:
        return store_pairs(self.project, prepared_rows, source=source)


def store_pairs(project: Project, prepared_rows: Sequence[PreparedPair], *, source: str) -> Stored:
    """Store two verdicts for scores or choices, one if there is a reference; existing verdicts are kept.

    The number of queries depends on the number of strategies, not on the number of rows.
    """
    authors = authors_called(project, {name: {"sort": sort} for name, sort in SORTS.items()})
    hold(author.pk for author in authors.values())
    judges = _judges(project, prepared_rows)
    answers = _answers(prepared_rows, authors, source)
    rows = [
        list(
            _rows(
                prepared_row, judges[prepared_row.judgement.judge, prepared_row.judgement.strategy].pk, gold, perturbed
            )
        )
        for prepared_row, (gold, perturbed) in zip(prepared_rows, answers, strict=True)
    ]
    content_by_key = _stored_pair_verdicts(rows)
    new, same, fresh = [], [], []
    for verdicts in rows:
        missing = [row for row in verdicts if row.place not in content_by_key]
        new.append(bool(missing))
        same.append(not missing and all(content_by_key[row.place] == row.content for row in verdicts))
        content_by_key |= {row.place: row.content for row in missing}
        fresh += missing
    _insert(fresh, source)
    return Stored(new, same)


def _judges(project: Project, prepared_rows: Sequence[PreparedPair]) -> dict[tuple[str, str], Judge]:
    judge_keys = {(prepared_row.judgement.judge, prepared_row.judgement.strategy) for prepared_row in prepared_rows}
    return {
        (name, strategy): judge
        for strategy in sorted({strategy for _name, strategy in judge_keys})
        for name, judge in judges_called(
            project, {name for name, judge_strategy in judge_keys if judge_strategy == strategy}, strategy
        ).items()
    }


def _answers(prepared_rows: Sequence[PreparedPair], authors: dict[str, Author], source: str) -> list[tuple[int, int]]:
    """(gold, perturbed) for each row, with the item's own texts if it holds them."""
    pairs = [[_brought(prepared_row.target, authors[name]) for prepared_row in prepared_rows] for name in SORTS]
    answer_pks = answers_about([*pairs[0], *pairs[1]], source)
    return list(zip(answer_pks[: len(prepared_rows)], answer_pks[len(prepared_rows) :], strict=True))


def _brought(target: JudgedTarget, author: Author) -> BroughtAnswer:
    held = target.answers.get(author.name)
    return BroughtAnswer((target.item_id, author.pk), held[1] if held else None)


def _rows(prepared_row: PreparedPair, judge: int, gold: int, perturbed: int) -> Iterator[PairVerdictRow]:
    judgement, item, sha256 = prepared_row.judgement, prepared_row.target.item_id, prepared_row.target.sha256
    if judgement.shape == PAIRWISE.name:
        for swapped, choice in enumerate((judgement.gold_first, judgement.perturbed_first)):
            key = PairVerdictKey(judge, gold, perturbed, bool(swapped), scaled=False)
            yield PairVerdictRow(item, sha256, None, key, _content(choice=choice, found=judgement.found))
        return
    if judgement.shape == SINGLE.name:
        yield PairVerdictRow(
            item, sha256, None, PairVerdictKey(judge, gold, None, False, scaled=False), _content(score=judgement.gold)
        )
    key = PairVerdictKey(judge, perturbed, None, False, scaled=judgement.top is not None)
    content = _content(score=judgement.perturbed, top=judgement.top, found=judgement.found)
    yield PairVerdictRow(item, sha256, gold if key.scaled else None, key, content)


def _content(
    *, score: float | None = None, choice: str | None = None, top: float | None = None, found: bool | None = None
) -> PairVerdictContent:
    was_read = score is not None or choice is not None
    reading = Verdict.Reading.OK if was_read else Verdict.Reading.UNPARSED
    return PairVerdictContent(reading.value, score, choice or "", top, found)


def _stored_pair_verdicts(rows: Sequence[Sequence[PairVerdictRow]]) -> dict[PairVerdictKey, PairVerdictContent]:
    """Verdicts of these judges on these answers that were imported before."""
    keys = [row.place for verdicts in rows for row in verdicts]
    judges, answers = {key.judge for key in keys}, {key.first for key in keys}
    stored_verdicts = Verdict.objects.filter(job=None, repeat=1, judge__in=judges, first__in=answers)
    columns: tuple[Any, ...] = ("judge_id", "first_id", "second_id", "swapped", *PairVerdictContent._fields)
    content_by_key = {}
    for judge, first, second, swapped, *content in stored_verdicts.values_list(*columns).iterator():
        verdict_content = PairVerdictContent(*content)
        content_by_key[PairVerdictKey(judge, first, second, swapped, verdict_content.top is not None)] = verdict_content
    return content_by_key


def _insert(fresh: Sequence[PairVerdictRow], source: str) -> None:
    columns = (
        "item_id",
        "case_sha",
        "reference_id",
        "judge_id",
        "first_id",
        "second_id",
        "swapped",
        *PairVerdictContent._fields,
    )
    BulkInsert(Verdict, columns, source=source).insert(
        (row.item, row.sha256, row.reference, *row.place[:4], *row.content) for row in fresh
    )


# The import itself.


CHUNK, CHUNK_CHARACTERS = 1000, 8_000_000
FileRow = Judgement | PairJudgement | Voted | CheckedAnswer | Problem


def import_judgements(
    *,
    project: Project,
    files: Iterable[tuple[Path, str]],
    wanted: JudgementFormat,
    options: Mapping[str, str] | None = None,
    strict: bool = False,
    dry_run: bool = False,
) -> JudgementReport:
    """Import files of one format, each with its name for people.

    Existing judgements are duplicates and are kept; a judgement of an unknown item is rejected with its line number,
    unless the rows of the format contain their items.
    strict: keep nothing if any row or file has an error; dry_run: never keep anything. Both read all files in one
    transaction, which is rolled back: on SQLite, other writers wait that long.
    Raises BadOption, and Refused if there is no project for the votes.
    """
    complete_options = wanted.complete(options or {})
    if not strict and not dry_run:
        return _take_in(project, files, wanted, complete_options)
    with transaction.atomic():
        report = _take_in(project, files, wanted, complete_options)
        refused = strict and not report.flawless
        transaction.set_rollback(dry_run or refused)
    if refused:
        report.refuse_all()
        report.tell([Problem("", None, "", _("Nothing was imported, because there are errors (--strict)."))])
    return report


def _take_in(
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


class ChecklistIntake(Intake[Judgement, PreparedJudgement]):
    """Judgements of single answers, question by question."""

    def prepared(self, judgement: Judgement, target: JudgedTarget) -> PreparedJudgement:
        return prepare(judgement, target)

    def store(self, prepared_rows: Sequence[PreparedJudgement], source: str) -> Stored:
        return store(self.project, prepared_rows, strategy=self.format.strategy, source=source)

    def told(self, prepared_row: PreparedJudgement, name: str) -> list[Problem]:
        line = prepared_row.judgement.line
        if prepared_row.difference and len(self.report.differences) < LISTED:
            file_score, ours = prepared_row.difference
            self.report.differences.append({"file": name, "line": line, "score": file_score, "computed": ours})
        return [Problem(name, line, self.format.said_in, prepared_row.oddity, "warning")] if prepared_row.oddity else []


def _chunks(entries: Iterable[FileRow]) -> Iterator[list[Any]]:
    """Chunks of a fixed number of judgements, fewer if they are long, so that memory does not grow with the texts."""
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


def _length(entry: FileRow) -> int:
    if isinstance(entry, Voted):
        return sum(len(side.text or "") for side in entry.sides) + sum(
            len(judgement.reason) for judgement in entry.said
        )
    if not isinstance(entry, Judgement):
        return 0
    text_length = sum(len(key) + len(verdict.reason) for key, verdict in entry.said.items())
    return text_length + len(entry.text or "") + sum(map(len, entry.texts.values()))
