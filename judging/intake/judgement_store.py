"""Bulk storage of imported judgements: answers, verdicts and parts; and the base class of imports in chunks.

Everything here is called inside a transaction that has locked the authors.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from django.db import transaction

from annotate.audit.trail import record
from annotate.bulk_rows import BulkInsert
from annotate.formats.rows import Problem
from annotate.intake.report import Report, shown_name
from annotate.models import Project
from judging.answers.store import authors_called, hold
from judging.formats.format import Judgement, JudgementFormat, PairJudgement
from judging.intake.judgements import JudgedTarget, JudgedTargets, PreparedJudgement
from judging.models import Answer, Author, Judge, Part, Verdict
from judging.verdicts.judge_identity import judges_from_files
from lib.texts.stored_sentences import say as _

AuthorKey = tuple[int, int]  # item, author
Sign = tuple[str, tuple[tuple[str, float | None], ...]]  # how a verdict was read, and its parts


@dataclass(frozen=True)
class NewestVersion:
    """The current version of an author's first sample. text: None if only judgements of it are known."""

    pk: int
    version: int
    text: str | None


@dataclass(frozen=True)
class BroughtAnswer:
    """An answer that a judgement is about. text: None if unknown; note: for a new version."""

    place: AuthorKey
    text: str | None
    note: str = ""


@dataclass(frozen=True)
class Stored:
    """For each prepared judgement: whether it was new, and if not, whether it equals the stored one."""

    new: Sequence[bool]
    same: Sequence[bool]


def store(project: Project, prepared_rows: Sequence[PreparedJudgement], *, strategy: str, source: str) -> Stored:
    """Store the judgements; a further one by the same judge of the same answer changes nothing.

    An existing answer with the same text, or whose text the file does not hold, gets the verdict; any other text is a
    new version. A fixed number of queries.
    """
    authors = authors_called(project, {prepared_row.judgement.author: {} for prepared_row in prepared_rows})
    hold(author.pk for author in authors.values())
    judges = judges_called(project, {prepared_row.judgement.judge for prepared_row in prepared_rows}, strategy)
    answers = answers_about([_brought(prepared_row, authors) for prepared_row in prepared_rows], source)
    pairs = [
        (judges[prepared_row.judgement.judge].pk, answer)
        for prepared_row, answer in zip(prepared_rows, answers, strict=True)
    ]
    sign_by_pair = _stored_verdicts(pairs)
    new, same, fresh = [], [], []
    for prepared_row, pair in zip(prepared_rows, pairs, strict=True):
        new.append(pair not in sign_by_pair)
        same.append(not new[-1] and sign_by_pair[pair] == _sign(prepared_row))
        if new[-1]:
            sign_by_pair[pair] = _sign(prepared_row)
            fresh.append((prepared_row, pair))
    _insert(fresh, source)
    return Stored(new, same)


def judges_called(project: Project, names: set[str], strategy: str) -> dict[str, Judge]:
    judges = judges_from_files(project, [(name, strategy, "") for name in names])
    return {name: judge for (name, _strategy, _variant), judge in judges.items()}


def _brought(prepared_row: PreparedJudgement, authors: dict[str, Author]) -> BroughtAnswer:
    return BroughtAnswer(
        (prepared_row.target.item_id, authors[prepared_row.judgement.author].pk),
        prepared_row.judgement.text,
        prepared_row.older,
    )


def answers_about(brought_answers: Sequence[BroughtAnswer], source: str) -> list[int]:
    """Ids of the answers; missing ones are created, and a different text becomes a new version."""
    keys = {brought_answer.place for brought_answer in brought_answers}
    newest = _newest(keys)
    versions: dict[AuthorKey, tuple[int, str | None]] = {
        key: (newest_answer.version, newest_answer.text) for key, newest_answer in newest.items()
    }
    about, rows = [], []
    for brought_answer in brought_answers:
        version, text = versions.get(brought_answer.place, (0, None))
        if not version or (brought_answer.text is not None and brought_answer.text != text):
            version += 1
            versions[brought_answer.place] = version, brought_answer.text
            rows.append(
                (
                    *brought_answer.place,
                    version,
                    brought_answer.text or "",
                    brought_answer.text is not None,
                    brought_answer.note,
                )
            )
        about.append((*brought_answer.place, version))
    columns = ("item_id", "author_id", "version", "text", "known", "note")
    BulkInsert(Answer, columns, source=source).insert(rows)
    pk_by_key = _pks(keys) if rows else {}
    return [pk_by_key.get(key) or newest[key[0], key[1]].pk for key in about]


def _newest(keys: set[AuthorKey]) -> dict[AuthorKey, NewestVersion]:
    items, authors = {item for item, _author in keys}, {author for _item, author in keys}
    stored_answers = Answer.objects.filter(author__in=authors, item__in=items, sample=1).order_by("version")
    columns = stored_answers.values_list("pk", "item_id", "author_id", "version", "known", "text")
    return {
        (item, author): NewestVersion(pk, version, text if is_known else None)
        for pk, item, author, version, is_known, text in columns.iterator()
        if (item, author) in keys
    }


def _pks(keys: set[AuthorKey]) -> dict[tuple[int, int, int], int]:
    items, authors = {item for item, _author in keys}, {author for _item, author in keys}
    stored_answers = Answer.objects.filter(author__in=authors, item__in=items, sample=1)
    return {
        (item, author, version): pk for pk, item, author, version in stored_answers.values_list(*_PLACED).iterator()
    }


_PLACED = ("pk", "item_id", "author_id", "version")


