"""Ratings of rubrics with the criteria of their items, and the score of each rating."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotate.kinds.questions.types.rubric import Criterion, Rubric
from annotate.models import Item, Project

Unit = tuple[int, str]  # item, part
Parts = Mapping[int, Mapping[str, Mapping[str, str | None]]]  # item -> rater -> part -> label, None: cannot tell


@dataclass(frozen=True)
class RubricRatings:
    """criteria: of each unit. scores: item -> rater -> score; those without positive points are counted beside."""

    criteria: Mapping[Unit, Criterion]
    scores: Mapping[int, Mapping[str, float]]
    without_points: int


def rubric_ratings(project: Project, question: Rubric, answers: Parts) -> RubricRatings:
    """One query."""
    criteria: dict[Unit, Criterion] = {}
    scores: dict[int, dict[str, float]] = defaultdict(dict)
    without_points = 0
    for item, facts in _facts(project, answers):
        criteria |= {(item, str(index)): criterion for index, criterion in enumerate(question.criteria(facts))}
        for rater, parts in answers[item].items():
            score = question.score(parts, facts)
            if score.value is None:
                without_points += 1
            else:
                scores[item][rater] = score.value
    return RubricRatings(criteria, scores, without_points)


def _facts(project: Project, items: Iterable[int]) -> Iterable[tuple[int, dict[str, Any]]]:
    kind, item_set = project.kind, set(items)
    rows = Item.objects.filter(project=project).values_list("pk", "facts", "schema")
    return ((pk, kind.upgrade(facts, schema)) for pk, facts, schema in rows.iterator(2000) if pk in item_set)
