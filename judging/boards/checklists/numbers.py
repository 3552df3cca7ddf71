"""Statistics of checklist questions: one line for every question of every judged checklist, the worst first.

Judges' verdicts on each question of each answer are read as columns only, in four queries for each batch of items.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotate.models import Item, Project
from judging.answers.cases import Case, cases
from judging.cache import cached, states_of
from judging.models import Answer, Judge, Part, Verdict
from judging.strategies.strategy import numbers_its_own
from judging.verdicts.verdict_scores import judges as judges_of
from lib import progress
from lib.stats.checklists import Met, QuestionFigure, QuestionShare, against, agreement, discrimination, share_met

BATCH = 200  # items read at once
MarksByJudge = Mapping[int, Mapping[tuple[int, int], Met]]  # judge -> (item, answer) -> one a question


@dataclass(frozen=True)
class JudgedQuestions:
    """cases: item -> its case as of today. answers: item -> its current answers, by id."""

    cases: Mapping[int, Case]
    answers: Mapping[int, Sequence[int]]
    said: MarksByJudge

    def of(self, judge: int, item: int, index: int) -> list[bool | None]:
        """A judge's marks on one question (index from 0), one entry for each answer that this judge has judged."""
        met_by_answer = self.said.get(judge, {})
        return [met_by_answer[item, answer][index] for answer in self.answers[item] if (item, answer) in met_by_answer]

    def beside(self, judges: Collection[int], item: int, index: int) -> list[list[bool | None]]:
        """The same for several judges, with an entry for every answer; None if a judge has not judged it."""
        empty: Met = [None] * (index + 1)
        return [
            [self.said.get(judge, {}).get((item, answer), empty)[index] for answer in self.answers[item]]
            for judge in judges
        ]


def read_questions(items: Sequence[int], judges: Collection[Judge]) -> JudgedQuestions:
    """Verdicts about the items and answers of today; older ones say nothing about these questions.

    If an answer was judged several times, a question is met if more than half of the readings say so, and undecided
    if they are split evenly.
    """
    item_rows = Item.objects.filter(pk__in=items).order_by("pk")
    return _read_marks({case.item.pk: case for case in cases(item_rows)}, judges)


def read_all_questions(project: int, judge: Judge, judges: Collection[Judge]) -> Iterator[JudgedQuestions]:
    """The accepted items about which this judge has verdicts, in batches, with the marks of all these judges."""
    judged = Verdict.objects.single().filter(judge=judge).values("item")
    accepted = Item.objects.counted().filter(project=project, state=Item.State.ACCEPTED, pk__in=judged)
    ids = list(accepted.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), BATCH):
        progress.report(progress.READING, start, len(ids))
        yield read_questions(ids[start : start + BATCH], judges)


def _read_marks(case_by_item: Mapping[int, Case], judges: Collection[Judge]) -> JudgedQuestions:
    judges, items = [judge for judge in judges if not numbers_its_own(judge.strategy)], list(case_by_item)
    current = Answer.objects.current().filter(
        author__project__in={case.item.project_id for case in case_by_item.values()}, item__in=items
    )
    answers: dict[int, list[int]] = defaultdict(list)
    for pk, item in current.order_by("pk").values_list("pk", "item").iterator(chunk_size=5000):
        answers[item].append(pk)
    newest = _newest(case_by_item, {pk for answer_pks in answers.values() for pk in answer_pks}, judges)
    return JudgedQuestions(case_by_item, answers, _marks(case_by_item, newest, judges))


def _newest(
    case_by_item: Mapping[int, Case], answers: Collection[int], judges: Collection[Judge]
) -> dict[int, tuple[int, int, int]]:
    """verdict -> (judge, item, answer), of the newest readable verdict of each repeat."""
    shas = {item: case.judged.sha256 for item, case in case_by_item.items()}
    columns = ("pk", "judge", "item", "first", "repeat", "case_sha", "reading")
    verdicts = Verdict.objects.single().filter(judge__in=judges, item__in=list(case_by_item))
    newest: dict[tuple[int, int, int], tuple[int, int, str]] = {}
    for pk, judge, item, answer, repeat, sha, reading in (
        verdicts.order_by("pk").values_list(*columns).iterator(chunk_size=5000)
    ):
        if answer in answers and shas.get(item) == sha:
            newest[judge, answer, repeat] = (pk, item, reading)
    return {
        pk: (judge, item, answer)
        for (judge, answer, _repeat), (pk, item, reading) in newest.items()
        if reading == Verdict.Reading.OK
    }


def _marks(
    case_by_item: Mapping[int, Case],
    newest: Mapping[int, tuple[int, int, int]],
    judges: Collection[Judge],
) -> MarksByJudge:
    votes: dict[tuple[int, int, int], list[list[float]]] = {}
    for judge, item, answer in newest.values():
        votes[judge, item, answer] = [[] for _question in case_by_item[item].judged.checklist]
    of_judges = Part.objects.filter(verdict__judge__in=judges, verdict__second=None, score_first__isnull=False)
    parts = of_judges.filter(verdict__item__in=list(case_by_item))
    for verdict, axis, score in parts.values_list("verdict", "axis", "score_first").iterator(chunk_size=5000):
        if score is not None and verdict in newest and axis.isascii() and axis.isdecimal():
            questions = votes[newest[verdict]]
            if 0 < int(axis) <= len(questions):
                questions[int(axis) - 1].append(score)
    met_by_judge: dict[int, dict[tuple[int, int], Met]] = defaultdict(dict)
    for (judge, item, answer), questions in votes.items():
        if any(questions):  # a strategy without questions gives no marks on them
            met_by_judge[judge][item, answer] = [_most(scores) for scores in questions]
    return met_by_judge


