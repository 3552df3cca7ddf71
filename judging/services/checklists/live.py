"""What answers that were judged already would score under a checklist that somebody is editing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.db.models import Count

from annotate.kinds.judged import Judged
from annotate.kinds.values import BadShape
from annotate.models import Item
from judging.models import Answer, Judge
from judging.services.cases import Case, case_of
from judging.services.checklists import said
from judging.services.checklists.statistics import QuestionStatistics, of_item
from judging.strategies.checklist.joining import join
from lib.stats.checklists import score
from lib.stats.questions import Met

JOINED = ("exact", "close")  # by its place alone a question may ask for something else by now


@dataclass(frozen=True)
class Line:
    """One question as it stands in the form. met: by the chosen answer, None where it was not judged yet.

    reworded: it was judged in slightly other words. known: how the question as judged works; None for a new one.
    """

    no: int
    text: str
    weight: float | None
    met: bool | None
    reworded: bool
    known: QuestionStatistics | None


@dataclass(frozen=True)
class Scored:
    """An answer without its author. low, high: 0..1, what it scores if no, or every, unjudged question is met."""

    number: int
    low: float
    high: float

    @property
    def sure(self) -> bool:
        return self.high - self.low < 1e-9


@dataclass(frozen=True)
class Live:
    """lines: None where the form cannot be read as a checklist. moved: the conversation has changed since judging."""

    judge: Judge
    answers: Sequence[Scored]
    chosen: int
    text: str
    lines: Sequence[Line] | None
    moved: bool = False

    @property
    def unjudged(self) -> int:
        return sum(line.known is None for line in self.lines or ())

    @property
    def score(self) -> Scored | None:
        return next((scored_answer for scored_answer in self.answers if scored_answer.number == self.chosen), None)


def live_scores(item: Item, posted: Mapping[str, Any], answer_number: int = 1) -> Live | None:
    """item: with base and project. posted: the draft as the form holds it, not yet checked. chosen: a number from 1.

    None where no judge has gone through its checklist. The judge is the one who said most about the item. Answers
    are numbered in an order that says nothing about their authors. Nine queries at most.
    """
    judges = _judges(item)
    case = case_of(item) if judges else None
    if case is None:
        return None
    judge, judged = judges[0], said.read([item.pk], judges)
    met_by_answer = judged.said.get(judge.pk, {})
    answers = sorted(
        (answer for _item, answer in met_by_answer), key=lambda pk: sha256(f"{item.pk}/{pk}".encode()).digest()
    )
    if not answers:
        return None
    number = min(max(answer_number, 1), len(answers))
    edited = _edited(case, posted)
    text = Answer.objects.values_list("text", flat=True).get(pk=answers[number - 1])
    if edited is None:
        return Live(judge, [], number, text, None)
    question_statistics = of_item(item.pk, judge, judges, judged)
    joints = _joints(case, edited)
    met = {answer: _met(met_by_answer[item.pk, answer], joints) for answer in answers}
    return Live(
        judge=judge,
        answers=[_scored(position, met[answer], edited) for position, answer in enumerate(answers, start=1)],
        chosen=number,
        text=text,
        lines=_lines(edited, joints, met[answers[number - 1]], question_statistics),
        moved=list(edited.messages) != list(case.judged.messages),
    )


def _judges(item: Item) -> list[Judge]:
    """Who said something about single answers to it, whoever said most first."""
    single = Judge.objects.filter(verdicts__item=item, verdicts__second=None)
    return list(single.annotate(count=Count("verdicts")).order_by("-count", "-pk"))


def _edited(case: Case, posted: Mapping[str, Any]) -> Judged | None:
    """What the form says now; None where it is not a draft yet, such as with a weight that is no number."""
    kind, item = case.item.project.kind, case.item
    try:
        facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
        return kind.judged(facts, kind.read_draft(posted), item.project.kind_options)
    except BadShape:
        return None


def _joints(case: Case, edited: Judged) -> list[tuple[int | None, str]]:
    """For each question of the form its place in the checklist that was judged, None for a new one, and how found."""
    questions = [question.text for question in edited.checklist]
    joints = join(questions, [question.text for question in case.judged.checklist])[: len(questions)]
    return [(joint.said if joint.how in JOINED else None, joint.how) for joint in joints]


def _met(met_flags: Met, joints: Sequence[tuple[int | None, str]]) -> list[bool | None]:
    return [None if position is None else met_flags[position] for position, _how in joints]


def _scored(number: int, met: Sequence[bool | None], edited: Judged) -> Scored:
    weights = [question.weight for question in edited.checklist]
    sure = [position for position, is_met in enumerate(met) if is_met]
    possible = [position for position, is_met in enumerate(met) if is_met is not False]
    return Scored(number, score(sure, weights, edited.rule), score(possible, weights, edited.rule))


def _lines(
    edited: Judged,
    joints: Sequence[tuple[int | None, str]],
    met: Sequence[bool | None],
    question_statistics: Sequence[QuestionStatistics],
) -> list[Line]:
    return [
        Line(
            no=no,
            text=question.text,
            weight=question.weight,
            met=is_met,
            reworded=how == "close",
            known=None if position is None else question_statistics[position],
        )
        for no, (question, (position, how), is_met) in enumerate(
            zip(edited.checklist, joints, met, strict=True), start=1
        )
    ]
