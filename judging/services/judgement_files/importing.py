"""Files of others' judgements: read in parts, stored in short transactions. Doing it again makes only duplicates."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.formats.rows import Problem
from annotate.models import Project
from annotate.services.importing.files import shown_name
from annotate.services.importing.report import LISTED, Report
from annotate.services.importing.table import refresh_statistics
from judging.formats.base import Judgement, JudgementFormat
from judging.models import Answer, Author, Part, Verdict
from judging.services.judgement_files.reading import Prepared, prepare
from judging.services.judgement_files.storing import store
from judging.services.judgement_files.targets import Target, Targets

CHUNK, CHUNK_CHARACTERS = 1000, 8_000_000
Each = Judgement | Problem
SOURCE = 255  # characters of Answer.source and Verdict.source


@dataclass
class JudgementReport(Report):
    """differences: the first thousand judgements whose own score is not what their parts give."""

    differences: list[dict[str, Any]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The same shape as any import's; `score_differences` is there only where there are some."""
        more = {"score_differences": self.differences} if self.differences else {}
        return super().as_json() | more


def import_judgements(
    *, project: Project, files: Iterable[tuple[Path, str]], wanted: JudgementFormat
) -> JudgementReport:
    """Take in files of one format, each with the name that people call it by.

    What is there already is a duplicate and stays as it is; a judgement of an unknown item is rejected by its line.
    """
    work = _Import(project, wanted)
    for path, name in files:
        for chunk in _chunks(wanted.read(path, name=name)):
            work.take(chunk, name)
    if work.report.kept >= CHUNK:
        refresh_statistics([Author, Answer, Verdict, Part])
    return work.report


class _Import:
    def __init__(self, project: Project, wanted: JudgementFormat) -> None:
        self.report = JudgementReport()
        self._project = project
        self._format = wanted
        self._targets = Targets(project)

    def take(self, chunk: Sequence[Each], name: str) -> None:
        told = [each for each in chunk if isinstance(each, Problem)]
        rejected = sum(problem.line is not None for problem in told)
        good, unknown = self._looked_up([each for each in chunk if isinstance(each, Judgement)], name)
        with transaction.atomic():
            stored = store(self._project, good, strategy=self._format.strategy, source=shown_name(name)[:SOURCE])
        for one, is_new, is_same in zip(good, stored.new, stored.same, strict=True):
            if is_new:
                told += self._odd(one, name)
            elif not is_same:
                message = _("Another verdict of this judge on this answer is here already, and stays.")
                told.append(Problem(name, one.judgement.line, self._format.said_in, message, "warning"))
        kept = sum(stored.new)
        self.report.kept += kept
        self.report.duplicates += len(good) - kept
        self.report.rejected += rejected + len(unknown)
        self.report.faults += len(chunk) - rejected - len(good) - len(unknown)
        self.report.read += rejected + len(good) + len(unknown)
        self.report.tell(sorted([*told, *unknown], key=_line))

    def _looked_up(self, given: Sequence[Judgement], name: str) -> tuple[list[Prepared], list[Problem]]:
        self._targets.find(given)
        good, unknown = [], []
        for each in given:
            target = self._targets.of(each)
            if isinstance(target, Target):
                good.append(prepare(each, target))
            else:
                unknown.append(Problem(name, each.line, each.named_in, target))
        return good, unknown

    def _odd(self, one: Prepared, name: str) -> list[Problem]:
        line = one.judgement.line
        if one.difference and len(self.report.differences) < LISTED:
            said, ours = one.difference
            self.report.differences.append({"file": name, "line": line, "score": said, "computed": ours})
        return [Problem(name, line, self._format.said_in, one.oddity, "warning")] if one.oddity else []


def _chunks(given: Iterable[Each]) -> Iterator[list[Each]]:
    """Of so many judgements, or fewer where they are long, so that memory does not grow with a file's texts."""
    chunk: list[Each] = []
    characters = 0
    for each in given:
        chunk.append(each)
        characters += _length(each)
        if len(chunk) >= CHUNK or characters >= CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


def _length(each: Each) -> int:
    if isinstance(each, Problem):
        return 0
    said = sum(len(key) + len(told.reason) for key, told in each.said.items())
    return said + len(each.text or "") + sum(map(len, each.texts.values()))


def _line(problem: Problem) -> float:
    """Problems of whole files come last."""
    return float("inf") if problem.line is None else problem.line
