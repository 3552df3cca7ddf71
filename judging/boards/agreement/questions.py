"""Agreement about one question of a project whose questions are data: the coefficients of its level."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.kinds.questions.base import Question
from annotate.kinds.questions.types.rubric import Rubric
from annotate.models import Project
from judging.boards.agreement.parts import ALPHA, by_part, rubric_figures, rubric_lines, rubric_ratings
from judging.boards.report import Refused, ReportOutput
from judging.boards.report import table as text_table
from judging.ratings.question_ratings import QuestionRatings, question_ratings
from lib.stats.agreement import Level, coefficients, ratings
from lib.stats.agreement.sets_and_ranks import ClusteredValue, alpha_of_sets, mean_kendall_w

LEVELS: Mapping[str, Sequence[Level]] = {
    "nominal": ("nominal",),
    "ordinal": ("ordinal", "interval"),
    "interval": ("interval",),
}
Answers = Mapping[Any, Mapping[str, Any]]  # unit -> rater -> answer


@dataclass(frozen=True)
class QuestionCoefficient:
    """name: such as alpha_ordinal. n: units with at least two raters. note: why there is no value or interval."""

    name: str
    level: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    note: str = ""


@dataclass(frozen=True)
class QuestionAgreement:
    """units: items with an answer, or their parts; raters and ratings: how many gave how many.

    left_out: reason -> texts or units. more: what only this type of question has.
    """

    question: str
    type: str
    units: int
    raters: int
    ratings: int
    coefficients: Sequence[QuestionCoefficient]
    left_out: Mapping[str, int]
    more: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "type": self.type,
            "units": self.units,
            "raters": self.raters,
            "ratings": self.ratings,
            "coefficients": [_without_empty_note(vars(coefficient)) for coefficient in self.coefficients],
            "left_out": dict(self.left_out),
            **self.more,
        }


def _without_empty_note(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != "note" or value}


def question_agreement(project: Project, name: str) -> QuestionAgreement:
    """Raises Refused for a question that there is not, or whose answers are not compared."""
    question = project.kind.questions().get(name)
    comparable = [question.name for question in project.kind.questions().values() if question.level]
    if question is None or not question.level:
        why = "has answers that are not compared" if question else "is not a question of this project"
        raise Refused(f"“{name}” {why}; questions with agreement: {', '.join(comparable) or 'none'}.")
    found = question_ratings(project)
    answers = found.by_question.get(name, {})
    if question.parted:
        return _of_parts(project, question, answers, found)
    coefficients_found = _coefficients(question, answers, found.clusters)
    return _agreement(question, answers, coefficients_found, left_out=found.left_out)


def _of_parts(project: Project, question: Question, answers: Answers, found: QuestionRatings) -> QuestionAgreement:
    """Parts are the units, resampled with their item; of a rubric the agreement about the score of items, too."""
    parts = by_part(answers, found.clusters)
    left_out = {**found.left_out, **({"cannot tell": parts.cannot_tell} if parts.cannot_tell else {})}
    of_parts = _coefficients(question, parts.by_part, parts.clusters)
    if not isinstance(question, Rubric):
        return _agreement(question, parts.by_part, of_parts, left_out=left_out)
    rubric = rubric_ratings(project, question, answers)
    of_scores = _alpha(rubric.scores, "interval", found.clusters)
    more = rubric_figures(rubric, parts, found.clusters)
    return _agreement(question, parts.by_part, [*of_parts, of_scores], left_out=left_out, more=more)


def _agreement(
    question: Question,
    answers: Answers,
    found: Sequence[QuestionCoefficient],
    *,
    left_out: Mapping[str, int],
    more: Mapping[str, Any] | None = None,
) -> QuestionAgreement:
    alone = sum(len(by_rater) == 1 for by_rater in answers.values())
    return QuestionAgreement(
        question=question.name,
        type=question.type,
        units=len(answers),
        raters=len({rater for by_rater in answers.values() for rater in by_rater}),
        ratings=sum(map(len, answers.values())),
        coefficients=found,
        left_out={**left_out, **({"one rater": alone} if alone else {})},
        more=more or {},
    )


def _coefficients(question: Question, answers: Answers, clusters: Mapping[Any, str]) -> list[QuestionCoefficient]:
    if question.level == "masi":
        sets = {unit: list(by_rater.values()) for unit, by_rater in answers.items()}
        return [_clustered("alpha_masi", "masi", alpha_of_sets(sets, clusters=clusters or None))]
    if question.level == "ranking":
        orders = {unit: list(by_rater.values()) for unit, by_rater in answers.items()}
        return [_clustered("kendall_w", "ordinal", mean_kendall_w(orders, clusters=clusters or None))]
    return [_alpha(answers, level, clusters) for level in LEVELS[question.level]]


def _clustered(name: str, level: str, found: ClusteredValue) -> QuestionCoefficient:
    return QuestionCoefficient(name, level, found.value, found.low, found.high, found.n, found.note)


def _alpha(answers: Answers, level: Level, clusters: Mapping[Any, str]) -> QuestionCoefficient:
    rows = ((str(unit), rater, value) for unit, by_rater in answers.items() for rater, value in by_rater.items())
    table = ratings(rows, level).clustered({str(unit): cluster for unit, cluster in clusters.items()})
    alpha = coefficients(table, names=[ALPHA])[ALPHA]
    met = sum(len(by_rater) > 1 for by_rater in answers.values())
    return QuestionCoefficient(f"alpha_{level}", level, alpha.value, alpha.low, alpha.high, met, alpha.note)


def question_report(project: Project, name: str) -> ReportOutput:
    """One question, or without a name all that have agreement."""
    names = [name] if name else [question.name for question in project.kind.questions().values() if question.level]
    if not names:
        raise Refused("This project has no question whose answers are compared.")
    agreements = [question_agreement(project, question) for question in names]
    value = agreements[0].as_json() if name else {"questions": [agreement.as_json() for agreement in agreements]}
    return ReportOutput(value, _as_text(agreements))


def _as_text(agreements: Sequence[QuestionAgreement]) -> str:
    header = ["question", "coefficient", "value", "from", "to", "n", "units", "raters", "ratings"]
    rows = [
        [
            agreement.question,
            coefficient.name,
            *(_number(value) for value in (coefficient.value, coefficient.low, coefficient.high)),
            str(coefficient.n),
            *(str(count) for count in (agreement.units, agreement.raters, agreement.ratings)),
        ]
        for agreement in agreements
        for coefficient in agreement.coefficients
    ]
    notes = [
        f"{agreement.question}: {coefficient.note}"
        for agreement in agreements
        for coefficient in agreement.coefficients
        if coefficient.note
    ]
    notes += [line for agreement in agreements for line in rubric_lines(agreement.question, agreement.more)]
    return "\n".join([text_table(header, rows, left=2), "", *notes, "Intervals: 95 %, bootstrap over units."])


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
