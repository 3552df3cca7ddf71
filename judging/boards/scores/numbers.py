"""Mean scores and ratings of a project with own questions, for each value of a column of its items.

Scores are those of the definition and of rubrics; ratings are answers that are numbers. They are people's, or those of
one judge.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from django.http import QueryDict
from django.utils.translation import gettext_noop

from annotate.kinds.questions.types.rubric import cut_to_1
from annotate.models import Item, Member, Project
from judging.access import rubrics, scored_names
from judging.boards.board import OpenedRow
from judging.boards.files import INTERNAL
from judging.boards.options import BoardOptions
from judging.boards.report import ReportOptions
from judging.ratings.question_ratings import Answers, QuestionRatings
from judging.ratings.rubric_scores import rubric_ratings
from judging.ratings.tables import answers_to_questions, state_of_questions
from judging.ratings.units import Today
from lib.stats.agreement.sets_and_ranks import ClusteredValue, with_intervals
from lib.stats.agreement.table import RESAMPLES, SEED, Floats
from lib.stats.figures import ALL_ALIKE, ONE_UNIT, Figure

NO_VALUE = gettext_noop("no value in this column")
NO_POINTS = gettext_noop("no positive points")
MOST_GROUPS = 2_000
MOST_OFFERED, LONGEST_OFFERED = 200, 100  # values of a column that the page offers, and characters of each


class ScoreBoardOptions(BoardOptions):
    """by: a column of the items, shown or not; "" for all items together.

    judge: the name of the judge who has rated; "" for people.
    """

    by: str = ""
    judge: str = ""

    @classmethod
    def query_of(cls, project: Project, report_options: ReportOptions) -> QueryDict:
        query = super().query_of(project, report_options)
        for name in ("by", "judge"):
            if word := getattr(report_options, name):
                query[name] = word
        return query


@dataclass(frozen=True)
class GroupScore:
    """The mean of a score over the ratings of a group, each counted once. group: "" for all items together."""

    score: str
    group: str
    mean: Figure
    lower_is_better: bool

    @property
    def key(self) -> str:
        return f"{self.score}/{self.group}"


@dataclass(frozen=True)
class ProjectScores:
    """rows: by score, the best group first. by: the column; "" for one that there is not. offered: others that make
    sense. judge: whose ratings they are, "" for people; judges: those who have rated. n: ratings that count; left_out:
    reason -> ratings that do not. opened: key of a row -> the items behind it.
    """

    rows: Sequence[GroupScore]
    by: str
    offered: Sequence[str] = field(metadata=INTERNAL)
    n: int
    left_out: Mapping[str, int]
    judge: str = ""
    judges: Sequence[str] = field(default=(), metadata=INTERNAL)
    opened: Mapping[str, Sequence[OpenedRow]] = field(default_factory=dict, metadata=INTERNAL)


def scores_state(project: Project, options: ScoreBoardOptions) -> str:
    """Changes with every rating, verdict, item and version of the definition."""
    return state_of_questions(Today(project))


def may_group(options: ScoreBoardOptions, member: Member) -> bool:
    """Columns that nobody is shown are for leads."""
    return member.leads or options.by in ("", *member.project.kind.fact_names)


def project_scores(project: Project, options: ScoreBoardOptions) -> ProjectScores | None:
    """None where nothing was rated. Items without a value in the column are left out and counted."""
    found, _state = answers_to_questions(Today(project))
    ratings, without_points = _scored(project, _ratings_of(found, options.judge))
    rated = {item for name in scored_names(project.kind) for item in ratings.get(name, {})}
    if not rated:
        return None
    groups, offered = _groups(project, rated, options.by)
    by = options.by if groups or not options.by else ""
    if not by:
        groups = dict.fromkeys(rated, "")
    rows: list[GroupScore] = []
    opened: dict[str, list[OpenedRow]] = {}
    without_value = 0
    for name in scored_names(project.kind):
        scores = {item: list(by_rater.values()) for item, by_rater in ratings.get(name, {}).items()}
        without_value += sum(len(of_item) for item, of_item in scores.items() if item not in groups)
        score_rows, behind = _score_rows(project, name, scores, groups, found)
        rows += score_rows
        opened |= behind
    left_out = dict(found.judges_left_out if options.judge else found.left_out)
    left_out |= {reason: n for reason, n in ((NO_VALUE, without_value), (NO_POINTS, without_points)) if n}
    return ProjectScores(
        rows=rows,
        by=by,
        offered=offered,
        n=sum(row.mean.n for row in rows),
        left_out=left_out,
        judge=options.judge,
        judges=sorted(found.judges),
        opened=opened,
    )


def _ratings_of(ratings: QuestionRatings, judge: str) -> Mapping[str, Answers]:
    """Of people, or of the judge of this name."""
    if not judge:
        return ratings.by_question
    return {
        name: {item: {judge: by_judge[judge]} for item, by_judge in answers.items() if judge in by_judge}
        for name, answers in ratings.judged.items()
    }


def _scored(project: Project, ratings: Mapping[str, Answers]) -> tuple[dict[str, Answers], int]:
    """The ratings with the scores of rubrics instead of their answers, and how many have no score."""
    scored, without_points = dict(ratings), 0
    for name, question in rubrics(project.kind).items():
        rubric = rubric_ratings(project, question, ratings.get(name, {}))
        scored[name] = rubric.scores
        without_points += rubric.without_points
    return scored, without_points


def items_behind(numbers: ProjectScores, key: str) -> Sequence[OpenedRow] | None:
    return numbers.opened.get(key)


def _groups(project: Project, rated: set[int], by: str) -> tuple[dict[int, str], list[str]]:
    """item -> its value in the column, and the columns whose values are few and stand for several items each."""
    groups: dict[int, str] = {}
    values: dict[str, Counter[str]] = defaultdict(Counter)
    rows = Item.objects.filter(project=project).order_by("pk").values_list("pk", "facts", "metadata")
    for item, facts, metadata in rows.iterator(2000):
        if item not in rated:
            continue
        for column, value in {**(metadata or {}), **facts}.items():
            if isinstance(value, str | int | float):
                text = str(value)
                if column == by:
                    groups[item] = text
                if len(values[column]) <= MOST_OFFERED:
                    values[column][text if len(text) <= LONGEST_OFFERED else f"long {item}"] += 1
    offered = [column for column, counts in values.items() if 1 < len(counts) <= min(MOST_OFFERED, len(rated) / 2)]
    return (groups if len(set(groups.values())) <= MOST_GROUPS else {}), offered


def _score_rows(
    project: Project,
    name: str,
    scores: Mapping[int, Sequence[float]],
    groups: Mapping[int, str],
    ratings: QuestionRatings,
) -> tuple[list[GroupScore], dict[str, list[OpenedRow]]]:
    counted = {item: of_item for item, of_item in scores.items() if item in groups}
    names = sorted({groups[item] for item in counted})
    figures = _means(counted, groups, names, ratings.clusters)
    score = project.kind.scores().get(name)
    lower_is_better = score is not None and score.lower_is_better
    if name in rubrics(project.kind):  # the mean is cut, not the scores
        figures = [_cut(figure) for figure in figures]
    rows = [GroupScore(name, group, figure, lower_is_better) for group, figure in zip(names, figures, strict=True)]
    rows.sort(key=lambda row: (row.mean.value or 0) * (1 if lower_is_better else -1))
    behind: dict[str, list[OpenedRow]] = defaultdict(list)
    for item, of_item in _worst_first(counted, lower_is_better=lower_is_better):
        cells = {"score": round(sum(of_item) / len(of_item), 3), "ratings": len(of_item)}
        behind[f"{name}/{groups[item]}"].append(OpenedRow(item, cells))
    return rows, dict(behind)


def _cut(figure: Figure) -> Figure:
    return replace(figure, value=cut_to_1(figure.value), low=cut_to_1(figure.low), high=cut_to_1(figure.high))


def _worst_first(
    scores: Mapping[int, Sequence[float]], *, lower_is_better: bool
) -> Iterator[tuple[int, Sequence[float]]]:
    sign = -1 if lower_is_better else 1
    yield from sorted(scores.items(), key=lambda row: (sign * sum(row[1]) / len(row[1]), row[0]))


def _means(
    scores: Mapping[int, Sequence[float]], groups: Mapping[int, str], names: Sequence[str], clusters: Mapping[int, str]
) -> list[Figure]:
    """The mean of each group over its ratings. Intervals: units are resampled, the same for all groups."""
    group_places = {name: index for index, name in enumerate(names)}
    cluster_places: dict[str, int] = {}
    rows = [
        (cluster_places.setdefault(clusters.get(item, f"item {item}"), len(cluster_places)), group_places[groups[item]])
        for item in scores
    ]
    sums, counts = np.zeros((len(cluster_places), len(names))), np.zeros((len(cluster_places), len(names)))
    for (cluster, group), of_item in zip(rows, scores.values(), strict=True):
        sums[cluster, group] += sum(of_item)
        counts[cluster, group] += len(of_item)

    def means(times: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((times @ sums) / (times @ counts))

    mean_values = with_intervals(means, len(cluster_places), len(scores), RESAMPLES, SEED)
    units = (counts > 0).sum(axis=0)
    return [_figure(value, int(counts[:, index].sum()), int(units[index])) for index, value in enumerate(mean_values)]


def _figure(mean: ClusteredValue, ratings: int, units: int) -> Figure:
    """n: ratings. A single unit, or units that are all alike, have no interval."""
    if units < 2:
        return Figure(mean.value, ratings, note=ONE_UNIT)
    if mean.low == mean.high:
        return Figure(mean.value, ratings, note=ALL_ALIKE)
    return Figure(mean.value, ratings, mean.low, mean.high)
