"""One judge's scores beside people's, answer by answer, on a scale of 0 to 1."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from django.db.models.functions import Length

from annotate.models import Project
from judging.models import Answer, Judge
from judging.services.comparing_raters.material import Material
from judging.services.ratings import CHECKLIST, PREFERENCE, Rating, Today
from judging.services.scores import scores
from judging.strategies.scales import SCALED, share_of
from lib.stats.averages import Cell
from lib.stats.checklists import score as checklist_score

OF_FIRST = {"first": 1.0, "second": 0.0, "tie": 0.5, "both_bad": 0.5}  # of a pair, for whoever stands first
NOTHING = float("nan")


@dataclass(frozen=True, slots=True)
class Written:
    """An answer of today, without its text. length: in characters, 0 where the text is not known."""

    pk: int
    author: str
    family: str
    group: str
    length: int


@dataclass(frozen=True, slots=True)
class Row:
    """One answer, or one side of a pair.

    unit: `answer/12` or `pair/12/13`. place: of the item or the pair, where authors meet. said: mean over people;
    judged: the judge's; both 0..1, NaN where there is none. first: whether it is the pair's first; True of an answer.
    """

    answer: Written
    unit: str
    place: str
    cell: Cell
    said: float
    judged: float
    first: bool = True


def written(project: Project) -> dict[int, Written]:
    """answer -> what it is. One query."""
    columns = ("pk", "author__name", "author__family", "item__group", Length("text"))
    answer_rows = Answer.objects.filter(author__project=project).values_list(*columns)
    return {row[0]: Written(*row) for row in answer_rows.iterator(chunk_size=5000)}


def rows(material: Material, judge: Judge, answers: Mapping[int, Written], today: Today, top: int) -> list[Row]:
    """Of every answer that this judge or people have scored.

    Of checklists, the judge's scores are those of its leaderboard. top: the best score that people can give.
    """
    if material.subject.slug == PREFERENCE:
        return list(_of_pairs(material, key_of(judge), answers))
    if material.subject.slug == CHECKLIST:
        return list(_of_checklists(material, judge, answers, today))
    return list(_of_scores(material, judge, answers, top))


def key_of(judge: Judge) -> str:
    """Its key among the raters of the material."""
    return f"j{judge.pk}"


def _of_pairs(material: Material, judge: str, answers: Mapping[int, Written]) -> Iterator[Row]:
    """The share of pairs that an answer wins; equal and both bad count half."""
    for unit, ratings in material.said.items():
        people = [OF_FIRST[str(ratings[key].value)] for key in _people(material, ratings)]
        judge_rating = ratings.get(judge)
        judged = NOTHING if judge_rating is None or judge_rating.value is None else OF_FIRST[str(judge_rating.value)]
        mean = fmean(people) if people else NOTHING
        first, second = (answers.get(int(pk)) for pk in unit.split("/")[1:])
        if first is None or second is None:
            continue
        cell = Cell("", first.group)
        yield Row(first, unit, unit, cell, mean, judged)
        yield Row(second, unit, unit, cell, 1 - mean, 1 - judged, first=False)


def _of_checklists(material: Material, judge: Judge, answers: Mapping[int, Written], today: Today) -> Iterator[Row]:
    """By the rule of each item, as the leaderboard scores judges; of a person who answered every question."""
    subjects, people = today.subjects, _by_answer(material)
    for row in scores(today.project, judge, given=subjects, answered=today.answers).rows:
        cell = Cell(row.scenario, next(iter(row.labels.get("task", ())), ""))
        subject = subjects[row.item_id]
        shares = [
            checklist_score({int(axis) - 1 for axis, value in axes.items() if value}, subject.weights, subject.rule)
            for axes in people.get(row.answer_id, {}).values()
            if len(axes) == len(subject.weights)
        ]
        people_score = fmean(shares) if shares else NOTHING
        yield Row(answers[row.answer_id], f"answer/{row.answer_id}", f"{row.item_id}", cell, people_score, row.score)


def _of_scores(material: Material, judge: Judge, answers: Mapping[int, Written], top: int) -> Iterator[Row]:
    """Means over the criteria that people score; a judge that scored the answer as a whole counts with that."""
    people, judged = _by_answer(material), _by_answer(material, [key_of(judge)])
    items = {int(unit.split("/")[1]): material.item(unit) for unit in material.said}
    people_axes = {axis for raters in people.values() for axes in raters.values() for axis in axes} - {""}
    for pk, item in items.items():
        if pk not in answers:
            continue
        means = [fmean(axes.values()) for axes in people.get(pk, {}).values() if axes]
        judge_scores = judged.get(pk, {}).get(key_of(judge), {})
        criteria = [value for axis, value in judge_scores.items() if axis in people_axes]
        score = fmean(criteria) if criteria else judge_scores.get("")
        people_score = (fmean(means) - 1) / (top - 1) if means else NOTHING
        cell = Cell("", answers[pk].group)
        yield Row(answers[pk], f"answer/{pk}", f"{item}", cell, people_score, _on_scale(score, judge.variant, top))


def _on_scale(score: float | None, variant: str, top: int) -> float:
    """0..1, NaN outside: a scale that nobody has named is taken to be that of people."""
    if score is None:
        return NOTHING
    share = share_of(score, variant) if SCALED.search(variant) else (score - 1) / (top - 1)
    return share if share is not None and 0 <= share <= 1 else NOTHING


def _people(material: Material, ratings: Mapping[str, Rating]) -> list[str]:
    return [person.key for person in material.people if person.key in ratings and ratings[person.key].value is not None]


def _by_answer(material: Material, keys: Sequence[str] = ()) -> dict[int, dict[str, dict[str, float]]]:
    """answer -> rater -> axis -> value, of people unless keys name others; only what has a value."""
    rater_keys = set(keys or [person.key for person in material.people])
    values_by_answer: dict[int, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for unit, ratings in material.said.items():
        for key in rater_keys & ratings.keys():
            rating = ratings[key]
            if rating.value is not None:
                values_by_answer[int(unit.split("/")[1])][key][rating.axis] = float(rating.value)
    return values_by_answer


def family_of(judge: Judge, answers: Iterable[Written]) -> str:
    """Of the author who is called like the judge, else the longest family that its name begins with; "" for none."""
    name = judge.name.casefold()
    families = {(answer.author.casefold(), answer.family) for answer in answers if answer.family}
    alike = [family for author, family in families if author == name]
    begun = sorted((family for _author, family in families if name.startswith(family.casefold())), key=len)
    return next(iter([*alike, *reversed(begun)]), "")
