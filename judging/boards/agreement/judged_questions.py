"""Judges beside people for each own question: people's agreement, and each judge's with them over the same items.

People and judge are compared by one formula. What a level is compared by is in one place, MEASURES: a type of question
with a level of its own adds an entry.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from annotate.kinds.contract import Kind
from annotate.kinds.questions.base import Level as QuestionLevel
from annotate.kinds.questions.base import Question
from annotate.kinds.questions.types.spans import Spans
from judging.boards.agreement.numbers import Headline, JudgeHeadline
from judging.boards.agreement.parts import by_part
from judging.boards.agreement.span_agreement import ANY, JUDGE, any_span, spans_among, spans_beside
from judging.cache import cached
from judging.ratings.comparisons import MOST_PAIRS
from judging.ratings.question_ratings import QuestionRatings, answers_by_unit
from judging.ratings.rating_subjects import subject_of
from judging.ratings.tables import Somebody, UnitTable, answers_to_questions, unit_table
from judging.ratings.units import Today, Unit
from lib.stats.agreement import Level, RatingTable, ratings
from lib.stats.agreement.people_and_judges import Mean
from lib.stats.agreement.pooled import Pooled, PooledBeside, against, among, coefficient_at
from lib.stats.agreement.sets_and_ranks import (
    ClusteredValue,
    JudgedSets,
    alpha_of_sets,
    mean_kendall_w,
    orders_beside,
    sets_beside,
)
from lib.stats.bootstrap import resampled

Answers = Mapping[Any, Mapping[str, Any]]  # unit -> rater -> answer
Clusters = Mapping[Any, str]  # unit -> what is resampled with it; empty where units stand alone


@dataclass(frozen=True)
class ComparedAnswers:
    """What is compared. source: the question or score whose answers it is made of; value: makes it.

    question: None for what is made of answers.
    """

    name: str
    type: str
    level: QuestionLevel
    source: str
    value: Callable[[Any], Any] = lambda answer: answer
    question: Question | None = None


def compared_answers(kind: Kind, name: str) -> ComparedAnswers | None:
    """A question, a score, or `QUESTION:any:NAME=VALUE` of a question of spans; None if there is no such thing."""
    question = kind.questions().get(name)
    if question is not None and question.level:
        return ComparedAnswers(name, question.type, question.level, name, question=question)
    if name in kind.scores():
        return ComparedAnswers(name, "score", "interval", name)
    source, _colon, rest = name.partition(":")
    word, _colon, condition = rest.partition(":")
    spans = kind.questions().get(source)
    has_one = any_span(spans, condition) if word == ANY and isinstance(spans, Spans) else None
    return ComparedAnswers(name, spans.type, "nominal", source, has_one) if spans and has_one else None


@dataclass(frozen=True)
class JudgedMeasure:
    """people: agreement of people; beside: theirs and a judge's over the units that two of them and the judge have
    rated, and the difference."""

    coefficient: str
    level: str
    people: Callable[[Answers, Clusters], Pooled]
    beside: Callable[[Answers, Mapping[Any, Any], Clusters], PooledBeside]


def _of_level(level: Level) -> JudgedMeasure:
    return JudgedMeasure(coefficient_at(level), level, partial(_among, level), partial(_against, level))


def _among(level: Level, answers: Answers, clusters: Clusters) -> Pooled:
    return among(_table(answers, level, clusters), _raters(answers))


def _against(level: Level, answers: Answers, judged: Mapping[Any, Any], clusters: Clusters) -> PooledBeside:
    both = {unit: {**by_rater, JUDGE: judged[unit]} for unit, by_rater in answers.items() if unit in judged}
    return against(_table(both, level, clusters), _raters(answers), JUDGE)


def _table(answers: Answers, level: Level, clusters: Clusters) -> RatingTable:
    rows = ((str(unit), rater, value) for unit, by_rater in answers.items() for rater, value in by_rater.items())
    return ratings(rows, level).clustered({str(unit): cluster for unit, cluster in clusters.items()})


def _raters(answers: Answers) -> list[str]:
    return list(dict.fromkeys(rater for by_rater in answers.values() for rater in by_rater))


def _without_numbers(
    coefficient: str, level: str, value: Callable[..., ClusteredValue], sides: Callable[..., JudgedSets]
) -> JudgedMeasure:
    """value, sides: as in lib/stats/agreement/sets_and_ranks.py."""

    def people(answers: Answers, clusters: Clusters) -> Pooled:
        pairs = sum(len(by_rater) * (len(by_rater) - 1) // 2 for by_rater in answers.values())
        return _pooled(value(_lists(answers), clusters=clusters or None), pairs)

    def beside(answers: Answers, judged: Mapping[Any, Any], clusters: Clusters) -> PooledBeside:
        found = sides(_lists(answers), judged, clusters=clusters or None)
        return PooledBeside(*(_pooled(side, found.pairs) for side in (found.people, found.judge, found.difference)))

    return JudgedMeasure(coefficient, level, people, beside)


def _lists(answers: Answers) -> dict[Any, list[Any]]:
    return {unit: list(by_rater.values()) for unit, by_rater in answers.items()}


def _pooled(coefficient: ClusteredValue, pairs: int) -> Pooled:
    return Pooled(coefficient.value, coefficient.low, coefficient.high, coefficient.note, coefficient.n, pairs)


MEASURES: Mapping[str, JudgedMeasure] = {
    "nominal": _of_level("nominal"),
    "ordinal": _of_level("ordinal"),
    "interval": _of_level("interval"),
    "masi": _without_numbers("alpha_masi", "masi", alpha_of_sets, sets_beside),
    "spans": JudgedMeasure("span_f1", "characters", spans_among, spans_beside),
    "ranking": _without_numbers("kendall_w", "ordinal", mean_kendall_w, orders_beside),
}


def question_headline(today: Today, name: str, chosen: Sequence[str] = ()) -> Headline | None:
    """name: of a question, a score, or what is made of answers. None where people and judges are not compared.

    chosen: keys of the only people that are compared; () for all. Cached until an answer, a verdict or the definition
    changes.
    """
    compared = compared_answers(today.project.kind, name)
    if compared is None or compared.level not in MEASURES:
        return None
    question_ratings, state = answers_to_questions(today)
    table = unit_table(today.project, subject_of(today.project.kind, compared.source), today).of_people(chosen)
    return cached(
        "judged-question", f"{state}:{name}:{','.join(chosen)}", lambda: _headline(compared, question_ratings, table)
    )


def _headline(compared: ComparedAnswers, question_ratings: QuestionRatings, table: UnitTable) -> Headline:
    measure = MEASURES[compared.level]
    answers, clusters = _compared(compared, question_ratings.by_question, question_ratings.clusters)
    if table.chosen:
        names = {person.name for person in table.people}
        answers = {unit: {name: of[name] for name in of if name in names} for unit, of in answers.items()}
    judged, _clusters = _compared(compared, question_ratings.judged, question_ratings.clusters)
    met = [unit for unit, by_rater in answers.items() if len(by_rater) > 1]
    judges = [
        JudgeHeadline(judge, measure.beside(answers, _of_judge(judged, judge.name), clusters)) for judge in table.judges
    ]
    return Headline(
        coefficient=measure.coefficient,
        level=measure.level,  # type: ignore[arg-type]  # masi is no level of numbers
        resampled_by=table.resampled_by,
        clusters=len({clusters.get(unit, unit) for unit in met}),
        people=measure.people(answers, clusters),
        judges=judges,
        raters=table.people,
        chosen=bool(table.chosen),
    )


def _compared(
    compared: ComparedAnswers, by_name: Mapping[str, Answers], clusters: Mapping[int, str]
) -> tuple[Answers, Clusters]:
    """The units that are compared: items, or the parts of their answers."""
    answers = {
        item: {rater: compared.value(answer) for rater, answer in by_rater.items()}
        for item, by_rater in by_name.get(compared.source, {}).items()
    }
    if compared.question is None or not compared.question.parted:
        return answers, clusters
    parts = by_part(answers, clusters)
    return parts.by_part, parts.clusters


def _of_judge(judged: Answers, judge: str) -> dict[Any, Any]:
    return {unit: by_judge[judge] for unit, by_judge in judged.items() if judge in by_judge}


# Each two raters by degrees: sets, orders and spans are not just equal or not.


@dataclass(frozen=True)
class SimilarPair:
    """mean: how similar the answers of two raters are, 0..1, over the units that both have answered."""

    one: Somebody
    two: Somebody
    units: int
    mean: Mean

    @property
    def both(self) -> Sequence[Somebody]:
        return [self.one, self.two]


def similar_pairs(today: Today, table: UnitTable) -> list[SimilarPair]:
    """By the similarity of the table's question: people first, those with most units first, MOST_PAIRS at most."""
    question = today.project.kind.questions()[table.subject.question]
    return cached("similar-pairs", table.state, lambda: _similar_pairs(today, table, question))


