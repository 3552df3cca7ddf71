"""Pages of agreement in a project with own questions: all questions, and who answered what about one item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from annotate.kinds.questions.base import Question
from annotate.models import Item, Member
from annotate.web.access import project_page
from judging.boards.agreement.agreement_options import QuestionsQuery
from judging.boards.agreement.judge_costs import judge_costs
from judging.boards.agreement.judged_questions import question_headline
from judging.boards.agreement.numbers import Headline, rows_of
from judging.boards.agreement.question_agreement import QuestionAgreement, QuestionCoefficient, question_agreement
from judging.cache import cached
from judging.ratings.question_ratings import answers_about
from judging.ratings.rating_subjects import QUESTION, compared_names
from judging.ratings.tables import answers_to_questions, state_of_questions
from judging.ratings.units import Rater, Today
from lib.stats.agreement import RESAMPLES, SEED
from lib.stats.agreement.pooled import KAPPA
from lib.stats.figures import FEW

ONE_RATER = "one rater"


@dataclass(frozen=True)
class QuestionRow:
    """A question or score of the table. headline: None where judges are not compared with people."""

    name: str
    label: str
    agreement: QuestionAgreement
    headline: Headline | None

    @property
    def coefficients(self) -> Sequence[QuestionCoefficient]:
        """Of people; the one that judges are compared by comes first."""
        if self.headline is None or self.headline.coefficient != KAPPA:
            return self.agreement.coefficients
        people = self.headline.people
        numbers = people.value, people.low, people.high, people.units, people.note
        return [QuestionCoefficient(KAPPA, "nominal", *numbers), *self.agreement.coefficients]

    @property
    def first(self) -> QuestionCoefficient:
        return self.coefficients[0]

    @property
    def others(self) -> Sequence[QuestionCoefficient]:
        return self.coefficients[1:]

    @property
    def units(self) -> int:
        """Items, or parts, that two people have answered; a coefficient of spans counts pairs of answers."""
        return self.headline.people.units if self.headline else self.first.n

    @property
    def alone(self) -> int:
        return self.agreement.left_out.get(ONE_RATER, 0)

    @property
    def about(self) -> str:
        """The query of the page and of the units about it."""
        return urlencode({"about": QUESTION + self.name})


@dataclass(frozen=True)
class ComparedQuestions:
    """Figures of all questions, without the answers. figures: name -> agreement, and that with judges, if compared.

    left_out, judges_left_out: reason -> texts, verdicts; texts, people, judges: how many count.
    """

    figures: Mapping[str, tuple[QuestionAgreement, Headline | None]]
    left_out: Mapping[str, int]
    judges_left_out: Mapping[str, int]
    texts: int
    people: int
    judges: int


def compared_questions(today: Today) -> ComparedQuestions:
    """Cached until an answer, a verdict, an item or the definition changes."""
    return cached("compared-questions", state_of_questions(today), partial(_compared_questions, today))


def _compared_questions(today: Today) -> ComparedQuestions:
    ratings, _state = answers_to_questions(today)
    return ComparedQuestions(
        figures={
            name: (question_agreement(today.project, name, today), question_headline(today, name))
            for name in compared_names(today.project.kind)
        },
        left_out=dict(ratings.left_out),
        judges_left_out=dict(ratings.judges_left_out),
        texts=len(ratings.sources),
        people=len(ratings.people),
        judges=len(ratings.judges),
    )


def question_table_rows(today: Today) -> list[QuestionRow]:
    """The questions and scores whose answers are compared, in order."""
    return _rows(today, compared_questions(today))


def _rows(today: Today, compared: ComparedQuestions) -> list[QuestionRow]:
    questions = today.project.kind.questions()
    return [
        QuestionRow(name, questions[name].label() if name in questions else name, agreement, headline)
        for name, (agreement, headline) in compared.figures.items()
    ]


def questions_context(query: QuestionsQuery) -> dict[str, Any]:
    """rows: of the table. uncompared: the other questions. left_out: reason -> texts; texts: how many count.

    costs: of each judge; divided: the questions whose agreement stands beside them.
    """
    today = query.today
    compared = compared_questions(today)
    rows = _rows(today, compared)
    names = {row.name for row in rows}
    divided = [row for row in rows if _is_divisible(today, row.name)]
    return {
        "divided": divided,
        "costs": judge_costs(today, [row.name for row in divided]),
        "rows": rows,
        "uncompared": [question for name, question in today.project.kind.questions().items() if name not in names],
        "left_out": compared.left_out,
        "judges_left_out": compared.judges_left_out,
        "texts": compared.texts,
        "people": compared.people,
        "judges": compared.judges,
        "unit": today.project.kind.unit_column,
        "few": FEW,
        "drawn": (RESAMPLES, SEED),
        "simulated": any(judge.simulated for judge in today.judges),
    }


def _is_divisible(today: Today, name: str) -> bool:
    question = today.project.kind.questions().get(name)
    return question is not None and question.divisible


def question_rows(today: Today) -> list[dict[str, Any]]:
    """The CSV: a row for each coefficient of people, and one for each judge beside people."""
    rows: list[dict[str, Any]] = []
    for row in question_table_rows(today):
        question = {"question": row.name, "type": row.agreement.type}
        rows += [question | _coefficient_cells(coefficient) for coefficient in row.coefficients]
        judges = rows_of(row.headline)[1:] if row.headline else []
        rows += [question | {name: judge.get(name) for name in CELLS} for judge in judges]
    return rows


CELLS = ("rater", "coefficient", "value", "low", "high", "units", "note", "difference", "difference_low",
         "difference_high")  # fmt: skip


def _coefficient_cells(coefficient: QuestionCoefficient) -> dict[str, Any]:
    cells: dict[str, Any] = dict.fromkeys(CELLS)
    return cells | {
        "rater": "people",
        "coefficient": coefficient.name,
        "value": coefficient.value,
        "low": coefficient.low,
        "high": coefficient.high,
        "units": coefficient.n,
        "note": coefficient.note,
    }


# One item.


@dataclass(frozen=True)
class AnsweredQuestion:
    """answers: (rater, name that this reader may see, the answer in words), of those who answered. agrees: whether all
    of several people gave equal answers; None where that cannot be said."""

    question: Question
    answers: Sequence[tuple[Rater, str, str]]
    agrees: bool | None


def agreement_item(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """Every answer to every question about one item."""
    project = member.project
    if not project.kind.defined:
        raise Http404
    item = get_object_or_404(Item.objects.counted(), project=project, pk=pk)
    given = answers_about(item, Today(project))
    names = _names([rater for rater, _answers in given], member)
    questions = [
        AnsweredQuestion(
            question,
            [
                (rater, names[rater], project.kind.shown(name, answers[name]) or _("none of them"))
                for rater, answers in given
                if question.is_answered(answers.get(name))
            ],
            _agrees(question, [answers.get(name) for rater, answers in given if rater.sort == "person"]),
        )
        for name, question in project.kind.questions().items()
    ]
    context = {"item": item, "questions": questions, "raters": len(given)}
    return project_page(request, member, "agreement/item.html", context, tab="agreement")


def _agrees(question: Question, answers: Sequence[Any]) -> bool | None:
    measured = [value for value in map(question.measured, answers) if value is not None] if question.level else []
    return all(value == measured[0] for value in measured) if len(measured) > 1 else None


def _names(raters: Sequence[Rater], member: Member) -> Mapping[Rater, str]:
    """Only leads read people's names."""
    people = [rater for rater in raters if rater.sort == "person"]
    numbered = {rater: _("Person %(number)d") % {"number": number} for number, rater in enumerate(people, 1)}
    return {rater: rater.name if rater not in numbered or member.leads else numbered[rater] for rater in raters}
