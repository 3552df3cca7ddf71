"""The data behind the page of trust: a judge's and people's scores by answer, 0 to 1, and pairs as seen."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from django.db.models.functions import Length

from annotate.models import Project
from judging.formats.mtbench import is_order_known
from judging.models import Answer, Judge, Verdict
from judging.ratings.question_ratings import answers_by_unit
from judging.ratings.tables import UnitTable, answers_to_questions
from judging.ratings.units import CHECKLIST, PREFERENCE, AnswerUnit, PairUnit, Rating, Today, Unit
from judging.readers.scales import Scale, share_of
from judging.verdicts.verdict_scores import scores
from lib.stats.averages import AverageCell, Floats
from lib.stats.checklists import score as checklist_score

OF_FIRST = {"first": 1.0, "second": 0.0, "tie": 0.5, "both_bad": 0.5}  # of a pair, for its first answer
NOTHING = float("nan")


@dataclass(frozen=True, slots=True)
class AnswerInfo:
    """An answer of today, without its text. length: in characters, 0 where the text is not known."""

    pk: int
    author: str
    family: str
    group: str
    length: int


@dataclass(frozen=True, slots=True)
class ScoredSide:
    """One answer, or one side of a pair.

    unit: the answer or the pair. place: of the item or the pair, where authors meet. said: mean over people;
    judged: the judge's; both 0..1, NaN if there is none. first: whether it is the pair's first; True for an answer.
    """

    answer: AnswerInfo
    unit: Unit
    place: str
    cell: AverageCell
    said: float
    judged: float
    first: bool = True


def answers_of(project: Project) -> dict[int, AnswerInfo]:
    """answer -> its facts. One query."""
    columns = ("pk", "author__name", "author__family", "item__group", Length("text"))
    answer_rows = Answer.objects.filter(author__project=project).values_list(*columns)
    return {row[0]: AnswerInfo(*row) for row in answer_rows.iterator(chunk_size=5000)}


def rows(
    material: UnitTable, judge: Judge, answers: Mapping[int, AnswerInfo], today: Today, top: int
) -> list[ScoredSide]:
    """Scores of every answer that this judge or people have scored.

    Of checklists, the judge's scores are those of its leaderboard. top: the best score that people can give.
    """
    if material.subject.question:
        return list(_of_question(material, key_of(judge), today)) if material.subject.scored else []
    if material.subject.slug == PREFERENCE:
        return list(_of_pairs(material, key_of(judge), answers))
    if material.subject.slug == CHECKLIST:
        return list(_of_checklists(material, judge, answers, today))
    return list(_of_scores(material, judge, answers, top))


def key_of(judge: Judge) -> str:
    """Its key among the raters of the material."""
    return f"j{judge.pk}"


def _of_pairs(material: UnitTable, judge: str, answers: Mapping[int, AnswerInfo]) -> Iterator[ScoredSide]:
    """The share of pairs that an answer wins; equal and both bad count half."""
    for unit, ratings in material.said.items():
        people = [OF_FIRST[str(ratings[key].value)] for key in _people(material, ratings)]
        judge_rating = ratings.get(judge)
        judged = NOTHING if judge_rating is None or judge_rating.value is None else OF_FIRST[str(judge_rating.value)]
        mean = fmean(people) if people else NOTHING
        first, second = (answers.get(pk) for pk in unit.answers)
        if first is None or second is None:
            continue
        cell = AverageCell("", first.group)
        yield ScoredSide(first, unit, str(unit), cell, mean, judged)
        yield ScoredSide(second, unit, str(unit), cell, 1 - mean, 1 - judged, first=False)


def _of_checklists(
    material: UnitTable, judge: Judge, answers: Mapping[int, AnswerInfo], today: Today
) -> Iterator[ScoredSide]:
    """Scores by the rule of each item, as on the leaderboard; for people only if they answered every question."""
    subjects, people = today.subjects, _by_answer(material)
    for row in scores(today.project, judge, given=subjects, answered=today.answers).rows:
        cell = AverageCell(row.scenario, next(iter(row.labels.get("task", ())), ""))
        subject = subjects[row.item_id]
        shares = [
            checklist_score({int(axis) - 1 for axis, value in axes.items() if value}, subject.weights, subject.rule)
            for axes in people.get(row.answer_id, {}).values()
            if len(axes) == len(subject.weights)
        ]
        people_score = fmean(shares) if shares else NOTHING
        yield ScoredSide(
            answers[row.answer_id], AnswerUnit(row.answer_id), f"{row.item_id}", cell, people_score, row.score
        )


def _of_scores(material: UnitTable, judge: Judge, answers: Mapping[int, AnswerInfo], top: int) -> Iterator[ScoredSide]:
    """Means over the criteria that people score; a judge that scored the answer as a whole counts with that."""
    people, judged = _by_answer(material), _by_answer(material, [key_of(judge)])
    items = {unit.answers[0]: material.item(unit) for unit in material.said}
    people_axes = {axis for raters in people.values() for axes in raters.values() for axis in axes} - {""}
    for pk, item in items.items():
        if pk not in answers:
            continue
        means = [fmean(axes.values()) for axes in people.get(pk, {}).values() if axes]
        judge_scores = judged.get(pk, {}).get(key_of(judge), {})
        criteria = [value for axis, value in judge_scores.items() if axis in people_axes]
        score = fmean(criteria) if criteria else judge_scores.get("")
        people_score = (fmean(means) - 1) / (top - 1) if means else NOTHING
        cell = AverageCell("", answers[pk].group)
        yield ScoredSide(
            answers[pk], AnswerUnit(pk), f"{item}", cell, people_score, _on_scale(score, Scale.of(judge), top)
        )


def _of_question(material: UnitTable, judge: str, today: Today) -> Iterator[ScoredSide]:
    """The answers to an own question as shares of its scale, or of the range that occurs. All items are one author's,
    who has the name of the question."""
    low, top = _ends(material, today)
    for unit, ratings in material.said.items():
        people = [_share(ratings[key], low, top) for key in _people(material, ratings)]
        opinion = fmean(people) if people else NOTHING
        item = material.item(unit)  # of parts of an item, its mean counts
        info = AnswerInfo(item, material.subject.question, "", "", 0)
        yield ScoredSide(info, unit, f"{item}", AverageCell("", ""), opinion, _share(ratings.get(judge), low, top))


def _ends(material: UnitTable, today: Today) -> tuple[float, float]:
    question = today.project.kind.questions().get(material.subject.question)
    if question is not None and (ends := question.ends()) is not None:
        return ends
    ratings = (rating for by_rater in material.said.values() for rating in by_rater.values())
    values = [float(rating.value) for rating in ratings if rating.value is not None]
    return min(values, default=0.0), max(values, default=0.0)


def _share(rating: Rating | None, low: float, top: float) -> float:
    """0..1, NaN without a value."""
    return NOTHING if rating is None or rating.value is None else (float(rating.value) - low) / ((top - low) or 1.0)


def _on_scale(score: float | None, scale: Scale | None, top: int) -> float:
    """The score as 0..1, NaN outside; a scale without a name is assumed to be that of people."""
    if score is None:
        return NOTHING
    share = share_of(score, scale or Scale(1, top))
    return share if share is not None and 0 <= share <= 1 else NOTHING


def _people(material: UnitTable, ratings: Mapping[str, Rating]) -> list[str]:
    return [person.key for person in material.people if person.key in ratings and ratings[person.key].value is not None]


def _by_answer(material: UnitTable, keys: Sequence[str] = ()) -> dict[int, dict[str, dict[str, float]]]:
    """answer -> rater -> axis -> value, of people unless keys name others; only what has a value."""
    rater_keys = set(keys or [person.key for person in material.people])
    values_by_answer: dict[int, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for unit, ratings in material.said.items():
        for key in rater_keys & ratings.keys():
            rating = ratings[key]
            if rating.value is not None:
                values_by_answer[unit.answers[0]][key][rating.axis] = float(rating.value)
    return values_by_answer


def family_of(judge: Judge, answers: Iterable[AnswerInfo]) -> str:
    """The family of the author with the judge's name, else the longest family that the name begins with; "" if none."""
    name = judge.name.casefold()
    families = {(answer.author.casefold(), answer.family) for answer in answers if answer.family}
    alike = [family for author, family in families if author == name]
    begun = sorted((family for _author, family in families if name.startswith(family.casefold())), key=len)
    return next(iter([*alike, *reversed(begun)]), "")