def _similar_pairs(today: Today, table: UnitTable, question: Question) -> list[SimilarPair]:
    question_ratings, _state = answers_to_questions(today)
    answers = answers_by_unit(question_ratings, question.name)
    shared = [
        (one, two, units)
        for one, two in combinations(table.raters, 2)
        if (units := [unit for unit, given in answers.items() if one.name in given and two.name in given])
    ]
    shared.sort(key=lambda pair: (pair[0].is_judge + pair[1].is_judge, -len(pair[2])))

    def mean(one: Somebody, two: Somebody, units: Sequence[Unit]) -> Mean:
        by_cluster: dict[Any, list[float]] = defaultdict(list)
        for unit in units:
            alike = question.similarity(answers[unit][one.name], answers[unit][two.name])
            by_cluster[table.clusters.get(unit, unit)].append(alike)
        return _mean(list(by_cluster.values()))

    return [SimilarPair(one, two, len(units), mean(one, two, units)) for one, two, units in shared[:MOST_PAIRS]]


def _mean(clusters: Sequence[Sequence[float]]) -> Mean:
    sums, counts = ([[float(of(values))] for values in clusters] for of in (sum, len))
    ratio = resampled(np.array(sums), np.array(counts))
    bounds = ratio.interval(0)
    return Mean(ratio.value(0), bounds.low, bounds.high) if bounds else Mean(ratio.value(0))