def _most(votes: Sequence[float]) -> bool | None:
    met = sum(vote > 0 for vote in votes)
    return None if 2 * met == len(votes) else 2 * met > len(votes)


# Statistics: the signs of a question that does not work, the gravest first.


FEW = 5  # with fewer answers a question gets no sign
CONTRADICTS = -0.3  # a correlation at or below this is more than noise over twenty answers
DISAGREED = 0.7  # judges who agree less than this read the question differently

# The gravest first.
SIGNS = ("contradicts", "never", "always", "disagreed", "weak")
OF_CORRELATIONS = frozenset({"contradicts", "weak"})  # not a fault of alternatives: only one of them can be met
ALTERNATIVE, FEW_ANSWERS = "alternative", "few"
ORDER = (*SIGNS, ALTERNATIVE, "", FEW_ANSWERS)
QuestionCursor = tuple[int, int, int, int]  # order of the list: sign, how bad (in thousandths), item, number


@dataclass(frozen=True)
class QuestionStatistics:
    """no: from 1. sign: one of SIGNS, "" for a question that works, "few" if too little was judged to tell.

    rule: of its checklist. With `any` the questions are alternatives ("if it agrees …", "if it does not …"): they
    exclude each other by design, and their sign is "alternative".
    first: its correlation with the first question of the list; None for the first one itself.
    """

    item_id: int
    key: str
    language: str
    no: int
    text: str
    weight: float | None
    scenario: str
    tasks: Sequence[str]
    met: QuestionShare
    discrimination: QuestionFigure
    first: QuestionFigure
    agreement: QuestionFigure
    rule: str = "weights"

    @property
    def sign(self) -> str:
        if self.met.n < FEW:
            return FEW_ANSWERS
        signs = [sign for sign in SIGNS if self._has(sign)]
        faults = [sign for sign in signs if self.rule != "any" or sign not in OF_CORRELATIONS]
        return next(iter(faults), ALTERNATIVE if signs else "")

    def _has(self, sign: str) -> bool:
        match sign:
            case "contradicts":
                return self.worst is not None and self.worst <= CONTRADICTS
            case "never":
                return self.met.met == 0
            case "always":
                return self.met.met == self.met.n
            case "disagreed":
                return self.agreement.value is not None and self.agreement.value < DISAGREED
            case _:
                return self.discrimination.value is not None and self.discrimination.value < 0.1

    @property
    def worst(self) -> float | None:
        """The lower of both correlations."""
        values = [value for value in (self.discrimination.value, self.first.value) if value is not None]
        return min(values, default=None)

    @property
    def place(self) -> QuestionCursor:
        value = self.worst if self.worst is not None else 1.0
        return ORDER.index(self.sign), round(1000 * value), self.item_id, self.no


def statistics(project: Project, judge: Judge) -> list[QuestionStatistics]:
    """Every question that this judge has answered about accepted items, the worst first.

    Agreement is with all other judges of the project. Cached for each state of the project.
    """
    everybody = judges_of(project)
    state = states_of(project, everybody)
    return cached(f"checklists:{judge.pk}", "-".join(state.values()), lambda: _compute(project, judge, everybody))


def of_item(item: int, judge: Judge, everybody: Sequence[Judge], judged: JudgedQuestions) -> list[QuestionStatistics]:
    """The questions of one item, whatever its state, in their order. judged: read of it."""
    return _questions(judged, item, judge, [rater.pk for rater in everybody])


def _compute(project: Project, judge: Judge, everybody: Sequence[Judge]) -> list[QuestionStatistics]:
    judge_pks = [rater.pk for rater in everybody]
    rows = [
        row
        for judged in read_all_questions(project.pk, judge, everybody)
        for item in {item for item, _answer in judged.said.get(judge.pk, {})}
        for row in _questions(judged, item, judge, judge_pks)
    ]
    return sorted(rows, key=lambda row: row.place)


def _questions(judged: JudgedQuestions, item: int, judge: Judge, everybody: Sequence[int]) -> list[QuestionStatistics]:
    if item not in judged.cases or item not in judged.answers:
        return []
    case = judged.cases[item]
    columns = [judged.of(judge.pk, item, index) for index in range(len(case.judged.checklist))]
    return [
        QuestionStatistics(
            item_id=item,
            key=case.item.key,
            language=case.item.language,
            no=index + 1,
            text=question.text,
            weight=question.weight,
            scenario=case.judged.scenario,
            tasks=case.judged.labels.get("task", ()),
            met=share_met(columns[index]),
            discrimination=discrimination(columns[index], columns[:index] + columns[index + 1 :]),
            first=against(columns[index], columns[0]) if index else QuestionFigure(None, 0, "itself"),
            agreement=agreement(judged.beside(everybody, item, index)),
            rule=case.judged.rule,
        )
        for index, question in enumerate(case.judged.checklist)
    ]