# Pairs as a judge saw them: which answer came first, and which one it chose.


OrderedChoices = tuple[Sequence[Unit], Floats, Floats]


def ordered_choices(material: UnitTable, judge: Judge) -> OrderedChoices:
    """(pairs, choices by place with the smaller number first, and with it second): 1 first, -1 second, 0 neither, NaN.

    Current pairs only, with the newest verdict of each order at the first repeat. A pair from a file with unknown order
    is NaN unless the judge saw both orders. One query.
    """
    units = [unit for unit, ratings in material.said.items() if key_of(judge) in ratings]
    index_by_unit: Mapping[Unit, int] = {unit: index for index, unit in enumerate(units)}
    choices = np.full((2, len(units)), np.nan)
    unknown: set[int] = set()
    columns = ("first_id", "second_id", "swapped", "choice", "job_id", "item__key")
    verdicts = Verdict.objects.pairwise().filter(judge=judge, repeat=1).order_by("pk")
    for first, second, swapped, choice, job, key in verdicts.values_list(*columns).iterator(chunk_size=5000):
        unit = PairUnit.of(first, second)
        if unit in index_by_unit:
            smaller_first = (first < second) != swapped
            choices[0 if smaller_first else 1, index_by_unit[unit]] = _place(choice, swapped=swapped)
            if job is None and not is_order_known(key):
                unknown.add(index_by_unit[unit])
    alone = [index for index in unknown if np.isnan(choices[:, index]).any()]
    choices[:, alone] = np.nan
    return units, choices[0], choices[1]


