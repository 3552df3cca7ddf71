"""What one judge said about all answers to one item, question by question or criterion by criterion."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from annotate.models import Call, Item
from judging.models import Answer, Judge, Part, Verdict
from judging.services.cases import Case, case_of
from lib.stats.checklists import score

REPLIES = 20  # of one verdict that are shown; the page of its job has all


@dataclass(frozen=True)
class Cell:
    """What was said about one question. part: None where the verdict has none for it."""

    part: Part | None

    @property
    def met(self) -> bool | None:
        return None if self.part is None or self.part.score_first is None else self.part.score_first > 0

    @property
    def flagged(self) -> bool:
        """Found other than word for word: a person should look whether it is about this question."""
        return self.part is not None and self.part.joined != Part.Joined.EXACT


@dataclass(frozen=True)
class Judgement:
    """The newest verdict about one answer. score: 0..1 by a checklist, without one as the judge gave it; None where
    nothing could be read or it is outdated.

    cells: one for each question of today's checklist; surplus: parts that fit none of them. criteria: all parts, where
    the item has no checklist. outdated: it is about the
    item as it was before, so its parts need not be about these questions.
    """

    answer: Answer
    verdict: Verdict | None
    cells: Sequence[Cell]
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
    rows: Sequence[Judgement]

    @property
    def by_checklist(self) -> bool:
        return bool(self.case.judged.checklist)

    @property
    def axes(self) -> Sequence[str]:
        """The criteria that anything was said about, in the judge's order."""
        return list(dict.fromkeys(part.axis for row in self.rows for part in row.criteria))

    @property
    def scored(self) -> Sequence[tuple[Judgement, Sequence[float | None]]]:
        """Each row with its score by each of the axes."""
        scores_by_row = [(row, {part.axis: part.score_first for part in row.criteria}) for row in self.rows]
        return [(row, [scores.get(axis) for axis in self.axes]) for row, scores in scores_by_row]

    @property
    def met(self) -> Sequence[tuple[int, int]]:
        """(answers that meet it, answers of which something was said) for each question."""
        met_by_question = [
            [row.cells[index].met for row in self.rows] for index in range(len(self.case.judged.checklist))
        ]
        return [
            (sum(is_met is True for is_met in flags), sum(is_met is not None for is_met in flags))
            for flags in met_by_question
        ]


def judges_of(item: Item) -> list[Judge]:
    """Those who said something about single answers to it."""
    return list(Judge.objects.filter(verdicts__item=item, verdicts__second=None).distinct())


def item_verdicts(item: Item, judge: Judge | None) -> ItemVerdicts | None:
    """item: with base and project. None where the item cannot be judged as it stands. Three queries.

    Authors without a verdict of this judge are rows too: what is missing is as much to be seen as what is there.
    """
    case = case_of(item)
    if case is None:
        return None
    answers = Answer.objects.current().filter(item=item).select_related("author").order_by("author__name", "sample")
    newest = _newest(item, judge)
    parts = _parts(list(newest.values()))
    rows = [_about(answer, newest.get(answer.pk), parts, case) for answer in answers]
    return ItemVerdicts(case, sorted(rows, key=_best_first))


def _best_first(row: Judgement) -> tuple[float, str]:
    return (-1.0 if row.score is None else row.score) * -1, row.answer.author.name


def _newest(item: Item, judge: Judge | None) -> dict[int, Verdict]:
    """answer -> what was said last."""
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


def _about(answer: Answer, verdict: Verdict | None, parts: Mapping[int, Sequence[Part]], case: Case) -> Judgement:
    return _judgement(answer, verdict, parts.get(verdict.pk, ()) if verdict else (), case)


def _judgement(answer: Answer, verdict: Verdict | None, parts: Sequence[Part], case: Case) -> Judgement:
    questions = case.judged.checklist
    outdated = verdict is not None and verdict.case_sha != case.sha256
    if not questions:
        total_score = None if verdict is None or outdated else _score(verdict, [], case)
        return Judgement(answer, verdict, [], [], total_score, outdated, criteria=parts)
    by_axis = {part.axis: part for part in parts}
    cells = [Cell(by_axis.pop(str(number), None)) for number in range(1, len(questions) + 1)]
    total_score = None if verdict is None or outdated else _score(verdict, cells, case)
    return Judgement(answer, verdict, cells, list(by_axis.values()), total_score, outdated)


def _score(verdict: Verdict, cells: Sequence[Cell], case: Case) -> float | None:
    """By the rule of the item where the judge went through its checklist, else the number that it gave."""
    if verdict.reading != Verdict.Reading.OK:
        return None
    if not any(cell.part for cell in cells):
        return verdict.score_first
    met = [index for index, cell in enumerate(cells) if cell.met]
    return score(met, [question.weight for question in case.judged.checklist], case.judged.rule)


def replies(verdict: Verdict) -> list[Call]:
    """Everything that was sent for a verdict of a run of ours, in its order; nothing for an imported one."""
    if verdict.job_id is None:
        return []
    return list(Call.objects.filter(job=verdict.job_id).order_by("sent_at", "pk")[:REPLIES])
