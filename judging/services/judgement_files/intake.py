"""What taking in a part of a file of judgements has in common, whatever its rows are about."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from django.db import transaction

from annotate.formats.rows import Problem
from annotate.models import Project
from annotate.services.importing.files import shown_name
from annotate.services.importing.report import Report
from judging.formats.base import Judgement, JudgementFormat, PairJudgement
from judging.services.judgement_files.storing import Stored
from judging.services.judgement_files.targets import Target, Targets
from lib.texts.said import say as _

SOURCE = 255  # characters of Answer.source and Verdict.source
Said = TypeVar("Said", bound=Judgement | PairJudgement)


class Prepared(Protocol):
    """A judgement made ready to be stored."""

    @property
    def judgement(self) -> Judgement | PairJudgement: ...


Ready = TypeVar("Ready", bound=Prepared)


@dataclass
class JudgementReport(Report):
    """differences: the first thousand judgements whose own score is not what their parts give."""

    differences: list[dict[str, Any]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The same shape as any import's; `score_differences` is there only where there are some."""
        more = {"score_differences": self.differences} if self.differences else {}
        return super().as_json() | more


class Intake(ABC, Generic[Said, Ready]):
    """Takes a file in part by part, each in a short transaction."""

    def __init__(self, project: Project, file_format: JudgementFormat) -> None:
        self.report = JudgementReport()
        self.project = project
        self.format = file_format
        self._targets = Targets(project)

    @abstractmethod
    def prepared(self, judgement: Said, target: Target) -> Ready:
        """What is stored of it."""

    @abstractmethod
    def store(self, prepared_rows: Sequence[Ready], source: str) -> Stored:
        """Within a transaction."""

    def told(self, prepared_row: Ready, name: str) -> list[Problem]:
        """What is odd about a new one."""
        return []

    def take(self, chunk: Sequence[Said | Problem], name: str) -> None:
        problems = [entry for entry in chunk if isinstance(entry, Problem)]
        rejected = sum(problem.line is not None for problem in problems)
        good, unknown = self._looked_up([entry for entry in chunk if not isinstance(entry, Problem)], name)
        with transaction.atomic():
            stored = self.store(good, shown_name(name)[:SOURCE])
        for prepared_row, is_new, is_same in zip(good, stored.new, stored.same, strict=True):
            if is_new:
                problems += self.told(prepared_row, name)
            elif not is_same:
                message = _("Another verdict of this judge on this answer is here already, and stays.")
                problems.append(Problem(name, prepared_row.judgement.line, self.format.said_in, message, "warning"))
        new_count = sum(stored.new)
        self.report.kept += new_count
        self.report.duplicates += len(good) - new_count
        self.report.rejected += rejected + len(unknown)
        self.report.faults += len(chunk) - rejected - len(good) - len(unknown)
        self.report.read += rejected + len(good) + len(unknown)
        self.report.tell(sorted([*problems, *unknown], key=_line))

    def _looked_up(self, judgements: Sequence[Said], name: str) -> tuple[list[Ready], list[Problem]]:
        self._targets.find(judgements)
        good, unknown = [], []
        for judgement in judgements:
            target = self._targets.of(judgement)
            if isinstance(target, Target):
                good.append(self.prepared(judgement, target))
            else:
                unknown.append(Problem(name, judgement.line, judgement.named_in, target))
        return good, unknown


def _line(problem: Problem) -> float:
    """Problems of whole files come last."""
    return float("inf") if problem.line is None else problem.line