def _place(choice: str, *, swapped: bool) -> float:
    """The verdict names answers; swapped, it saw the second one first."""
    if not choice:
        return np.nan
    if choice not in ("first", "second"):
        return 0.0
    return 1.0 if (choice == "first") != swapped else -1.0


# Everything together, so that the page can be computed from a project or from a release alike.


@dataclass(frozen=True)
class Grounds:
    """scored: each answer's scores. family: of the judge. seen: pairs as the judge saw them, None for single answers.
    drawn: whether all votes of people come from drawn studies. alike: how far answers to an own question agree, None
    for numbers and for what is no own question."""

    given: UnitTable
    judge: Judge
    scored: Sequence[ScoredSide]
    family: str
    seen: OrderedChoices | None
    drawn: bool
    alike: "SimilarAnswers | None" = None


@dataclass(frozen=True)
class SimilarAnswers:
    """answers: unit -> name of a rater -> answer, or part of one. similarity: of two answers, 0..1."""

    answers: Mapping[Unit, Mapping[str, Any]]
    similarity: Callable[[Any, Any], float]


def similar_answers(material: UnitTable, today: Today) -> SimilarAnswers | None:
    """The answers to an own question that is not answered by numbers; None for other subjects."""
    name = material.subject.question
    question = today.project.kind.questions().get(name)
    if question is None or material.subject.scored:
        return None
    ratings, _state = answers_to_questions(today)
    return SimilarAnswers(answers_by_unit(ratings, name), question.similarity)


def distances_of(
    material: UnitTable, today: Today
) -> tuple[Mapping[Unit, Mapping[str, Any]], Callable[[Any, Any], float]]:
    """The answers to an own question or score by unit and name of a rater, and the distance of two of them, 0..1.

    Numbers: their difference as a share of the scale, or of the range that occurs. Others: 1 less their similarity.
    """
    alike = similar_answers(material, today)
    if alike is not None:
        similarity = alike.similarity
        return alike.answers, lambda left, right: 1 - similarity(left, right)
    low, top = _ends(material, today)
    ratings, _state = answers_to_questions(today)
    answers = answers_by_unit(ratings, material.subject.question)
    return answers, lambda left, right: abs(left - right) / ((top - low) or 1.0)
