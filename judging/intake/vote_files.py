"""Import of files of votes in chunks with short transactions, and storage of the judges' verdicts in them.

A judge has one verdict for each order in which it saw the answers.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from annotate.audit.trail import record
from annotate.bulk_rows import BulkInsert
from annotate.formats.rows import Problem
from annotate.intake import batches
from annotate.intake.report import sha256_of, shown_name
from annotate.intake.row_reader import Settings
from annotate.models import Batch, Project
from judging.formats.format import JudgementFormat, JudgeStatement, Voted
from judging.intake import vote_items
from judging.intake.judgement_store import SOURCE, JudgementReport
from judging.intake.vote_items import ReadyVote, VoteRowReader, VoteTarget
from judging.models import Judge, Part, Verdict
from judging.verdicts.judge_identity import JudgeKey, judges_from_files
from lib.texts.stored_sentences import say as _


class VoteVerdictKey(NamedTuple):
    """The key of an imported verdict."""

    judge: int
    first: int
    second: int | None
    swapped: bool


_PLACED = ("judge_id", "first_id", "second_id", "swapped")


class VoteVerdictContent(NamedTuple):
    """The content of a verdict. axes: criterion -> score, in their order."""

    reading: str
    choice: str
    score_first: float | None
    axes: tuple[tuple[str, float | None], ...] = ()


class VoteVerdictRow(NamedTuple):
    target: VoteTarget
    place: VoteVerdictKey
    content: VoteVerdictContent
    said: JudgeStatement


def judges_named(project: Project, judgements: Iterable[JudgeStatement]) -> dict[JudgeKey, Judge]:
    """The judges of these statements; missing ones are created."""
    return judges_from_files(project, {_judge_key(judgement) for judgement in judgements})


def _judge_key(judgement: JudgeStatement) -> JudgeKey:
    return judgement.judge, judgement.strategy, judgement.variant


def make_verdict_row(target: VoteTarget, judgement: JudgeStatement, judges: dict[JudgeKey, Judge]) -> VoteVerdictRow:
    second = target.answers[1] if len(target.answers) > 1 else None
    verdict_key = VoteVerdictKey(judges[_judge_key(judgement)].pk, target.answers[0], second, judgement.swapped)
    axes = tuple(sorted((axis, score) for axis, score in judgement.scores.items() if axis))
    reading = Verdict.Reading.OK if judgement.choice or judgement.scores else Verdict.Reading.UNPARSED
    return VoteVerdictRow(
        target,
        verdict_key,
        VoteVerdictContent(reading.value, judgement.choice or "", judgement.scores.get(""), axes),
        judgement,
    )


def stored_vote_verdicts(rows: Sequence[VoteVerdictRow]) -> dict[VoteVerdictKey, VoteVerdictContent]:
    """Verdicts of these judges on these answers that were imported before. Two queries."""
    judges, answers = {row.place.judge for row in rows}, {row.place.first for row in rows}
    verdicts = Verdict.objects.filter(job=None, repeat=1, top=None, judge__in=judges, first__in=answers)
    axes: dict[int, list[tuple[str, float | None]]] = defaultdict(list)
    parts = Part.objects.filter(verdict__in=verdicts.single()).order_by("axis")
    for verdict, axis, score in parts.values_list("verdict_id", "axis", "score_first").iterator(2000):
        axes[verdict].append((axis, score))
    columns = verdicts.values_list("pk", *_PLACED, "reading", "choice", "score_first")
    return {
        VoteVerdictKey(*values[:4]): VoteVerdictContent(values[4], values[5], values[6], tuple(axes.get(pk, ())))
        for pk, *values in columns.iterator(2000)
    }


def store_vote_verdicts(rows: Sequence[VoteVerdictRow], source: str) -> None:
    """Store the verdicts. case_sha: for kinds without candidates, the facts are what a judge saw."""
    columns = ("item_id", "case_sha", "reason", "note", *_PLACED, "reading", "choice", "score_first")
    BulkInsert(Verdict, columns, source=source).insert(
        (row.target.pk, row.target.content_hash, row.said.reason, row.said.instead, *row.place, *row.content[:3])
        for row in rows
    )
    _store_parts([row for row in rows if row.content.axes])


def _store_parts(rows: Sequence[VoteVerdictRow]) -> None:
    if not rows:
        return
    judges, answers = {row.place.judge for row in rows}, {row.place.first for row in rows}
    verdicts = Verdict.objects.single().filter(job=None, repeat=1, top=None, judge__in=judges, first__in=answers)
    pks = {VoteVerdictKey(*verdict_key): pk for pk, *verdict_key in verdicts.values_list("pk", *_PLACED).iterator(2000)}
    BulkInsert(Part, ("verdict_id", "axis", "label", "score_first")).insert(
        (pks[row.place], axis, axis, score) for row in rows for axis, score in row.content.axes
    )


# The import: each chunk is one transaction.


LEASE = timedelta(minutes=10)
COUNTED = ("read", "kept", "duplicates", "rejected", "problems", "unlisted")


@dataclass
class NewVoteContent:
    """The new content of a row. differs: paths of content that is stored already with another value."""

    is_new: bool = False
    differs: list[str] = field(default_factory=list)


Fitting = list[tuple[ReadyVote, vote_items.VoteTarget, NewVoteContent]]


def begin_batch(project: Project, file_format: JudgementFormat, path: Path, name: str) -> Batch:
    """The file in the list of imports of this project."""
    return batches.start(
        project=project,
        file_name=name,
        settings=Settings(format=file_format.slug),
        by=None,
        sha256=sha256_of(path),
        state=Batch.State.RUNNING,
        lease_until=timezone.now() + LEASE,
    )


class VoteIntake:
    """One file. Rows with a new item, vote or verdict are kept; rows with nothing new are duplicates."""

    def __init__(self, project: Project, file_format: JudgementFormat, path: Path, name: str) -> None:
        self.report = JudgementReport()
        self._project, self._name, self._source = project, name, shown_name(name)[:SOURCE]
        self._wanted, self._path = file_format, path
        self._reader = VoteRowReader(project)
        self._batch = self._begun(project)
        self._schema = project.kind.schema  # of votes

    def _begun(self, project: Project) -> Batch:
        return begin_batch(project, self._wanted, self._path, self._name)

    def end(self) -> JudgementReport:
        """Record the outcome of the file in the list of imports."""
        counts = {name: getattr(self.report, name) for name in COUNTED}
        state = Batch.State.DONE if self.report.read else Batch.State.FAILED
        batches = Batch.objects.filter(pk__in=self._batches)
        batches.update(**counts, state=state, lease_until=None, finished_at=timezone.now())
        return self.report

    @property
    def _batches(self) -> list[int]:
        return [self._batch.pk]

    def take(self, chunk: Sequence[Voted | Problem]) -> None:
        """A part of the file, in one transaction."""
        outcomes = [row if isinstance(row, Problem) else self._reader.read(row, self._name) for row in chunk]
        problems = [outcome for outcome in outcomes if isinstance(outcome, Problem)]
        problems += [problem for outcome in outcomes if isinstance(outcome, list) for problem in outcome]
        with transaction.atomic():
            # One import at a time writes into a project, so that no two of them can store the same row.
            Project.objects.select_for_update(no_key=True).get(pk=self._project.pk)
            brought, against = self._store([outcome for outcome in outcomes if isinstance(outcome, ReadyVote)])
            if new_count := sum(change.is_new for change in brought):
                record("judgements.imported", self._project, after={"file": self._source, "judgements": new_count})
        faults = sum(isinstance(outcome, Problem) and outcome.line is None for outcome in outcomes)
        kept_count = sum(change.is_new for change in brought)
        self.report.faults += faults
        self.report.read += len(chunk) - faults
        self.report.kept += kept_count
        self.report.duplicates += len(brought) - kept_count
        self.report.rejected += len(chunk) - faults - len(brought)
        self.report.tell(sorted([*problems, *against], key=_line))

    def _store(self, rows: Sequence[ReadyVote]) -> tuple[list[NewVoteContent], list[Problem]]:
        """The new content of each row that fits the existing items, and the problems of all rows."""
        new_lines = self._make(rows)
        targets = vote_items.find_vote_items(self._project, {row.voted.key for row in rows})
        fitting: Fitting = []
        problems = []
        for row in rows:
            against = _objection(row, targets[row.voted.key])
            if against is None:
                fitting.append((row, targets[row.voted.key], NewVoteContent(is_new=row.voted.line in new_lines)))
            else:
                problems.append(Problem(self._name, row.voted.line, *against))
        self._people(fitting)
        self._judges(fitting)
        problems += [problem for row, _target, brought in fitting for problem in row_warnings(row, brought, self._name)]
        return [brought for _row, _target, brought in fitting], problems

    def _make(self, rows: Sequence[ReadyVote]) -> set[int]:
        """The lines of the rows from which items, or their ballots, were created."""
        fresh = _first_of_each(rows, vote_items.find_vote_items(self._project, {row.voted.key for row in rows}))
        vote_items.make_vote_items(self._project, self._batch, list(fresh.values()))
        targets = vote_items.find_vote_items(self._project, {row.voted.key for row in rows})
        bare: dict[str, ReadyVote] = {}
        for row in rows:
            target = targets[row.voted.key]
            if not target.answers and target.content_hash == row.content_hash:
                bare.setdefault(row.voted.key, row)
        vote_items.make_ballots(self._project, ((targets[key], row) for key, row in bare.items()), self._source)
        return {row.voted.line for row in (*fresh.values(), *bare.values())}

    def _people(self, fitting: Fitting) -> None:
        stored = vote_items.stored_votes({target.pk for _row, target, _brought in fitting})
        new: list[tuple[vote_items.RaterKey, vote_items.Draft]] = []
        for row, target, brought in fitting:
            for vote, draft in zip(row.voted.votes, row.drafts, strict=True):
                vote_key = target.pk, vote.rater
                if vote_key not in stored:
                    stored[vote_key] = draft
                    new.append((vote_key, draft))
                    brought.is_new = True
                elif stored[vote_key] != draft:
                    brought.differs.append(_("the vote of “%(rater)s”") % {"rater": vote.rater})
        vote_items.store_votes(new, schema=self._schema)
        voted = {item for (item, _rater), _draft in new}
        vote_items.close_work(voted, self._batch.file_name)
        vote_items.decide(voted)

    def _judges(self, fitting: Fitting) -> None:
        judges = judges_named(
            self._project, (judgement for row, _target, _brought in fitting for judgement in row.voted.said)
        )
        verdict_rows = [
            (make_verdict_row(target, judgement, judges), brought)
            for row, target, brought in fitting
            for judgement in row.voted.said
        ]
        stored = stored_vote_verdicts([verdict_row for verdict_row, _brought in verdict_rows])
        new = []
        for verdict_row, brought in verdict_rows:
            if verdict_row.place not in stored:
                stored[verdict_row.place] = verdict_row.content
                new.append(verdict_row)
                brought.is_new = True
            elif stored[verdict_row.place] != verdict_row.content:
                brought.differs.append(_("the verdict of “%(judge)s”") % {"judge": verdict_row.said.judge})
        store_vote_verdicts(new, self._source)


def _first_of_each(rows: Sequence[ReadyVote], targets: vote_items.VoteTargets) -> dict[str, ReadyVote]:
    """key -> the row for its item: the first with votes, so that the item is decided at once, else the first."""
    fresh: dict[str, ReadyVote] = {}
    for row in rows:
        previous = fresh.get(row.voted.key)
        if row.voted.key not in targets and (previous is None or (row.drafts and not previous.drafts)):
            fresh[row.voted.key] = row
    return fresh


def _objection(row: ReadyVote, target: vote_items.VoteTarget) -> tuple[str, str] | None:
    """(path, message) if the existing item is a different one."""
    key = {"key": row.voted.key}
    if target.content_hash != row.content_hash:
        return "", _("The item “%(key)s” already exists with other texts; they were kept.") % key
    if target.authors != row.authors:
        return "", _("The item “%(key)s” already exists with answers of other authors.") % key
    return None


def row_warnings(row: ReadyVote, brought: NewVoteContent, name: str) -> list[Problem]:
    """Warnings about a row that is kept, and about its parts that are skipped because they exist already."""
    line = row.voted.line
    problems = [Problem(name, line, path, message, "warning") for path, message in row.voted.warnings if brought.is_new]
    if brought.differs:
        message = _("Already stored with another value: %(what)s. The stored value was kept.")
        problems.append(Problem(name, line, "", message % {"what": ", ".join(brought.differs)}, "warning"))
    return problems


def _line(problem: Problem) -> float:
    """Sort key: problems of whole files come last."""
    return float("inf") if problem.line is None else problem.line
