"""Difficulty of own questions: how much people disagree about each question and item, and how far judges are off.

The same for every type of question: the distance of two answers is 1 less their similarity (docs/forms.md), of numbers
their difference as a share of the scale.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy as _

from annotate.models import Item, Member, Project
from judging.boards.board import Board, BoardPage, NumbersReport, OpenedRow
from judging.boards.files import INTERNAL
from judging.boards.options import BoardOptions
from judging.boards.report import ReportOptions, ReportOutput, table
from judging.ratings.grounds import distances_of
from judging.ratings.rating_subjects import compared_names, subject_of
from judging.ratings.tables import UnitTable, answers_to_questions, state_of_questions, unit_table
from judging.ratings.units import Today, Unit
from lib.stats.bootstrap import DRAWS, SEED, resampled
from lib.stats.figures import FEW, NO_UNITS, Figure, drawn_figure, undefined
from lib.stats.leave_one_out import cluster_sums

PEOPLE = "people"
MOST_ITEMS = 100  # of a JSON, the hardest
SHOWN_ITEMS = 20  # of the page
Distances = Mapping[str, float]  # `people`, or the name of a judge -> distance, 0..1


class QuestionDifficultyOptions(BoardOptions):
    """No options."""


@dataclass(frozen=True)
class QuestionDifficulty:
    """disagreement: mean over items of the mean distance of every two people; judges: name -> mean distance of the
    judge from people, over the items among them that it has answered. All 0..1."""

    question: str
    type: str
    label: str = field(metadata=INTERNAL)
    disagreement: Figure
    judges: Mapping[str, Figure]


@dataclass(frozen=True)
class HardItem:
    """disagreement: mean over its questions that two people have answered; questions: how many; judges: the mean
    distance of each from people, over those of them that it has answered."""

    item: int
    key: str
    disagreement: float
    questions: int
    judges: Distances


@dataclass(frozen=True)
class QuestionDifficulties:
    """rows: the hardest question first; items: the hardest first. left_out: reason -> texts, or answers by one person.

    opened: question, "" for all, or question/judge -> the items behind that number, the hardest first.
    """

    rows: Sequence[QuestionDifficulty]
    items: Sequence[HardItem]
    judges: Sequence[str]
    n: int
    left_out: Mapping[str, int]
    draws: int = DRAWS
    seed: int = SEED
    opened: Mapping[str, Sequence[OpenedRow]] = field(default_factory=dict, metadata=INTERNAL)


def question_difficulties(project: Project, options: QuestionDifficultyOptions) -> QuestionDifficulties | None:
    """None where no item has answers of two people. Items with one person's answer are left out and counted."""
    today = Today(project)
    ratings, _state = answers_to_questions(today)
    by_question: dict[str, dict[int, Distances]] = {}
    rows, alone = [], 0
    for name in compared_names(project.kind):
        material = unit_table(project, subject_of(project.kind, name), today)
        by_unit = _distances_by_unit(material, distances_of(material, today))
        alone += sum(len(material.valued(unit, [who.key for who in material.people])) == 1 for unit in material.said)
        by_question[name] = _means_by(by_unit, material.item)
        rows.append(_row(project, name, material, by_question[name]))
    items = _hard_items(by_question)
    if not items:
        return None
    left_out = {**ratings.left_out, **({"one rater": alone} if alone else {})}
    return QuestionDifficulties(
        sorted(rows, key=_hardest_first), _with_keys(project, items), list(ratings.judges), len(items), left_out,
        opened=_opened(by_question, items),
    )  # fmt: skip


def _distances_by_unit(
    material: UnitTable, compared: tuple[Mapping[Unit, Mapping[str, Any]], Callable[[Any, Any], float]]
) -> dict[Unit, Distances]:
    """Units that two people have answered, with the judges that have too."""
    answers, distance = compared
    people, judges = [{rater.name for rater in raters} for raters in (material.people, material.judges)]
    distances: dict[Unit, Distances] = {}
    for unit, by_rater in answers.items():
        given = [answer for name, answer in by_rater.items() if name in people]
        if len(given) > 1:
            among = fmean(distance(one, other) for one, other in combinations(given, 2))
            by_author = {
                name: fmean(distance(answer, one) for one in given)
                for name, answer in by_rater.items()
                if name in judges
            }
            distances[unit] = {PEOPLE: among, **by_author}
    return distances


def _means_by(by_unit: Mapping[Unit, Distances], item: Callable[[Unit], int]) -> dict[int, Distances]:
    """item -> means over its units, which are the parts of an answer, or the item itself."""
    grouped: dict[int, list[Distances]] = defaultdict(list)
    for unit, distances in by_unit.items():
        grouped[item(unit)].append(distances)
    return {pk: _mean_distances(rows) for pk, rows in grouped.items()}


def _mean_distances(rows: Sequence[Distances]) -> dict[str, float]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: fmean(row[name] for row in rows if name in row) for name in names}


def _row(project: Project, name: str, material: UnitTable, by_item: Mapping[int, Distances]) -> QuestionDifficulty:
    """Each item counts once; what belongs together is resampled together."""
    question = project.kind.questions().get(name)
    raters = [PEOPLE, *(judge.name for judge in material.judges)]
    values = np.array([[by_item[pk].get(rater, np.nan) for rater in raters] for pk in by_item], dtype=float)
    cluster_by_item = {material.item(unit): cluster for unit, cluster in material.clusters.items()}
    _names, clusters = np.unique([cluster_by_item[pk] for pk in by_item], return_inverse=True)
    figures = _means(values.reshape(-1, len(raters)), clusters)
    kind, label = (question.type, question.label()) if question else ("score", name)
    return QuestionDifficulty(name, kind, label, figures[0], dict(zip(raters[1:], figures[1:], strict=True)))


