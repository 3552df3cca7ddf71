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

    def __init__(self, project: Project, wanted: JudgementFormat) -> None:
        self.report = JudgementReport()
        self.project = project
        self.format = wanted
        self._targets = Targets(project)

    @abstractmethod
    def prepared(self, judgement: Said, target: Target) -> Ready:
        """What is stored of it."""

    @abstractmethod
    def store(self, given: Sequence[Ready], source: str) -> Stored:
        """Within a transaction."""

    def told(self, one: Ready, name: str) -> list[Problem]:
        """What is odd about a new one."""
        return []

    def take(self, chunk: Sequence[Said | Problem], name: str) -> None:
        problems = [each for each in chunk if isinstance(each, Problem)]
        rejected = sum(problem.line is not None for problem in problems)
        good, unknown = self._looked_up([each for each in chunk if not isinstance(each, Problem)], name)
        with transaction.atomic():
            stored = self.store(good, shown_name(name)[:SOURCE])
        for one, is_new, is_same in zip(good, stored.new, stored.same, strict=True):
            if is_new:
                problems += self.told(one, name)
            elif not is_same:
                message = _("Another verdict of this judge on this answer is here already, and stays.")
                problems.append(Problem(name, one.judgement.line, self.format.said_in, message, "warning"))
        kept = sum(stored.new)
        self.report.kept += kept
        self.report.duplicates += len(good) - kept
        self.report.rejected += rejected + len(unknown)
        self.report.faults += len(chunk) - rejected - len(good) - len(unknown)
        self.report.read += rejected + len(good) + len(unknown)
        self.report.tell(sorted([*problems, *unknown], key=_line))

    def _looked_up(self, given: Sequence[Said], name: str) -> tuple[list[Ready], list[Problem]]:
        self._targets.find(given)
        good, unknown = [], []
        for each in given:
            target = self._targets.of(each)
            if isinstance(target, Target):
                good.append(self.prepared(each, target))
            else:
                unknown.append(Problem(name, each.line, each.named_in, target))
        return good, unknown


def _line(problem: Problem) -> float:
    """Problems of whole files come last."""
    return float("inf") if problem.line is None else problem.line
