"""Whose verdicts say what is easy: those of one judge run, or all that one judge said."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from annotate.models import Project, Run
from judging.models import Judge
from judging.services.remembering import remembered, states_of
from judging.services.reports.base import Refused, judge_named
from judging.services.scores import Scores, judges, scores

LISTED = 100  # runs that are offered


@dataclass(frozen=True)
class Source:
    """run: None where everything counts that the judge said, as with imported judgements."""

    judge: Judge
    run: Run | None = None

    def __str__(self) -> str:
        return f"run {self.run.pk} ({self.judge})" if self.run else str(self.judge)

    @property
    def word(self) -> str:
        """By which an address names it."""
        return str(self.run.pk) if self.run else f"judge-{self.judge.pk}"

    @cached_property
    def scores(self) -> Scores:
        """Made once for each state of the project."""
        state = states_of(self.judge.project, [self.judge])[self.judge.pk]
        make = lambda: scores(self.judge.project, self.judge, run=self.run)  # noqa: E731 - used once, below
        return remembered("scores" if self.run is None else f"scores:{self.run.pk}", state, make)


def sources(project: Project) -> Sequence[Source]:
    """Judge runs, the newest first, then judges; two queries."""
    judge_by_pk = {judge.pk: judge for judge in judges(project)}
    for judge in judge_by_pk.values():
        judge.project = project
    runs = Run.objects.filter(project=project, purpose="judge").order_by("-pk")[:LISTED]
    of_runs = [
        Source(judge_by_pk[run.options["judge"]], run) for run in runs if run.options.get("judge") in judge_by_pk
    ]
    return [*of_runs, *(Source(judge) for judge in judge_by_pk.values())]


def source_named(project: Project, word: str) -> Source:
    """The judge run of that number, or the judge of that name. Raises Refused."""
    if word.isascii() and word.isdecimal() and len(word) < 19:
        run = Run.objects.filter(project=project, purpose="judge", pk=int(word)).first()
        judge = Judge.objects.filter(project=project, pk=run.options.get("judge") or 0).first() if run else None
        if run and judge:
            return Source(judge, run)
        if run:
            raise Refused(f"Run {word} has judged nothing yet.")
        if not any(judge.name == word for judge in judges(project)):
            raise Refused(f"There is no judge run {word} in this project. {_offered(project)}")
    return Source(judge_named(project, word))


def _offered(project: Project) -> str:
    offered = ", ".join(f"“{source}”" for source in sources(project)[:20])
    return f"There are: {offered}." if offered else "Nothing has been judged yet."
