"""Agreement about one question of a project whose questions are data: the coefficients of its level."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.kinds.questions.base import Level as QuestionLevel
from annotate.kinds.questions.types.rubric import Rubric
from annotate.kinds.questions.types.spans import Spans
from annotate.models import Project
from judging.boards.agreement.judge_costs import JudgeCost, judge_costs
from judging.boards.agreement.judged_questions import ComparedAnswers, compared_answers, question_headline
from judging.boards.agreement.numbers import Headline
from judging.boards.agreement.numbers import as_json as headline_json
from judging.boards.agreement.parts import ALPHA, by_part, rubric_figures, rubric_lines
from judging.boards.agreement.span_agreement import span_coefficients
from judging.boards.agreement.span_retrieval import judged_spans, retrieval_lines
from judging.boards.report import Refused, ReportOutput
from judging.boards.report import table as text_table
from judging.ratings.question_ratings import QuestionRatings
from judging.ratings.rating_subjects import compared_names
from judging.ratings.rubric_scores import rubric_ratings
from judging.ratings.tables import answers_to_questions
from judging.ratings.units import Today
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
    """name: such as alpha_ordinal. n: units with at least two raters; of span_f1 pairs of ratings, of matched spans
    these. note: why there is no value or interval.
    """

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


def question_agreement(project: Project, name: str, today: Today | None = None) -> QuestionAgreement:
    """today: of this project, if the caller reads more of it.

    Raises Refused for a question that there is not, or whose answers are not compared.
    """
    compared = compared_answers(project.kind, name)
    if compared is None:
        is_own_question = name in project.kind.questions()
        why = "has answers that are not compared" if is_own_question else "is not a question of this project"
        comparable = ", ".join(compared_names(project.kind)) or "none"
        raise Refused(f"“{name}” {why}; questions with agreement: {comparable}.")
    today, more = today or Today(project), {}
    (question_ratings, _state), question = answers_to_questions(today), compared.question
    answers = {
        item: {rater: compared.value(answer) for rater, answer in by_rater.items()}
        for item, by_rater in question_ratings.by_question.get(compared.source, {}).items()
    }
    if question is not None and question.parted:
        return _of_parts(project, compared, answers, question_ratings)
    if isinstance(question, Spans):
        of_spans = span_coefficients(project, question, answers, question_ratings.clusters)
        coefficients_found = [_clustered(*coefficient) for coefficient in of_spans]
        more = {"judged_spans": [row.as_json() for row in judged_spans(today, question)]}
    else:
        coefficients_found = _coefficients(compared.level, answers, question_ratings.clusters)
    return _agreement(compared, answers, coefficients_found, left_out=question_ratings.left_out, more=more)


def _of_parts(
    project: Project, compared: ComparedAnswers, answers: Answers, question_ratings: QuestionRatings
) -> QuestionAgreement:
    """Parts are the units, resampled with their item; of a rubric the agreement about the score of items, too."""
    parts = by_part(answers, question_ratings.clusters)
    left_out = {**question_ratings.left_out, **({"cannot tell": parts.cannot_tell} if parts.cannot_tell else {})}
    of_parts = _coefficients(compared.level, parts.by_part, parts.clusters)
    if not isinstance(compared.question, Rubric):
        return _agreement(compared, parts.by_part, of_parts, left_out=left_out)
    rubric = rubric_ratings(project, compared.question, answers)
    of_scores = _alpha(rubric.scores, "interval", question_ratings.clusters)
    more = rubric_figures(rubric, parts, question_ratings.clusters)
    return _agreement(compared, parts.by_part, [*of_parts, of_scores], left_out=left_out, more=more)


def _agreement(
    compared: ComparedAnswers,
    answers: Answers,
    values: Sequence[QuestionCoefficient],
    *,
    left_out: Mapping[str, int],
    more: Mapping[str, Any] | None = None,
) -> QuestionAgreement:
    alone = sum(len(by_rater) == 1 for by_rater in answers.values())
    return QuestionAgreement(
        question=compared.name,
        type=compared.type,
        units=len(answers),
        raters=len({rater for by_rater in answers.values() for rater in by_rater}),
        ratings=sum(map(len, answers.values())),
        coefficients=values,
        left_out={**left_out, **({"one rater": alone} if alone else {})},
        more=more or {},
    )


def _coefficients(level: QuestionLevel, answers: Answers, clusters: Mapping[Any, str]) -> list[QuestionCoefficient]:
    if level == "masi":
        sets = {unit: list(by_rater.values()) for unit, by_rater in answers.items()}
        return [_clustered("alpha_masi", "masi", alpha_of_sets(sets, clusters=clusters or None))]
    if level == "ranking":
        orders = {unit: list(by_rater.values()) for unit, by_rater in answers.items()}
        return [_clustered("kendall_w", "ordinal", mean_kendall_w(orders, clusters=clusters or None))]
    return [_alpha(answers, of, clusters) for of in LEVELS[level]]


def _clustered(name: str, level: str, coefficient: ClusteredValue) -> QuestionCoefficient:
    return QuestionCoefficient(
        name, level, coefficient.value, coefficient.low, coefficient.high, coefficient.n, coefficient.note
    )


def _alpha(answers: Answers, level: Level, clusters: Mapping[Any, str]) -> QuestionCoefficient:
    rows = ((str(unit), rater, value) for unit, by_rater in answers.items() for rater, value in by_rater.items())
    table = ratings(rows, level).clustered({str(unit): cluster for unit, cluster in clusters.items()})
    alpha = coefficients(table, names=[ALPHA])[ALPHA]
    met = sum(len(by_rater) > 1 for by_rater in answers.values())
    return QuestionCoefficient(f"alpha_{level}", level, alpha.value, alpha.low, alpha.high, met, alpha.note)


def question_report(project: Project, name: str) -> ReportOutput:
    """One question, or without a name all that have agreement; people alone, and under `headline` beside judges."""
    names = [name] if name else compared_names(project.kind)
    if not names:
        raise Refused("This project has no question whose answers are compared.")
    today = Today(project)
    agreements = [question_agreement(project, question, today) for question in names]
    headlines = [question_headline(today, question) for question in names]
    values = [
        agreement.as_json() | ({"headline": headline_json(headline)} if headline else {})
        for agreement, headline in zip(agreements, headlines, strict=True)
    ]
    costs = judge_costs(today, [])
    judge_lines = _judges_as_text(dict(zip(names, headlines, strict=True)))
    questions = project.kind.questions()
    spans = [(of, question) for of in names if isinstance(question := questions.get(of), Spans)]
    retrieved = [line for of, question in spans for line in retrieval_lines(of, judged_spans(today, question))]
    text = "\n".join([_as_text(agreements), *judge_lines, *retrieved, *_costs_as_text(costs)])
    value = values[0] if name else {"questions": values}
    return ReportOutput(value | ({"costs": [cost.as_json() for cost in costs]} if costs else {}), text)


def _costs_as_text(costs: Sequence[JudgeCost]) -> list[str]:
    header = ["judge", "items", "calls", "tokens in", "tokens out", "USD"]
    rows = [
        [str(cost.judge), *map(str, (cost.items, cost.calls, cost.tokens_in, cost.tokens_out)), f"{cost.cost:.4f}"]
        for cost in costs
    ]
    return ["", text_table(header, rows, left=1)] if rows else []


def _judges_as_text(headlines: Mapping[str, Headline | None]) -> list[str]:
    header = ["question", "judge", "coefficient", "with people", "people", "difference", "from", "to", "units"]
    rows = [
        [
            name,
            entry.judge.name,
            headline.coefficient,
            *map(_number, (entry.both.judge.value, entry.both.people.value)),
            *map(_number, (entry.both.difference.value, entry.both.difference.low, entry.both.difference.high)),
            str(entry.both.judge.units),
        ]
        for name, headline in headlines.items()
        if headline is not None
        for entry in headline.judges
    ]
    return ["", text_table(header, rows, left=3)] if rows else []


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
