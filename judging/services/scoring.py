"""What scores.py reads and how one verdict becomes a score: columns only, so that many thousands take a moment."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef

from annotate.models import Job, Project, Run
from judging.models import Answer, Judge, Part, Verdict, VerdictQuerySet
from judging.services.cases import cases, judgeable
from judging.strategies.branches.numbering import numbers_its_own
from judging.strategies.scales import share_of
from lib.stats.checklists import score as checklist_score
from lib.stats.checklists import what_if

Parts = Mapping[int, Sequence[tuple[str, float | None, str]]]  # verdict -> (axis, score, how it was joined)


@dataclass(frozen=True)
class Subject:
    """What the score of an answer depends on beside what was said of it: the item as it is today."""

    sha256: str
    rule: str
    weights: Sequence[float | None]
    scenario: str
    labels: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class AnswerRow:
    pk: int
    item_id: int
    author: str


@dataclass(frozen=True)
class VerdictRow:
    pk: int
    item_id: int
    reading: str
    score: float | None


@dataclass(frozen=True)
class Said:
    """One verdict as a score. score: None where it was not read."""

    verdict_id: int
    score: float | None = None
    flagged: bool = False
    unparsed: bool = False
    what_if: Mapping[str, float] = field(default_factory=dict)


def subjects(project: Project) -> dict[int, Subject]:
    """item -> its subject, of every decided item that somebody has answered."""
    answered = judgeable(project).filter(Exists(Answer.objects.filter(item=OuterRef("pk"))))
    return {
        case.item.pk: Subject(
            sha256=case.sha256,
            rule=case.judged.rule,
            weights=[question.weight for question in case.judged.checklist],
            scenario=case.judged.scenario,
            labels=case.judged.labels,
        )
        for case in cases(answered)
    }


def newest_answers(project: Project) -> dict[int, AnswerRow]:
    """answer -> its row, of the newest versions, by author and item."""
    answers = Answer.objects.current().filter(author__project=project).order_by("author__name", "item_id", "sample")
    rows = answers.values_list("pk", "item_id", "author__name")
    return {pk: AnswerRow(pk, item, author) for pk, item, author in rows.iterator(2000)}


def current_answers(project: Project, subjects: Collection[int]) -> dict[int, AnswerRow]:
    """Those of these items."""
    return {pk: row for pk, row in newest_answers(project).items() if row.item_id in subjects}


def newest_verdicts(
    judge: Judge, subjects: Mapping[int, Subject], answers: Collection[int], *, run: Run | None = None
) -> tuple[dict[int, list[VerdictRow]], int]:
    """(answer -> the newest verdict of each repeat, oldest first; how many verdicts are outdated)."""
    newest: dict[tuple[int, int], VerdictRow] = {}
    outdated = 0
    columns = ("pk", "first_id", "item_id", "repeat", "case_sha", "reading", "score_first")
    single = _single(judge) if run is None else _single(judge).filter(job__run=run)
    for pk, answer, item, repeat, sha, reading, score in single.order_by("pk").values_list(*columns):
        if item not in subjects:
            continue
        if answer not in answers or sha != subjects[item].sha256:
            outdated += 1
        else:
            newest[answer, repeat] = VerdictRow(pk, item, reading, share_of(score, judge.variant))
    by_answer: dict[int, list[VerdictRow]] = defaultdict(list)
    for (answer, _repeat), row in sorted(newest.items(), key=lambda entry: entry[1].pk):
        by_answer[answer].append(row)
    return by_answer, outdated


def parts_of(judge: Judge) -> Parts:
    """None of a judge that numbers criteria of its own: they are no questions of a checklist."""
    if numbers_its_own(judge.strategy):
        return {}
    parts_by_verdict: dict[int, list[tuple[str, float | None, str]]] = defaultdict(list)
    rows = Part.objects.filter(verdict__judge=judge, verdict__second=None)
    columns = rows.values_list("verdict_id", "axis", "score_first", "joined")
    for verdict, axis, score, joined in columns.iterator(chunk_size=5000):
        parts_by_verdict[verdict].append((axis, score, joined))
    return parts_by_verdict


def failed_without_verdict(judge: Judge, answers: Collection[int], *, run: Run | None = None) -> set[int]:
    """Which of these answers a run of this judge has tried in vain; run: only that one."""
    if not answers:
        return set()
    jobs = Job.objects.filter(
        run__project=judge.project_id, run__purpose="judge", run__options__judge=judge.pk, state=Job.State.FAILED
    )
    jobs = jobs if run is None else jobs.filter(run=run)
    tried = (_answer_of(subject) for subject in jobs.values_list("subject", flat=True))
    return {answer for answer in tried if answer in answers}


def _answer_of(subject: str) -> int:
    """The answer that a job is named after, as in `answer/12`; 0 where it is about something else."""
    word, _slash, rest = subject.partition("/")
    number = rest.partition("/")[0]
    return int(number) if word == "answer" and number.isdecimal() else 0


def read(row: VerdictRow, parts: Parts, subjects: Mapping[int, Subject]) -> Said:
    """By the rule of its item where the judge went through the checklist, else the number that it gave."""
    if row.reading != Verdict.Reading.OK:
        return Said(row.pk, unparsed=row.reading == Verdict.Reading.UNPARSED)
    subject, verdict_parts = subjects[row.item_id], parts.get(row.pk, ())
    index_by_axis = {str(index + 1): index for index in range(len(subject.weights))}
    if not any(axis in index_by_axis for axis, _score, _joined in verdict_parts):
        return Said(row.pk, score=row.score, unparsed=row.score is None)
    met = {index_by_axis[axis] for axis, score, _joined in verdict_parts if score and axis in index_by_axis}
    return Said(
        row.pk,
        score=checklist_score(met, subject.weights, subject.rule),
        flagged=any(joined != Part.Joined.EXACT for _axis, _score, joined in verdict_parts),
        what_if=what_if(met, subject.weights),
    )


def _single(judge: Judge) -> VerdictQuerySet:
    return Verdict.objects.single().filter(judge=judge)
