"""Judges as files and runs make them."""

from typing import Any

from annotate.models import Project, Run
from judging.models import Judge, JudgeRun
from judging.verdicts.judge_identity import judges_from_files
from tests.support.runs import make_run


def make_judge(project: Project, name: str, strategy: str, variant: str = "", **columns: Any) -> Judge:
    """The judge of that name; it is created as by a file if it is missing."""
    key = (name, strategy, variant)
    judge = judges_from_files(project, [key])[key]
    Judge.objects.filter(pk=judge.pk).update(**columns)
    judge.refresh_from_db()
    return judge


def make_judge_run(judge: Judge, **columns: Any) -> Run:
    """A run to which the judge belongs."""
    run = make_run(judge.project, **{"purpose": "judge"} | columns)
    JudgeRun.objects.create(run=run, judge=judge)
    return run
