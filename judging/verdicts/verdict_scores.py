"""Scores of answers by one judge, as every report reads them: newest verdicts; outdated ones are left out and counted.

Verdicts and parts are read side by side as columns only, and rows with equal values share them, so that a million
verdicts take little memory.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import groupby
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef

from annotate.models import Job, Project, Run
from judging.answers.cases import cases, judgeable
from judging.cache import cached, changes_of, digest
from judging.models import Answer, Judge, Part, Verdict, VerdictChanges, VerdictQuerySet
from judging.readers.scales import Scale, share_of
from judging.strategies.strategy import numbers_its_own
from lib.progress import followed
from lib.stats.checklists import score as checklist_score
from lib.stats.checklists import what_if

TOGETHER = 5000  # rows read at once
Parts = Sequence[tuple[str, float | None, str]]  # of a verdict: (axis, score, how it was joined)


@dataclass(frozen=True)
class ScoredItem:
    """The data of an item, as of today, on which scores depend in addition to the verdict."""

    sha256: str
    rule: str
    weights: tuple[float | None, ...]
    scenario: str
    labels: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class AnswerColumns:
    pk: int
    item_id: int
    author: str


class VerdictRow(NamedTuple):
    pk: int
    answer_id: int
    item_id: int
    repeat: int
    case_sha: str
    reading: str
    score: float | None


@dataclass(frozen=True, slots=True)
class VerdictScore:
    """One verdict as a score. score: None if it could not be read."""

    verdict_id: int
    score: float | None = None
    flagged: bool = False
    unparsed: bool = False
    what_if: Mapping[str, float] = field(default_factory=dict)


def read_scored_items(project: Project) -> dict[int, ScoredItem]:
    """item -> its data, for every decided item with an answer."""
    answered = judgeable(project).filter(Exists(Answer.objects.filter(item=OuterRef("pk"))))
    return {
        case.item.pk: ScoredItem(
            sha256=case.sha256,
            rule=case.judged.rule,
            weights=tuple(question.weight for question in case.judged.checklist),
            scenario=case.judged.scenario,
            labels=case.judged.labels,
        )
        for case in cases(answered)
    }


def newest_answers(project: Project) -> dict[int, AnswerColumns]:
    """answer -> its columns, for the newest versions, by author and item."""
    answers = Answer.objects.current().filter(author__project=project).order_by("author__name", "item_id", "sample")
    rows, names = answers.values_list("pk", "item_id", "author__name"), dict[str, str]()
    return {
        pk: AnswerColumns(pk, item, names.setdefault(author, author))
        for pk, item, author in rows.iterator(chunk_size=TOGETHER)
    }


def current_answers(project: Project, subjects: Collection[int]) -> dict[int, AnswerColumns]:
    """The newest answers to these items."""
    return {pk: row for pk, row in newest_answers(project).items() if row.item_id in subjects}


def newest_scores(
    judge: Judge, subjects: Mapping[int, ScoredItem], answers: Collection[int], *, run: Run | None = None
) -> tuple[dict[int, tuple[VerdictScore, ...]], int]:
    """(answer -> the newest score of each repeat, oldest first; how many verdicts are outdated). Two queries."""
    newest: dict[tuple[int, int], VerdictScore] = {}
    outdated, scale = 0, Scale.of(judge)
    for row, parts in _with_parts(followed(_verdict_rows(judge, run)), _part_rows(judge)):
        if row.item_id not in subjects:
            continue
        subject = subjects[row.item_id]
        if row.answer_id not in answers or row.case_sha != subject.sha256:
            outdated += 1
        else:
            newest.pop((row.answer_id, row.repeat), None)  # so that the order stays that of the verdicts
            newest[row.answer_id, row.repeat] = read_score(row, parts, subject, scale)
    by_answer: dict[int, tuple[VerdictScore, ...]] = {}
    for (answer, _repeat), verdict_score in newest.items():
        by_answer[answer] = (*by_answer.get(answer, ()), verdict_score)
    return by_answer, outdated


def _verdict_rows(judge: Judge, run: Run | None) -> Iterator[VerdictRow]:
    single = _single(judge) if run is None else _single(judge).filter(job__run=run)
    columns = ("pk", "first_id", "item_id", "repeat", "case_sha", "reading", "score_first")
    return map(VerdictRow._make, single.order_by("pk").values_list(*columns).iterator(chunk_size=TOGETHER))


def _part_rows(judge: Judge) -> Iterable[tuple[Any, ...]]:
    """(verdict, axis, score, how it was joined), by verdict; none for a judge with its own criteria: they are not
    questions of a checklist."""
    if numbers_its_own(judge.strategy):
        return ()
    rows = Part.objects.filter(verdict__judge=judge, verdict__second=None).order_by("verdict_id")
    return rows.values_list("verdict_id", "axis", "score_first", "joined").iterator(chunk_size=TOGETHER)


def _with_parts(rows: Iterable[VerdictRow], part_rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[VerdictRow, Parts]]:
    """Each verdict with its parts; both by ascending verdict, so that no more than one is in memory."""
    groups = groupby(part_rows, key=lambda part: part[0])
    verdict, parts = next(groups, (0, iter(())))
    for row in rows:
        while verdict and verdict < row.pk:
            verdict, parts = next(groups, (0, iter(())))
        yield row, [(axis, score, joined) for _verdict, axis, score, joined in parts] if verdict == row.pk else ()


def failed_without_verdict(judge: Judge, answers: Collection[int], *, run: Run | None = None) -> set[int]:
    """Those of these answers on which runs of this judge failed without a verdict; run: only that one."""
    if not answers:
        return set()
    jobs = Job.objects.filter(run__judge_run__judge=judge, run__project=judge.project_id, state=Job.State.FAILED)
    jobs = jobs if run is None else jobs.filter(run=run)
    tried = (_answer_of(subject) for subject in jobs.values_list("subject", flat=True))
    return {answer for answer in tried if answer in answers}


def _answer_of(subject: str) -> int:
    """The answer in a subject such as `answer/12`; 0 for other subjects."""
    word, _slash, rest = subject.partition("/")
    number = rest.partition("/")[0]
    return int(number) if word == "answer" and number.isdecimal() else 0


def read_score(row: VerdictRow, parts: Parts, subject: ScoredItem, scale: Scale | None) -> VerdictScore:
    """The score by the rule of the item if the judge went through its checklist, else the judge's number."""
    if row.reading != Verdict.Reading.OK:
        return VerdictScore(row.pk, unparsed=row.reading == Verdict.Reading.UNPARSED)
    index_by_axis = {str(index + 1): index for index in range(len(subject.weights))}
    if not any(axis in index_by_axis for axis, _score, _joined in parts):
        return VerdictScore(row.pk, score=share_of(row.score, scale), unparsed=row.score is None)
    met = frozenset(index_by_axis[axis] for axis, score, _joined in parts if score and axis in index_by_axis)
    return VerdictScore(
        row.pk,
        score=checklist_score(met, subject.weights, subject.rule),
        flagged=any(joined != Part.Joined.EXACT for _axis, _score, joined in parts),
        what_if=_what_if(met, subject.weights),
    )