def _stored_verdicts(pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Sign]:
    """Verdicts of these (judge, answer) that were imported before."""
    judges, answers = {judge for judge, _answer in pairs}, {answer for _judge, answer in pairs}
    stored_verdicts = Verdict.objects.single().filter(job=None, repeat=1, judge__in=judges, first__in=answers)
    verdicts = {pk: (judge, answer, reading) for pk, judge, answer, reading in stored_verdicts.values_list(*_READ)}
    parts: dict[int, list[tuple[str, float | None]]] = {pk: [] for pk in verdicts}
    stored_parts = Part.objects.filter(verdict__in=verdicts) if verdicts else Part.objects.none()
    for verdict, axis, score in (
        stored_parts.order_by("axis").values_list("verdict_id", "axis", "score_first").iterator()
    ):
        parts[verdict].append((axis, score))
    return {(judge, answer): (reading, tuple(sorted(parts[pk]))) for pk, (judge, answer, reading) in verdicts.items()}


_READ = ("pk", "judge_id", "first_id", "reading")


def _sign(prepared_row: PreparedJudgement) -> Sign:
    return prepared_row.reading, tuple(sorted((piece.axis, piece.score_first) for piece in prepared_row.pieces))


def _insert(fresh: Sequence[tuple[PreparedJudgement, tuple[int, int]]], source: str) -> None:
    columns = ("judge_id", "item_id", "case_sha", "first_id", "reading", "score_first", "note")
    rows = (
        (
            judge,
            prepared_row.target.item_id,
            prepared_row.target.sha256,
            answer,
            prepared_row.reading,
            prepared_row.score,
            prepared_row.note,
        )
        for prepared_row, (judge, answer) in fresh
    )
    BulkInsert(Verdict, columns, source=source).insert(rows)
    judges, answers = {pair[0] for _one, pair in fresh}, {pair[1] for _one, pair in fresh}
    stored_verdicts = Verdict.objects.single().filter(job=None, repeat=1, judge__in=judges, first__in=answers)
    pks = {
        (judge, answer): pk
        for pk, judge, answer in stored_verdicts.values_list("pk", "judge_id", "first_id").iterator()
    }
    columns = ("verdict_id", "axis", "label", "score_first", "weight", "reason", "joined")
    BulkInsert(Part, columns).insert(
        (pks[pair], piece.axis, piece.label, piece.score_first, piece.weight, piece.reason, piece.joined)
        for prepared_row, pair in fresh
        for piece in prepared_row.pieces
    )


# Base class of imports: reads a file in chunks, whatever its rows are about.


SOURCE = 255  # characters of Answer.source and Verdict.source
JudgementT = TypeVar("JudgementT", bound=Judgement | PairJudgement)


class PreparedRow(Protocol):
    """A judgement made ready to be stored."""

    @property
    def judgement(self) -> Judgement | PairJudgement: ...


Ready = TypeVar("Ready", bound=PreparedRow)


@dataclass
class JudgementReport(Report):
    """differences: the first thousand judgements whose own score is not what their parts give."""

    differences: list[dict[str, Any]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The shape of any import report; `score_differences` only if there are some."""
        more = {"score_differences": self.differences} if self.differences else {}
        return super().as_json() | more


class Intake(ABC, Generic[JudgementT, Ready]):
    """Takes a file in part by part, each in a short transaction."""

    def __init__(self, project: Project, file_format: JudgementFormat) -> None:
        self.report = JudgementReport()
        self.project = project
        self.format = file_format
        self._targets = JudgedTargets(project)

    @abstractmethod
    def prepared(self, judgement: JudgementT, target: JudgedTarget) -> Ready:
        """The form in which it is stored."""

    @abstractmethod
    def store(self, prepared_rows: Sequence[Ready], source: str) -> Stored:
        """Store the rows; called within a transaction."""

    def told(self, prepared_row: Ready, name: str) -> list[Problem]:
        """Problems of a new row."""
        return []

    def take(self, chunk: Sequence[JudgementT | Problem], name: str) -> None:
        problems = [entry for entry in chunk if isinstance(entry, Problem)]
        rejected = sum(problem.line is not None for problem in problems)
        good, unknown = self._looked_up([entry for entry in chunk if not isinstance(entry, Problem)], name)
        with transaction.atomic():
            stored = self.store(good, shown_name(name)[:SOURCE])
            if any(stored.new):
                values = {"file": shown_name(name), "judgements": sum(stored.new), "format": self.format.slug}
                record("judgements.imported", self.project, after=values)
        for prepared_row, is_new, is_same in zip(good, stored.new, stored.same, strict=True):
            if is_new:
                problems += self.told(prepared_row, name)
            elif not is_same:
                message = _("This judge already has another verdict on this answer; it was kept.")
                problems.append(Problem(name, prepared_row.judgement.line, self.format.said_in, message, "warning"))
        new_count = sum(stored.new)
        self.report.kept += new_count
        self.report.duplicates += len(good) - new_count
        self.report.rejected += rejected + len(unknown)
        self.report.faults += len(chunk) - rejected - len(good) - len(unknown)
        self.report.read += rejected + len(good) + len(unknown)
        self.report.tell(sorted([*problems, *unknown], key=_line))

    def _looked_up(self, judgements: Sequence[JudgementT], name: str) -> tuple[list[Ready], list[Problem]]:
        self._targets.find(judgements)
        good, unknown = [], []
        for judgement in judgements:
            target = self._targets.of(judgement)
            if isinstance(target, JudgedTarget):
                good.append(self.prepared(judgement, target))
            else:
                unknown.append(Problem(name, judgement.line, judgement.named_in, target))
        return good, unknown


def _line(problem: Problem) -> float:
    """Sort key: problems of whole files come last."""
    return float("inf") if problem.line is None else problem.line
