"""Takes a file of votes in part by part, each in a short transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.formats.rows import Problem
from annotate.models import Batch, Project
from annotate.services import importing
from annotate.services.importing.files import sha256_of, shown_name
from annotate.services.importing.rows import Settings
from judging.formats.base import JudgementFormat, Voted
from judging.services.judgement_files.intake import SOURCE, JudgementReport
from judging.services.judgement_files.votes import items, people, verdicts
from judging.services.judgement_files.votes.ready import Reader, Ready

LEASE = timedelta(minutes=10)


@dataclass
class Brought:
    """What a row had that was not there. differs: paths of what is there already, said otherwise."""

    is_new: bool = False
    differs: list[str] = field(default_factory=list)


class VoteIntake:
    """Rows are kept where they bring an item, a vote or a verdict; where they bring nothing they are duplicates."""

    def __init__(self, project: Project, wanted: JudgementFormat) -> None:
        self.report = JudgementReport()
        self._project, self._format = project, wanted
        self._reader = Reader(project)
        self._batch: Batch | None = None

    def begin(self, path: Path, name: str) -> None:
        self._batch = importing.start(
            project=self._project,
            file_name=name,
            settings=Settings(format=self._format.slug),
            by=None,
            sha256=sha256_of(path),
            state=Batch.State.RUNNING,
            lease_until=timezone.now() + LEASE,
        )
        self._before = JudgementReport(**vars(self.report) | {"problems": list(self.report.problems)})

    def end(self) -> None:
        """Write down in the list of imports what came of the file."""
        assert self._batch is not None
        before, now = self._before, self.report
        counts = {
            name: getattr(now, name) - getattr(before, name) for name in ("read", "kept", "duplicates", "rejected")
        }
        state = Batch.State.DONE if counts["read"] else Batch.State.FAILED
        problems = now.problems[len(before.problems) :]
        Batch.objects.filter(pk=self._batch.pk).update(
            **counts, state=state, problems=problems, lease_until=None, finished_at=timezone.now()
        )

    def take(self, chunk: Sequence[Voted | Problem], name: str) -> None:
        problems = [each for each in chunk if isinstance(each, Problem)]
        faults = sum(problem.line is None for problem in problems)
        good: list[Ready] = []
        refused = len(problems) - faults
        for each in chunk:
            if isinstance(each, Problem):
                continue
            found = self._reader.read(each, name)
            if isinstance(found, Ready):
                good.append(found)
            else:
                refused += 1
                problems += found
        with transaction.atomic():
            # One import at a time writes into a project, so that no two of them can store the same row.
            Project.objects.select_for_update(no_key=True).get(pk=self._project.pk)
            brought = self._store(good, name, problems)
        kept = sum(one.is_new for one in brought)
        self.report.faults += faults
        self.report.read += len(chunk) - faults
        self.report.kept += kept
        self.report.duplicates += len(brought) - kept
        self.report.rejected += refused + len(good) - len(brought)
        self.report.tell(sorted(problems, key=_line))

    def _store(self, rows: Sequence[Ready], name: str, problems: list[Problem]) -> list[Brought]:
        """What each row brought, of those that fit the items that are there; the others become problems."""
        source = shown_name(name)[:SOURCE]
        made = self._make(rows, source)
        targets = items.find(self._project, {row.voted.key for row in rows})
        fitting = []
        for row in rows:
            against = _objection(row, targets[row.voted.key])
            if against is None:
                fitting.append((row, targets[row.voted.key], Brought(is_new=row.voted.line in made)))
            else:
                problems.append(Problem(name, row.voted.line, *against))
        self._people(fitting)
        self._judges(fitting, source)
        for row, _target, brought in fitting:
            problems += _told(row, brought, name)
        return [brought for _row, _target, brought in fitting]

    def _make(self, rows: Sequence[Ready], source: str) -> set[int]:
        """The lines of the rows whose items, or ballots, were not there; of several about one the first makes it."""
        assert self._batch is not None
        known = items.find(self._project, {row.voted.key for row in rows})
        fresh: dict[str, Ready] = {}
        for row in rows:
            # Whoever of the rows brings votes makes the item, so that it is decided at once.
            if row.voted.key not in known and (row.voted.key not in fresh or _brings_votes(row, fresh[row.voted.key])):
                fresh[row.voted.key] = row
        items.make(self._project, self._batch, list(fresh.values()))
        targets = items.find(self._project, {row.voted.key for row in rows})
        bare: dict[str, Ready] = {}
        for row in rows:
            target = targets[row.voted.key]
            if not target.answers and target.content_hash == row.content_hash:
                bare.setdefault(row.voted.key, row)
        items.make_ballots(self._project, ((targets[key], row) for key, row in bare.items()), source)
        return {row.voted.line for row in (*fresh.values(), *bare.values())}

    def _people(self, fitting: Sequence[tuple[Ready, items.Target, Brought]]) -> None:
        there = people.there({target.pk for _row, target, _brought in fitting})
        new: list[tuple[people.Place, people.Draft]] = []
        for row, target, brought in fitting:
            for vote, draft in zip(row.voted.votes, row.drafts, strict=True):
                place = target.pk, vote.rater
                if place not in there:
                    there[place] = draft
                    new.append((place, draft))
                    brought.is_new = True
                elif there[place] != draft:
                    brought.differs.append(_("the vote of “%(rater)s”") % {"rater": vote.rater})
        people.store(new, schema=self._project.kind.schema)
        people.decide({item for (item, _rater), _draft in new})

    def _judges(self, fitting: Sequence[tuple[Ready, items.Target, Brought]], source: str) -> None:
        judges = verdicts.judges_named(
            self._project, (said for row, _target, _brought in fitting for said in row.voted.said)
        )
        told = [
            (verdicts.row(target, said, judges), brought) for row, target, brought in fitting for said in row.voted.said
        ]
        there = verdicts.there([one for one, _brought in told])
        new = []
        for one, brought in told:
            if one.place not in there:
                there[one.place] = one.content
                new.append(one)
                brought.is_new = True
            elif there[one.place] != one.content:
                brought.differs.append(_("the verdict of “%(judge)s”") % {"judge": one.said.judge})
        verdicts.store(new, source)


def _brings_votes(row: Ready, other: Ready) -> bool:
    return bool(row.drafts) and not other.drafts


def _objection(row: Ready, target: items.Target) -> tuple[str, str] | None:
    """(path, message) where the item that is there is another one."""
    key = {"key": row.voted.key}
    if target.content_hash != row.content_hash:
        return "", _("The item “%(key)s” is here already with other texts; they stay as they are.") % key
    if target.authors != row.authors:
        return "", _("The item “%(key)s” is here already with answers of other authors.") % key
    return None


def _told(row: Ready, brought: Brought, name: str) -> list[Problem]:
    """What is odd about a row that is kept, and what of it stays out because it is there already."""
    line = row.voted.line
    told = [Problem(name, line, path, message, "warning") for path, message in row.voted.warnings if brought.is_new]
    if brought.differs:
        message = _("Already here and said otherwise: %(what)s. What is here stays.")
        told.append(Problem(name, line, "", message % {"what": ", ".join(brought.differs)}, "warning"))
    return told


def _line(problem: Problem) -> float:
    """Problems of whole files come last."""
    return float("inf") if problem.line is None else problem.line