@lru_cache(maxsize=10_000)
def _what_if(met: frozenset[int], weights: tuple[float | None, ...]) -> Mapping[str, float]:
    """One object for all verdicts that are alike."""
    return what_if(met, weights)


def _single(judge: Judge) -> VerdictQuerySet:
    return Verdict.objects.single().filter(judge=judge)


# Scores.


OWN_REFERENCE = "reference=own"  # in the variant of a judge whose references are the authors' first answers


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """One answer as one judge scored it.

    score: 0..1 by the item's rule; 0.0 if the call failed or the reply was unreadable (`failed`), as the published
    averages count it. what_if: the same under every rule that the item could have: rule -> score.
    If an answer was judged several times, both are means over the readable verdicts.
    labels: division -> values of the item, such as `task` -> ("Coding",).
    """

    author: str
    item_id: int
    answer_id: int
    verdict_id: int | None  # the newest; None if a job failed without a verdict
    scenario: str
    labels: Mapping[str, Sequence[str]]
    score: float
    failed: bool = False
    flagged: bool = False  # matched to the checklist other than word for word
    what_if: Mapping[str, float] = field(default_factory=dict)
    unparsed: bool = False  # failed because the reply could not be read, not because there was none

    def __reduce__(self) -> tuple[type["ScoredAnswer"], tuple[Any, ...]]:
        """Pickled as one call: results hold hundreds of thousands, and dataclasses are slow at it."""
        return ScoredAnswer, tuple([getattr(self, name) for name in self.__slots__])


