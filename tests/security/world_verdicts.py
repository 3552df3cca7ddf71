"""Verdicts of the world: a judge of a run of ours and one out of a file, on the answers to an accepted item."""

from collections.abc import Callable
from typing import Any

from annotate.models import Project, SavedView
from judging.answers.cases import case_of
from judging.models import Answer, BoardComputation, Judge, Part, Study, Verdict

Say = Callable[[str], str]


def verdicts(project: Project, say: Say) -> dict[str, Any]:
    """ids of a judge, the item that it judged, a study, a saved view and computed figures; all readings and ways to
    find a question."""
    run = project.runs.order_by("pk")[0]
    judge = Judge.objects.create(project=project, name=say("judge name")[:120], strategy=say("strategy name")[:80])
    other = Judge.objects.create(project=project, name="Another judge", strategy="checklist", simulated=True)
    answers = Answer.objects.filter(author__project=project).current().select_related("item__base", "item__project")
    for place, answer in enumerate(answers.order_by("pk")):
        job = run.jobs.order_by("pk")[0] if place == 0 else None
        _on(answer, judge, say, job=job, reading="ok" if place != 1 else "unparsed")
        _on(answer, other, say, job=None, reading="ok")
    return {
        "judge": judge.pk,
        "judged item": answers[0].item_id,
        "study": _study(project, say).pk,
        "saved view": _view(project, say).pk,
        "computation": _computation(project).pk,
    }


def _study(project: Project, say: Say) -> Study:
    """Drawn from the project into itself, so that whoever leads it leads both sides."""
    said = {"authors": [say("author of a study")], "items": 1}
    counts = {"items": 1, "answers": 2, "votes": 1}
    return Study.objects.create(
        source=project, project=project, name=say("study name")[:120], seed=1, options=said, counts=counts
    )


def _view(project: Project, say: Say) -> SavedView:
    """A lead's own, so that what somebody calls it stands on their pages."""
    lead = project.members.filter(role="lead").order_by("pk")[0].user
    return SavedView.objects.create(
        project=project, owner=lead, name=say("view name")[:80], page="leaderboard", query="sort=author"
    )


def _computation(project: Project) -> BoardComputation:
    return BoardComputation.objects.create(
        project=project, board="leaderboard", options="all", address=f"/p/{project.slug}/leaderboard/", state="stopped"
    )


def _on(answer: Answer, judge: Judge, say: Say, *, job: Any, reading: str) -> None:
    case = case_of(answer.item)
    assert case is not None
    said = {
        "reason": say("reason of a judge"),
        "note": say("note on a verdict"),
        "source": say("file of verdicts")[:255],
    }
    verdict = Verdict.objects.create(
        judge=judge, item=answer.item, first=answer, case_sha=case.judged.sha256, job=job, reading=reading, **said
    )
    if reading != "ok":
        return
    for place, joined in enumerate(("exact", "close", "surplus"), start=1):
        told = {"label": say("question of a judge"), "reason": say("reason of a part"), "joined": joined}
        Part.objects.create(verdict=verdict, axis=str(place), score_first=place % 2, weight=0.5, **told)
