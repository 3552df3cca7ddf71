"""Agreement about answers with parts: the parts as units, and for rubrics the worst criteria, tags and the score."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from annotate.kinds.questions.definition_texts import one_line
from annotate.kinds.questions.types.rubric import Criterion, cut_to_1
from judging.ratings.rubric_scores import Parts, RubricRatings, Unit
from lib.stats.agreement import coefficients, ratings
from lib.stats.bootstrap import resampled

ALPHA = "krippendorff_alpha"
MOST_CRITERIA, MOST_TAGS = 100, 50  # in a report: the worst criteria, and the tags with most units
MOST_LINES = 10  # criteria in a terminal
ByPart = Mapping[Unit, Mapping[str, str]]  # rater -> label


@dataclass(frozen=True)
class PartRatings:
    """by_part: what is compared. clusters: unit -> its item, or what the item is resampled with.

    cannot_tell: answers that say so; they are left out.
    """

    by_part: ByPart
    clusters: Mapping[Unit, str]
    cannot_tell: int


def by_part(answers: Parts, clusters: Mapping[int, str]) -> PartRatings:
    """The answers part by part. clusters: item -> what is resampled with it, where it does not stand alone."""
    labels: dict[Unit, dict[str, str]] = defaultdict(dict)
    cannot_tell = 0
    for item, by_rater in answers.items():
        for rater, parts in by_rater.items():
            for part, label in parts.items():
                if label is None:
                    cannot_tell += 1
                else:
                    labels[item, part][rater] = label
    return PartRatings(labels, {unit: clusters.get(unit[0], f"item {unit[0]}") for unit in labels}, cannot_tell)


def rubric_figures(rubric: RubricRatings, part_ratings: PartRatings, clusters: Mapping[int, str]) -> dict[str, Any]:
    """What a report says of a rubric besides its coefficients: `criteria`, the worst first, `tags`, and `score`."""
    units: dict[Criterion, list[Unit]] = defaultdict(list)
    tags: dict[str, list[Unit]] = defaultdict(list)
    for unit, labels in part_ratings.by_part.items():
        if len(labels) > 1:
            criterion = rubric.criteria[unit]
            units[criterion].append(unit)
            for tag in criterion.tags:
                tags[tag].append(unit)
    rows = [_criterion_row(criterion, [part_ratings.by_part[unit] for unit in of]) for criterion, of in units.items()]
    largest = sorted(tags, key=lambda tag: (-len(tags[tag]), tag))[:MOST_TAGS]
    return {
        "criteria": sorted(rows, key=lambda row: (row["agreement"], -row["pairs"], row["criterion"]))[:MOST_CRITERIA],
        "criteria_compared": len(rows),
        "tags": sorted((_tag_row(tag, tags[tag], part_ratings) for tag in largest), key=_worst_first),
        "score": _score(rubric, part_ratings, clusters),
    }


def _criterion_row(criterion: Criterion, units: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """agreement: the share of pairs of raters that say the same of this criterion, over all items that have it."""
    pairs = [left == right for labels in units for left, right in combinations(labels.values(), 2)]
    return {
        "criterion": criterion.text,
        "points": criterion.points,
        "tags": list(criterion.tags),
        "agreement": sum(pairs) / len(pairs),
        "pairs": len(pairs),
        "items": len(units),
    }


def _tag_row(tag: str, units: Sequence[Unit], part_ratings: PartRatings) -> dict[str, Any]:
    rows = ((str(unit), rater, label) for unit in units for rater, label in part_ratings.by_part[unit].items())
    table = ratings(rows, "nominal").clustered({str(unit): part_ratings.clusters[unit] for unit in units})
    alpha = coefficients(table, names=[ALPHA])[ALPHA]
    row = {"tag": tag, "name": "alpha_nominal", "value": alpha.value, "low": alpha.low, "high": alpha.high}
    return row | {"n": len(units)} | ({"note": alpha.note} if alpha.note else {})


def _worst_first(row: Mapping[str, Any]) -> tuple[bool, float, str]:
    return row["value"] is None, row["value"] or 0.0, row["tag"]


def _score(rubric: RubricRatings, part_ratings: PartRatings, clusters: Mapping[int, str]) -> dict[str, Any]:
    """The mean over ratings, cut to 0..1 with its interval; the scores themselves may lie outside."""
    by_cluster: dict[str, list[float]] = defaultdict(list)
    for item, by_rater in rubric.scores.items():
        by_cluster[clusters.get(item, f"item {item}")] += by_rater.values()
    sums = np.array([[sum(scores)] for scores in by_cluster.values()], dtype=float).reshape(-1, 1)
    counts = np.array([[len(scores)] for scores in by_cluster.values()], dtype=float).reshape(-1, 1)
    ratio = resampled(sums, counts)
    interval = ratio.interval(0)
    return {
        "mean": cut_to_1(ratio.value(0)),
        "low": cut_to_1(interval.low if interval else None),
        "high": cut_to_1(interval.high if interval else None),
        "n": int(counts.sum()),
        "cannot_tell": part_ratings.cannot_tell,
        "without_points": rubric.without_points,
    }


def rubric_lines(name: str, figures: Mapping[str, Any]) -> list[str]:
    """The figures of a rubric for a terminal; none of other questions."""
    if "criteria" not in figures:
        return []
    score = figures["score"]
    numbers = ", ".join(_figure(score[part]) for part in ("mean", "low", "high"))
    lines = [f"{name}: mean score, from, to: {numbers} (n {score['n']}; mean over ratings, cut to 0..1)"]
    lines += [f"{name}: tag {row['tag']}: alpha {_figure(row['value'])} (n {row['n']})" for row in figures["tags"]]
    worst = figures["criteria"][:MOST_LINES]
    return lines + [
        f"{name}: {row['agreement']:.2f} of {row['pairs']} pairs agree: {one_line(row['criterion'], 100)}"
        for row in worst
    ]


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
