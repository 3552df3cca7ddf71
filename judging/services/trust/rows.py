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
    found = Answer.objects.filter(author__project=project).values_list(*columns)
    return {row[0]: Written(*row) for row in found.iterator(chunk_size=5000)}


def rows(given: Material, judge: Judge, answers: Mapping[int, Written], today: Today, top: int) -> list[Row]:
    """Of every answer that this judge or people have scored.

    Of checklists, the judge's scores are those of its leaderboard. top: the best score that people can give.
    """
    if given.subject.slug == PREFERENCE:
        return list(_of_pairs(given, key_of(judge), answers))
    if given.subject.slug == CHECKLIST:
        return list(_of_checklists(given, judge, answers, today))
    return list(_of_scores(given, judge, answers, top))


def key_of(judge: Judge) -> str:
    """Its key among the raters of the material."""
    return f"j{judge.pk}"


def _of_pairs(given: Material, judge: str, answers: Mapping[int, Written]) -> Iterator[Row]:
    """The share of pairs that an answer wins; equal and both bad count half."""
    for unit, said in given.said.items():
        people = [OF_FIRST[str(said[key].value)] for key in _people(given, said)]
        own = said.get(judge)
        judged = NOTHING if own is None or own.value is None else OF_FIRST[str(own.value)]
        mean = fmean(people) if people else NOTHING
        first, second = (answers.get(int(pk)) for pk in unit.split("/")[1:])
        if first is None or second is None:
            continue
        cell = Cell("", first.group)
        yield Row(first, unit, unit, cell, mean, judged)
        yield Row(second, unit, unit, cell, 1 - mean, 1 - judged, first=False)


def _of_checklists(given: Material, judge: Judge, answers: Mapping[int, Written], today: Today) -> Iterator[Row]:
    """By the rule of each item, as the leaderboard scores judges; of a person who answered every question."""
    subjects, people = today.subjects, _by_answer(given)
    for row in scores(today.project, judge, given=subjects, answered=today.answers).rows:
        cell = Cell(row.scenario, next(iter(row.labels.get("task", ())), ""))
        subject = subjects[row.item_id]
        shares = [
            checklist_score({int(axis) - 1 for axis, value in axes.items() if value}, subject.weights, subject.rule)
            for axes in people.get(row.answer_id, {}).values()
            if len(axes) == len(subject.weights)
        ]
        said = fmean(shares) if shares else NOTHING
        yield Row(answers[row.answer_id], f"answer/{row.answer_id}", f"{row.item_id}", cell, said, row.score)


def _of_scores(given: Material, judge: Judge, answers: Mapping[int, Written], top: int) -> Iterator[Row]:
    """Means over the criteria that people score; a judge that scored the answer as a whole counts with that."""
    people, judged = _by_answer(given), _by_answer(given, [key_of(judge)])
    items = {int(unit.split("/")[1]): given.item(unit) for unit in given.said}
    asked = {axis for raters in people.values() for axes in raters.values() for axis in axes} - {""}
    for pk, item in items.items():
        if pk not in answers:
            continue
        means = [fmean(axes.values()) for axes in people.get(pk, {}).values() if axes]
        own = judged.get(pk, {}).get(key_of(judge), {})
        criteria = [value for axis, value in own.items() if axis in asked]
        score = fmean(criteria) if criteria else own.get("")
        said = (fmean(means) - 1) / (top - 1) if means else NOTHING
        cell = Cell("", answers[pk].group)
        yield Row(answers[pk], f"answer/{pk}", f"{item}", cell, said, _on_scale(score, judge.variant, top))


def _on_scale(score: float | None, variant: str, top: int) -> float:
    """0..1, NaN outside: a scale that nobody has named is taken to be that of people."""
    if score is None:
        return NOTHING
    share = share_of(score, variant) if SCALED.search(variant) else (score - 1) / (top - 1)
    return share if share is not None and 0 <= share <= 1 else NOTHING


def _people(given: Material, said: Mapping[str, Rating]) -> list[str]:
    return [one.key for one in given.people if one.key in said and said[one.key].value is not None]


def _by_answer(given: Material, keys: Sequence[str] = ()) -> dict[int, dict[str, dict[str, float]]]:
    """answer -> rater -> axis -> value, of people unless keys name others; only what has a value."""
    wanted = set(keys or [one.key for one in given.people])
    found: dict[int, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for unit, said in given.said.items():
        for key in wanted & said.keys():
            one = said[key]
            if one.value is not None:
                found[int(unit.split("/")[1])][key][one.axis] = float(one.value)
    return found


def family_of(judge: Judge, answers: Iterable[Written]) -> str:
    """Of the author who is called like the judge, else the longest family that its name begins with; "" for none."""
    name = judge.name.casefold()
    families = {(one.author.casefold(), one.family) for one in answers if one.family}
    alike = [family for author, family in families if author == name]
    begun = sorted((family for _author, family in families if name.startswith(family.casefold())), key=len)
    return next(iter([*alike, *reversed(begun)]), "")
