"""Scores of answers by one judge, as every report reads them: newest verdicts, outdated ones left out and counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Count, Q

from annotate.models import Project, Run
from judging.models import Judge
from judging.services import scoring
from lib.stats.checklists import what_if

OWN_REFERENCE = "reference=own"  # in the variant of a judge that holds answers against their authors' first ones


@dataclass(frozen=True)
class Scored:
    """One answer as one judge scored it.

    score: 0..1 by the item's rule; 0.0 where the call failed or nothing could be read (`failed`), as the published
    averages count it. what_if: the same under every rule that the item could have: rule -> score.
    Of an answer that was judged several times both are means over the verdicts that could be read.
    labels: division -> values of the item, such as `task` -> ("Coding",).
    """

    author: str
    item_id: int
    answer_id: int
    verdict_id: int | None  # the newest; None where a job failed and left no verdict
    scenario: str
    labels: Mapping[str, Sequence[str]]
    score: float
    failed: bool = False
    flagged: bool = False  # joined to the checklist other than word for word
    what_if: Mapping[str, float] = field(default_factory=dict)
    unparsed: bool = False  # failed because the reply could not be read, not because there was none


@dataclass(frozen=True)
class Scores:
    """outdated: verdicts about an older answer or an item that has changed since; unjudged: current answers without."""

    judge: Judge
    rows: Sequence[Scored]
    outdated: int = 0
    unjudged: int = 0


def judges(project: Project) -> Sequence[Judge]:
    """Those with verdicts about single answers, the one with most of them first. `verdict_count` says how many.

    Judges of authors by their own first answers come last: their scores measure themselves, not the authors.
    """
    counted = Count("verdicts", filter=Q(verdicts__second=None))
    project_judges = Judge.objects.filter(project=project).annotate(verdict_count=counted).filter(verdict_count__gt=0)
    return sorted(
        project_judges.order_by("-verdict_count", "-id"), key=lambda judge: OWN_REFERENCE in judge.variant.split()
    )


def scores(
    project: Project,
    judge: Judge,
    *,
    run: Run | None = None,
    given: Mapping[int, scoring.Subject] | None = None,
    answered: Mapping[int, scoring.AnswerRow] | None = None,
) -> Scores:
    """Every current answer that this judge has judged, in five queries, by author and item.

    run: only what it said in that run. given, answered: the project's subjects and the newest of its answers where
    somebody has them at hand.
    Items that are not decided any more are left out with all that was said about them.
    """
    subjects = scoring.subjects(project) if given is None else given
    stored_answers = scoring.newest_answers(project) if answered is None else answered
    answers = {pk: row for pk, row in stored_answers.items() if row.item_id in subjects}
    newest, outdated = scoring.newest_verdicts(judge, subjects, answers, run=run)
    parts = scoring.parts_of(judge)
    failed = scoring.failed_without_verdict(judge, answers.keys() - newest.keys(), run=run)
    rows = [
        _scored(answer, subjects[answer.item_id], [scoring.read(verdict, parts, subjects) for verdict in newest[pk]])
        if pk in newest
        else _failed(answer, subjects[answer.item_id])
        for pk, answer in answers.items()
        if pk in newest or pk in failed
    ]
    return Scores(judge, rows, outdated=outdated, unjudged=len(answers) - len(rows))


def _scored(answer: scoring.AnswerRow, subject: scoring.Subject, verdict_scores: Sequence[scoring.Said]) -> Scored:
    """verdict_scores: what the judge said at each repeat, the newest last."""
    readable = [verdict_score for verdict_score in verdict_scores if verdict_score.score is not None]
    if not readable:
        return _failed(answer, subject, verdict=verdict_scores[-1].verdict_id, unparsed=verdict_scores[-1].unparsed)
    rules = readable[0].what_if
    return Scored(
        author=answer.author,
        item_id=answer.item_id,
        answer_id=answer.pk,
        verdict_id=verdict_scores[-1].verdict_id,
        scenario=subject.scenario,
        labels=subject.labels,
        score=sum(verdict_score.score or 0.0 for verdict_score in readable) / len(readable),
        flagged=any(verdict_score.flagged for verdict_score in readable),
        what_if={
            rule: sum(verdict_score.what_if.get(rule, 0.0) for verdict_score in readable) / len(readable)
            for rule in rules
        },
    )


def _failed(
    answer: scoring.AnswerRow, subject: scoring.Subject, *, verdict: int | None = None, unparsed: bool = False
) -> Scored:
    return Scored(
        author=answer.author,
        item_id=answer.item_id,
        answer_id=answer.pk,
        verdict_id=verdict,
        scenario=subject.scenario,
        labels=subject.labels,
        score=0.0,
        failed=True,
        what_if=dict.fromkeys(what_if((), subject.weights), 0.0),
        unparsed=unparsed,
    )