def _means(values: np.ndarray, clusters: np.ndarray) -> list[Figure]:
    """values: (items, raters)."""
    ratios, counts = resampled(*cluster_sums(values, clusters)), (~np.isnan(values)).sum(axis=0).tolist()
    return [
        drawn_figure(float(ratios.values[column]), n, ratios.drawn[:, column]) if n else undefined(NO_UNITS)
        for column, n in enumerate(counts)
    ]


def _hardest_first(row: QuestionDifficulty) -> tuple[float, str]:
    return -1.0 if row.disagreement.value is None else -row.disagreement.value, row.question


def _hard_items(by_question: Mapping[str, Mapping[int, Distances]]) -> dict[int, tuple[int, Distances]]:
    """item -> how many questions, and means over them; the hardest first."""
    grouped: dict[int, list[Distances]] = defaultdict(list)
    for by_item in by_question.values():
        for pk, distances in by_item.items():
            grouped[pk].append(distances)
    items = {pk: (len(rows), _mean_distances(rows)) for pk, rows in grouped.items()}
    return dict(sorted(items.items(), key=lambda entry: (-entry[1][1][PEOPLE], entry[0])))


def _with_keys(project: Project, items: Mapping[int, tuple[int, Distances]]) -> list[HardItem]:
    hardest = list(items)[:MOST_ITEMS]
    keys = dict(Item.objects.filter(project=project, pk__in=hardest).values_list("pk", "key"))
    return [
        HardItem(pk, keys[pk], means[PEOPLE], count, {name: means[name] for name in means if name != PEOPLE})
        for pk in hardest
        for count, means in (items[pk],)
    ]


def _opened(
    by_question: Mapping[str, Mapping[int, Distances]], items: Mapping[int, tuple[int, Distances]]
) -> dict[str, list[OpenedRow]]:
    opened: dict[str, list[OpenedRow]] = {}
    everything = {"": {pk: means for pk, (_count, means) in items.items()}, **by_question}
    for name, by_item in everything.items():
        hardest = sorted(by_item, key=lambda pk: (-by_item[pk][PEOPLE], pk))
        for rater in dict.fromkeys(rater for distances in by_item.values() for rater in distances):
            key = name if rater == PEOPLE else f"{name}/{rater}"
            opened[key] = [_opened_row(pk, by_item[pk]) for pk in hardest if rater in by_item[pk]]
    return opened


def _opened_row(pk: int, distances: Distances) -> OpenedRow:
    raters = sorted(distances, key=lambda name: name != PEOPLE)
    return OpenedRow(pk, {rater: f"{distances[rater]:.3f}" for rater in raters})


# The board of a project with own questions, under the address of the difficulty filter.


def difficulty_page(
    numbers: QuestionDifficulties | None, options: QuestionDifficultyOptions, member: Member
) -> BoardPage:
    context = {"few": FEW, "hardest": numbers.items[:SHOWN_ITEMS] if numbers else []}
    return BoardPage(context)


def difficulty_rows(
    numbers: QuestionDifficulties, options: QuestionDifficultyOptions, member: Member
) -> list[dict[str, Any]]:
    """A row for people and one for each judge."""
    return [
        {"question": row.question, "type": row.type, "rater": rater, **vars(figure)}
        for row in numbers.rows
        for rater, figure in ((PEOPLE, row.disagreement), *row.judges.items())
    ]


def items_behind(numbers: QuestionDifficulties, key: str) -> Sequence[OpenedRow] | None:
    return numbers.opened.get(key)


def has_questions(project: Project) -> bool:
    return project.kind.defined


def questions_state(project: Project, options: QuestionDifficultyOptions) -> str:
    return state_of_questions(Today(project))


QUESTIONS = Board(
    slug="difficulty",
    name=_("Difficulty"),
    about="how much people disagree about each own question and item, and how far judges are from them",
    suits=has_questions,
    names_authors=False,
    shows_agreement=True,
    Options=QuestionDifficultyOptions,
    numbers=question_difficulties,
    state=questions_state,
    page=difficulty_page,
    body="difficulty/_questions.html",
    units=items_behind,
    as_rows=difficulty_rows,
    columns=("question", "type", "rater", "value", "n", "low", "high", "note"),
    formula=_(
        "0: all answers are equal; 100: they have nothing in common. Distance of two answers by the type of question: "
        "equal or not, MASI, Kendall, 1 less F1 of marked characters, or the difference as a share of the scale. Means "
        "over items with answers of two people. Intervals: 95 %, bootstrap over items, or over what belongs together."
    ),
    saves_views=False,
)


class DifficultyReport(NumbersReport):
    def write(self, project: Project, options: ReportOptions) -> ReportOutput:
        """The JSON of the board; in text, a line for people and one for each judge, and the hardest items."""
        value = super().write(project, options).value
        raters = [
            [row["question"], *_text_cells(name, figure)]
            for row in value["rows"]
            for name, figure in ((PEOPLE, row["disagreement"]), *row["judges"].items())
        ]
        items = [[item["key"], f"{item['disagreement']:.3f}", str(item["questions"])] for item in value["items"]]
        parts = [table(["question", "rater", "distance", "from", "to", "n"], raters, left=2)]
        return ReportOutput(value, "\n\n".join([*parts, table(["item", "disagreement", "questions"], items[:10])]))


def _text_cells(rater: str, figure: Mapping[str, Any]) -> list[str]:
    numbers = ("–" if figure[name] is None else f"{figure[name]:.3f}" for name in ("value", "low", "high"))
    return [rater, *numbers, str(figure["n"])]