@dataclass(frozen=True)
class JudgeScores:
    """outdated: verdicts on an older answer or an item changed since; unjudged: current answers without a verdict."""

    judge: Judge
    rows: Sequence[ScoredAnswer]
    outdated: int = 0
    unjudged: int = 0


def judges(project: Project) -> Sequence[Judge]:
    """Judges with verdicts on single answers, the one with most of them first, with `verdict_count`.

    Judges with the authors' own first answers as references come last: their scores measure the judge, not the authors.
    The counts are cached until a verdict changes.
    """
    counters = changes_of(VerdictChanges, OuterRef("pk"))
    project_judges = list(Judge.objects.filter(project=project).annotate(**counters).order_by("-pk"))
    state = digest([(judge.pk, judge.changes, judge.token) for judge in project_judges])  # type: ignore[attr-defined]
    count = partial(_single_counts, [judge.pk for judge in project_judges])
    counts = cached("verdict-counts", state, count, at_once=True)
    for judge in project_judges:
        judge.verdict_count = counts.get(judge.pk, 0)  # type: ignore[attr-defined]
    return sorted(
        (judge for judge in project_judges if judge.pk in counts),
        key=lambda judge: (OWN_REFERENCE in judge.variant.split(), -counts[judge.pk]),
    )


def _single_counts(judges: Sequence[int]) -> dict[int, int]:
    """judge -> verdicts on single answers; without judges that have none."""
    rows = Verdict.objects.single().filter(judge__in=judges).order_by().values_list("judge")
    return dict(rows.annotate(n=Count("pk")))


def scores(
    project: Project,
    judge: Judge,
    *,
    run: Run | None = None,
    given: Mapping[int, ScoredItem] | None = None,
    answered: Mapping[int, AnswerColumns] | None = None,
) -> JudgeScores:
    """Every current answer that this judge has judged, in five queries, by author and item.

    run: only verdicts of that run. given, answered: the project's items and newest answers, if the caller has them
    already. Items that are no longer decided are left out with all their verdicts.
    """
    subjects = read_scored_items(project) if given is None else given
    stored_answers = newest_answers(project) if answered is None else answered
    answers = {pk: row for pk, row in stored_answers.items() if row.item_id in subjects}
    newest, outdated = newest_scores(judge, subjects, answers, run=run)
    failed = failed_without_verdict(judge, answers.keys() - newest.keys(), run=run)
    rows = [
        _scored(answer, subjects[answer.item_id], newest[pk])
        if pk in newest
        else _failed(answer, subjects[answer.item_id])
        for pk, answer in answers.items()
        if pk in newest or pk in failed
    ]
    return JudgeScores(judge, rows, outdated=outdated, unjudged=len(answers) - len(rows))


def _scored(answer: AnswerColumns, subject: ScoredItem, verdict_scores: Sequence[VerdictScore]) -> ScoredAnswer:
    """verdict_scores: the judge's scores by repeat, the newest last."""
    readable = [verdict_score for verdict_score in verdict_scores if verdict_score.score is not None]
    if not readable:
        return _failed(answer, subject, verdict=verdict_scores[-1].verdict_id, unparsed=verdict_scores[-1].unparsed)
    return ScoredAnswer(
        author=answer.author,
        item_id=answer.item_id,
        answer_id=answer.pk,
        verdict_id=verdict_scores[-1].verdict_id,
        scenario=subject.scenario,
        labels=subject.labels,
        score=sum(verdict_score.score or 0.0 for verdict_score in readable) / len(readable),
        flagged=any(verdict_score.flagged for verdict_score in readable),
        what_if=readable[0].what_if if len(readable) == 1 else _mean_what_if(readable),
    )


def _mean_what_if(readable: Sequence[VerdictScore]) -> dict[str, float]:
    rules = readable[0].what_if
    return {
        rule: sum(verdict_score.what_if.get(rule, 0.0) for verdict_score in readable) / len(readable) for rule in rules
    }


def _failed(
    answer: AnswerColumns, subject: ScoredItem, *, verdict: int | None = None, unparsed: bool = False
) -> ScoredAnswer:
    return ScoredAnswer(
        author=answer.author,
        item_id=answer.item_id,
        answer_id=answer.pk,
        verdict_id=verdict,
        scenario=subject.scenario,
        labels=subject.labels,
        score=0.0,
        failed=True,
        what_if=dict.fromkeys(_what_if(frozenset(), subject.weights), 0.0),
        unparsed=unparsed,
    )
