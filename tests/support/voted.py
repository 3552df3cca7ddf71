"""Rows of votes and verdicts, and projects that they are imported into."""

from pathlib import Path
from typing import Any

from annotate.models import Project
from judging.formats.format import judgement_formats
from judging.intake.judgement_files import import_judgements
from judging.intake.judgement_store import JudgementReport
from tests.support.files import write_rows
from tests.support.people import make_project


def preference_project(**columns: Any) -> Project:
    return make_project(**{"slug": "votes", "kind_slug": "preference"} | columns)


def on_a_pair(key: str = "q1", choice: str | None = "first", **changes: Any) -> dict[str, Any]:
    """A row of the format `ratings`: anna's vote, unless `judge` is among the changes."""
    row = {
        "key": key,
        "prompt": f"How many moons has planet {key}?",
        "first": {"author": "model-a", "text": f"Planet {key} has two."},
        "second": {"author": "model-b", "text": f"Planet {key} has three."},
        "choice": choice,
    }
    return row | ({} if "judge" in changes else {"rater": "anna"}) | changes


def by_judge(key: str = "q1", straight: str | None = "first", swapped: str | None = "first") -> list[dict[str, Any]]:
    """What judge-m said in both orders, as the answers are called."""
    return [
        on_a_pair(key, choice, judge="judge-m", swapped=turned)
        for choice, turned in ((straight, False), (swapped, True))
    ]


def on_an_answer(key: str = "q1", scores: Any = None, **changes: Any) -> dict[str, Any]:
    row = {
        "key": key,
        "prompt": f"How many moons has planet {key}?",
        "answer": {"author": "model-a", "text": f"Planet {key} has two."},
        "scores": {"Clarity": 4, "Truth": 2} if scores is None else scores,
    }
    return row | ({} if "judge" in changes else {"rater": "anna"}) | changes


def bring(project: Project, folder: Path, *rows: Any, format: str = "ratings", **options: str) -> JudgementReport:  # noqa: A002
    path = write_rows(folder / "votes.jsonl", rows)
    wanted = judgement_formats()[format]
    return import_judgements(project=project, files=[(path, "votes.jsonl")], wanted=wanted, options=options)


def counts(report: JudgementReport) -> list[int]:
    return [report.read, report.kept, report.duplicates, report.rejected]
