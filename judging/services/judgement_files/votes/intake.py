"""Takes a file of votes in part by part, each in a short transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from annotate.formats.rows import Problem
from annotate.models import Batch, Project
from annotate.services import importing
from annotate.services.importing.files import sha256_of, shown_name
from annotate.services.importing.rows import Settings
from judging.formats.base import JudgementFormat, Voted
from judging.services.judgement_files.intake import SOURCE, JudgementReport
from judging.services.judgement_files.votes import items, people, verdicts
from judging.services.judgement_files.votes.ready import Reader, Ready
from lib.texts.said import say as _

LEASE = timedelta(minutes=10)
COUNTED = ("read", "kept", "duplicates", "rejected", "problems", "unlisted")


@dataclass
class Brought:
    """What a row had that was not there. differs: paths of what is there already, said otherwise."""

    is_new: bool = False
    differs: list[str] = field(default_factory=list)


Fitting = list[tuple[Ready, items.Target, Brought]]


def begun(project: Project, file_format: JudgementFormat, path: Path, name: str) -> Batch:
    """The file in the list of imports of this project."""
    return importing.start(
        project=project,
        file_name=name,
        settings=Settings(format=file_format.slug),
        by=None,
        sha256=sha256_of(path),
        state=Batch.State.RUNNING,
        lease_until=timezone.now() + LEASE,
    )


class VoteIntake:
    """One file. Rows are kept where they bring an item, a vote or a verdict; where they bring nothing: duplicates."""

    def __init__(self, project: Project, file_format: JudgementFormat, path: Path, name: str) -> None:
        self.report = JudgementReport()
        self._project, self._name, self._source = project, name, shown_name(name)[:SOURCE]
        self._wanted, self._path = file_format, path
        self._reader = Reader(project)
        self._batch = self._begun(project)
        self._schema = project.kind.schema  # of votes

    def _begun(self, project: Project) -> Batch:
        return begun(project, self._wanted, self._path, self._name)

    def end(self) -> JudgementReport:
        """Write down in the list of imports what came of the file."""
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
            brought, against = self._store([outcome for outcome in outcomes if isinstance(outcome, Ready)])
        faults = sum(isinstance(outcome, Problem) and outcome.line is None for outcome in outcomes)
        kept_count = sum(change.is_new for change in brought)
        self.report.faults += faults
        self.report.read += len(chunk) - faults
        self.report.kept += kept_count
        self.report.duplicates += len(brought) - kept_count
        self.report.rejected += len(chunk) - faults - len(brought)
        self.report.tell(sorted([*problems, *against], key=_line))

    def _store(self, rows: Sequence[Ready]) -> tuple[list[Brought], list[Problem]]:
        """What each row brought, of those that fit the items that are there, and what is to be told of all of them."""
        new_lines = self._make(rows)
        targets = items.find(self._project, {row.voted.key for row in rows})
        fitting: Fitting = []
        problems = []
        for row in rows:
            against = _objection(row, targets[row.voted.key])
            if against is None:
                fitting.append((row, targets[row.voted.key], Brought(is_new=row.voted.line in new_lines)))
            else:
                problems.append(Problem(self._name, row.voted.line, *against))
        self._people(fitting)
        self._judges(fitting)
        problems += [problem for row, _target, brought in fitting for problem in told(row, brought, self._name)]
        return [brought for _row, _target, brought in fitting], problems

    def _make(self, rows: Sequence[Ready]) -> set[int]:
        """The lines of the rows by which items, or their ballots, were made."""
        fresh = _first_of_each(rows, items.find(self._project, {row.voted.key for row in rows}))
        items.make(self._project, self._batch, list(fresh.values()))
        targets = items.find(self._project, {row.voted.key for row in rows})
        bare: dict[str, Ready] = {}
        for row in rows:
            target = targets[row.voted.key]
            if not target.answers and target.content_hash == row.content_hash:
                bare.setdefault(row.voted.key, row)
        items.make_ballots(self._project, ((targets[key], row) for key, row in bare.items()), self._source)
        return {row.voted.line for row in (*fresh.values(), *bare.values())}

    def _people(self, fitting: Fitting) -> None:
        stored = people.there({target.pk for _row, target, _brought in fitting})
        new: list[tuple[people.Place, people.Draft]] = []
        for row, target, brought in fitting:
            for vote, draft in zip(row.voted.votes, row.drafts, strict=True):
                vote_key = target.pk, vote.rater
                if vote_key not in stored:
                    stored[vote_key] = draft
                    new.append((vote_key, draft))
                    brought.is_new = True
                elif stored[vote_key] != draft:
                    brought.differs.append(_("the vote of “%(rater)s”") % {"rater": vote.rater})
        people.store(new, schema=self._schema)
        voted = {item for (item, _rater), _draft in new}
        people.close_work(voted, self._batch.file_name)
        people.decide(voted)

    def _judges(self, fitting: Fitting) -> None:
        judges = verdicts.judges_named(
            self._project, (judgement for row, _target, _brought in fitting for judgement in row.voted.said)
        )
        verdict_rows = [
            (verdicts.row(target, judgement, judges), brought)
            for row, target, brought in fitting
            for judgement in row.voted.said
        ]
        stored = verdicts.there([verdict_row for verdict_row, _brought in verdict_rows])
        new = []
        for verdict_row, brought in verdict_rows:
            if verdict_row.place not in stored:
                stored[verdict_row.place] = verdict_row.content
                new.append(verdict_row)
                brought.is_new = True
            elif stored[verdict_row.place] != verdict_row.content:
                brought.differs.append(_("the verdict of “%(judge)s”") % {"judge": verdict_row.said.judge})
        verdicts.store(new, self._source)


def _first_of_each(rows: Sequence[Ready], targets: items.Targets) -> dict[str, Ready]:
    """key -> the row that makes its item: the first that brings votes, so that it is decided at once, or the first."""
    fresh: dict[str, Ready] = {}
    for row in rows:
        previous = fresh.get(row.voted.key)
        if row.voted.key not in targets and (previous is None or (row.drafts and not previous.drafts)):
            fresh[row.voted.key] = row
    return fresh


def _objection(row: Ready, target: items.Target) -> tuple[str, str] | None:
    """(path, message) where the item that is there is another one."""
    key = {"key": row.voted.key}
    if target.content_hash != row.content_hash:
        return "", _("The item “%(key)s” is here already with other texts; they stay as they are.") % key
    if target.authors != row.authors:
        return "", _("The item “%(key)s” is here already with answers of other authors.") % key
    return None


def told(row: Ready, brought: Brought, name: str) -> list[Problem]:
    """What is odd about a row that is kept, and what of it stays out because it is there already."""
    line = row.voted.line
    problems = [Problem(name, line, path, message, "warning") for path, message in row.voted.warnings if brought.is_new]
    if brought.differs:
        message = _("Already here and said otherwise: %(what)s. What is here stays.")
        problems.append(Problem(name, line, "", message % {"what": ", ".join(brought.differs)}, "warning"))
    return problems


def _line(problem: Problem) -> float:
    """Problems of whole files come last."""
    return float("inf") if problem.line is None else problem.line
