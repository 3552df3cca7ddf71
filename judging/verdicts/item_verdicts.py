"""One judge's verdicts on all answers to one item, question by question or criterion by criterion."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from annotate.models import Call, Item
from judging.answers.cases import Case, case_of
from judging.models import Answer, Judge, Part, Verdict
from lib.stats.checklists import score

REPLIES = 20  # of one verdict that are shown; the page of its job has all


@dataclass(frozen=True)
class QuestionCell:
    """The verdict on one question. part: None if the verdict has none for it."""

    part: Part | None

    @property
    def met(self) -> bool | None:
        return None if self.part is None or self.part.score_first is None else self.part.score_first > 0

    @property
    def flagged(self) -> bool:
        """Matched other than word for word: a person should check that it is about this question."""
        return self.part is not None and self.part.joined != Part.Joined.EXACT


@dataclass(frozen=True)
class ItemJudgement:
    """The newest verdict about one answer. score: 0..1 by a checklist, without one as the judge gave it; None if
    unreadable or outdated.

    cells: one for each question of today's checklist; surplus: parts that fit none of them. criteria: all parts, if the
    item has no checklist. outdated: it is about an earlier version of the item, so its parts may be about other
    questions.
    """

    answer: Answer
    verdict: Verdict | None
    cells: Sequence[QuestionCell]
    surplus: Sequence[Part]
    score: float | None
    outdated: bool = False
    criteria: Sequence[Part] = ()

    @property
    def flagged(self) -> bool:
        doubtful = any(part.joined == Part.Joined.POSITION for part in self.criteria)
        return doubtful or bool(self.surplus) or any(cell.flagged for cell in self.cells)


@dataclass(frozen=True)
class ItemVerdicts:
    case: Case
    rows: Sequence[ItemJudgement]

    @property
    def by_checklist(self) -> bool:
        return bool(self.case.judged.checklist)

    @property
    def axes(self) -> Sequence[str]:
        """The criteria with any score, in the judge's order."""
        return list(dict.fromkeys(part.axis for row in self.rows for part in row.criteria))

    @property
    def scored(self) -> Sequence[tuple[ItemJudgement, Sequence[float | None]]]:
        """Each row with its score by each of the axes; none with a checklist."""
        axes = [] if self.by_checklist else self.axes
        scores_by_row = [(row, {part.axis: part.score_first for part in row.criteria}) for row in self.rows]
        return [(row, [scores.get(axis) for axis in axes]) for row, scores in scores_by_row]

    @property
    def met(self) -> Sequence[tuple[int, int]]:
        """(answers that meet it, answers with a verdict on it) for each question."""
        met_by_question = [
            [row.cells[index].met for row in self.rows] for index in range(len(self.case.judged.checklist))
        ]
        return [
            (sum(is_met is True for is_met in flags), sum(is_met is not None for is_met in flags))
            for flags in met_by_question
        ]


def judges_of(item: Item) -> list[Judge]:
    """Judges with verdicts on single answers to the item."""
    return list(Judge.objects.filter(verdicts__item=item, verdicts__second=None).distinct())


def item_verdicts(item: Item, judge: Judge | None) -> ItemVerdicts | None:
    """item: with base and project. None if the item cannot be judged in its current state. Three queries.

    Authors without a verdict of this judge are rows too, so that missing verdicts are visible.
    """
    case = case_of(item)
    if case is None:
        return None
    answers = Answer.objects.current().filter(item=item).select_related("author").order_by("author__name", "sample")
    newest = _newest(item, judge)
    parts = _parts(list(newest.values()))
    rows = [_about(answer, newest.get(answer.pk), parts, case) for answer in answers]
    return ItemVerdicts(case, sorted(rows, key=_best_first))


def _best_first(row: ItemJudgement) -> tuple[float, str]:
    return (-1.0 if row.score is None else row.score) * -1, row.answer.author.name


def _newest(item: Item, judge: Judge | None) -> dict[int, Verdict]:
    """answer -> the newest verdict."""
    if judge is None:
        return {}
    verdicts = Verdict.objects.single().filter(item=item, judge=judge).order_by("pk")
    return {verdict.first_id: verdict for verdict in verdicts}


def _parts(verdicts: Collection[Verdict]) -> dict[int, list[Part]]:
    """verdict -> its parts in the order of the checklist."""
    parts_by_verdict: dict[int, list[Part]] = defaultdict(list)
    for part in Part.objects.filter(verdict__in=verdicts).order_by("pk"):
        parts_by_verdict[part.verdict_id].append(part)
    return parts_by_verdict


def _about(answer: Answer, verdict: Verdict | None, parts: Mapping[int, Sequence[Part]], case: Case) -> ItemJudgement:
    return _judgement(answer, verdict, parts.get(verdict.pk, ()) if verdict else (), case)


def _judgement(answer: Answer, verdict: Verdict | None, parts: Sequence[Part], case: Case) -> ItemJudgement:
    questions = case.judged.checklist
    outdated = verdict is not None and verdict.case_sha != case.sha256
    if not questions:
        total_score = None if verdict is None or outdated else _score(verdict, [], case)
        return ItemJudgement(answer, verdict, [], [], total_score, outdated, criteria=parts)
    by_axis = {part.axis: part for part in parts}
    cells = [QuestionCell(by_axis.pop(str(number), None)) for number in range(1, len(questions) + 1)]
    total_score = None if verdict is None or outdated else _score(verdict, cells, case)
    return ItemJudgement(answer, verdict, cells, list(by_axis.values()), total_score, outdated)


def _score(verdict: Verdict, cells: Sequence[QuestionCell], case: Case) -> float | None:
    """The score by the rule of the item if the judge went through its checklist, else the judge's number."""
    if verdict.reading != Verdict.Reading.OK:
        return None
    if not any(cell.part for cell in cells):
        return verdict.score_first
    met = [index for index, cell in enumerate(cells) if cell.met]
    return score(met, [question.weight for question in case.judged.checklist], case.judged.rule)


def replies(verdict: Verdict) -> list[Call]:
    """All calls for a verdict of our own runs, in order; none for an imported verdict."""
    if verdict.job_id is None:
        return []
    return list(Call.objects.filter(job=verdict.job_id).order_by("sent_at", "pk")[:REPLIES])
