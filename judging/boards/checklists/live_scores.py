"""Live scores in a form: what answers would score that were judged already, under a checklist being edited."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotate.kinds.protocol import JudgedItem
from annotate.kinds.values import BadShape
from annotate.models import Item
from annotate.web.access import WORKERS, item_seen_by, membership
from judging.answers.cases import Case, case_of
from judging.boards.checklists import numbers
from judging.boards.checklists.numbers import QuestionStatistics, of_item
from judging.models import Answer, Judge
from judging.strategies.checklist.joints import join
from lib.stats.checklists import Met, score

JOINED = ("exact", "close")  # a question joined by its place alone may ask for something else by now


@dataclass(frozen=True)
class LiveQuestion:
    """One question as it is in the form. met: whether the chosen answer meets it, None if not judged yet.

    reworded: it was judged in slightly other words. known: statistics of the question as judged; None if it is new.
    """

    no: int
    text: str
    weight: float | None
    met: bool | None
    reworded: bool
    known: QuestionStatistics | None


@dataclass(frozen=True)
class LiveAnswer:
    """An answer without its author. low, high: 0..1, its score if none, or all, of the unjudged questions are met."""

    number: int
    low: float
    high: float

    @property
    def sure(self) -> bool:
        return self.high - self.low < 1e-9


@dataclass(frozen=True)
class LiveScores:
    """lines: None if the form cannot be read as a checklist. moved: the conversation has changed since judging."""

    judge: Judge
    answers: Sequence[LiveAnswer]
    chosen: int
    text: str
    lines: Sequence[LiveQuestion] | None
    moved: bool = False

    @property
    def unjudged(self) -> int:
        return sum(line.known is None for line in self.lines or ())

    @property
    def score(self) -> LiveAnswer | None:
        return next((scored_answer for scored_answer in self.answers if scored_answer.number == self.chosen), None)


def live_scores(item: Item, posted: Mapping[str, Any], answer_number: int = 1) -> LiveScores | None:
    """item: with base and project. posted: the draft in the form, not validated. answer_number: the chosen one, from 1.

    None if no judge has gone through its checklist. The judge is the one with most verdicts about the item. Answers are
    numbered in an order that reveals nothing about their authors. Nine queries at most.
    """
    judges = _judges(item)
    case = case_of(item) if judges else None
    if case is None:
        return None
    judge, judged = judges[0], numbers.read_questions([item.pk], judges)
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
        return LiveScores(judge, [], number, text, None)
    question_statistics = of_item(item.pk, judge, judges, judged)
    joints = _joints(case, edited)
    met = {answer: _met(met_by_answer[item.pk, answer], joints) for answer in answers}
    return LiveScores(
        judge=judge,
        answers=[_scored(position, met[answer], edited) for position, answer in enumerate(answers, start=1)],
        chosen=number,
        text=text,
        lines=_lines(edited, joints, met[answers[number - 1]], question_statistics),
        moved=list(edited.messages) != list(case.judged.messages),
    )


def _judges(item: Item) -> list[Judge]:
    """Judges with verdicts about single answers to the item, the one with most verdicts first."""
    single = Judge.objects.filter(verdicts__item=item, verdicts__second=None)
    return list(single.annotate(count=Count("verdicts")).order_by("-count", "-pk"))


def _edited(case: Case, posted: Mapping[str, Any]) -> JudgedItem | None:
    """The checklist in the form; None if the form is not a valid draft yet, such as with a weight that is no number."""
    kind, item = case.item.project.kind, case.item
    try:
        facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
        return kind.judged(facts, kind.read_draft(posted), item.project.kind_options)
    except BadShape:
        return None


def _joints(case: Case, edited: JudgedItem) -> list[tuple[int | None, str]]:
    """For each question of the form: its place in the judged checklist, None if it is new, and how it was joined."""
    questions = [question.text for question in edited.checklist]
    joints = join(questions, [question.text for question in case.judged.checklist])[: len(questions)]
    return [(joint.said if joint.how in JOINED else None, joint.how) for joint in joints]


def _met(met_flags: Met, joints: Sequence[tuple[int | None, str]]) -> list[bool | None]:
    return [None if position is None else met_flags[position] for position, _how in joints]


def _scored(number: int, met: Sequence[bool | None], edited: JudgedItem) -> LiveAnswer:
    weights = [question.weight for question in edited.checklist]
    sure = [position for position, is_met in enumerate(met) if is_met]
    possible = [position for position, is_met in enumerate(met) if is_met is not False]
    return LiveAnswer(number, score(sure, weights, edited.rule), score(possible, weights, edited.rule))


def _lines(
    edited: JudgedItem,
    joints: Sequence[tuple[int | None, str]],
    met: Sequence[bool | None],
    question_statistics: Sequence[QuestionStatistics],
) -> list[LiveQuestion]:
    return [
        LiveQuestion(
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


@never_cache
@require_POST
@login_required
def live_scores_part(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A fragment of the work and review pages: scores under the checklist in their form. Writes nothing.

    Everybody who may see the item may see it; it never names the authors of answers.
    """
    member = membership(request, slug, WORKERS)
    item_seen_by(member, pk)  # else 404
    if not member.project.kind.judges_answers:
        raise Http404
    item = Item.objects.select_related("base", "project").get(pk=pk)
    kind = item.project.kind
    facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
    number_text = request.POST.get("live_answer", "")
    number = int(number_text) if number_text.isascii() and number_text.isdecimal() and len(number_text) < 6 else 1
    scores = live_scores(item, kind.read_form(request.POST, facts), number)
    return render(request, "checklists/_live.html", {"live": scores, "project": member.project, "item": item})
