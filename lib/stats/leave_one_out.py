"""Each person is left out in turn: how close that person's answers, and a judge's, are to those of the other people.

Numbers and labels are compared as arrays; for answers that agree by degrees, such as sets, orders and spans, the
similarity of two answers is the caller's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lib.stats.averages import Floats, Places, divided
from lib.stats.bootstrap import SEED, ResampledRatio, resampled
from lib.stats.figures import FEW_ITEMS, Figure, drawn_figure, undefined

NO_JUDGE, ONE_RATING = "no_judge", "fewer_than_two_people"
NEAR = 1e-9  # two distances that differ by rounding only are the same
Similarity = Callable[[Any, Any], float]  # of two answers, 0..1


def compared(people: Floats, judge: Floats, alignment: str) -> tuple[Floats, Mapping[str, int]]:
    """(units, people): 1 where the person is closer to the others than the judge is, -1 where the judge is, 0 where
    both are as close; NaN where the person, the judge or any other person gave nothing. Also: reason -> units left
    out of every comparison. Raises ValueError for shapes that do not fit and an unknown alignment."""
    if alignment not in ALIGNMENTS:
        raise ValueError(f"There is no alignment {alignment!r}; alignments: {', '.join(ALIGNMENTS)}.")
    if people.ndim != 2 or judge.shape != people.shape[:1]:
        raise ValueError(
            f"People as (units, people) and one judge's (units,) are needed, not {people.shape} and {judge.shape}."
        )
    judged, several = ~np.isnan(judge), (~np.isnan(people)).sum(axis=1) >= 2
    align = ALIGNMENTS[alignment]
    differences = np.full(people.shape, np.nan)
    for column in range(people.shape[1]):
        ratings, other_ratings = people[:, column], np.delete(people, column, axis=1)
        differences[:, column] = closer(align(ratings, other_ratings) - align(judge, other_ratings))
    skipped = {NO_JUDGE: int((~judged).sum()), ONE_RATING: int((judged & ~several).sum())}
    return differences, {reason: count for reason, count in skipped.items() if count}


def closer(ahead: Floats) -> Floats:
    """1 where the person is ahead of the judge, -1 where the judge is, 0 where neither is; NaN stays."""
    return np.where(np.abs(ahead) < NEAR, 0.0, np.sign(ahead))


def _match(ratings: Floats, other_ratings: Floats) -> Floats:
    """Share of the other people who give the same value; NaN where one side has none."""
    has_rating = ~np.isnan(other_ratings)
    return _known(ratings, divided((other_ratings == ratings[:, None]).sum(axis=1), has_rating.sum(axis=1)))


def _distance(ratings: Floats, other_ratings: Floats) -> Floats:
    """Minus the root mean square difference from the others."""
    squares = (other_ratings - ratings[:, None]) ** 2
    return _known(ratings, -np.sqrt(divided(np.nansum(squares, axis=1), (~np.isnan(other_ratings)).sum(axis=1))))


def _known(ratings: Floats, aligned: Floats) -> Floats:
    return np.where(np.isnan(ratings), np.nan, aligned)


ALIGNMENTS: Mapping[str, Callable[[Floats, Floats], Floats]] = {"match": _match, "distance": _distance}


# Answers that agree by degrees.


@dataclass(frozen=True)
class LeftOut:
    """person, judge: (units, people), mean similarity of the person's, and of the judge's, answer with those of the
    other people, 0..1; NaN where the person, the judge or any other person gave none. skipped: reason -> units left out
    of every comparison."""

    person: Floats
    judge: Floats
    skipped: Mapping[str, int]


def leave_one_out(
    people: Sequence[Mapping[int, Any]], judge: Sequence[Any], similarity: Similarity, columns: int
) -> LeftOut:
    """people: of each unit, number of a person -> answer; judge: of each unit the judge's, None where there is none.

    columns: how many people there are. Similarity is symmetric, and is computed once for every two answers of a unit.
    """
    shape = len(people), columns
    person_means, judge_means = np.full(shape, np.nan), np.full(shape, np.nan)
    for row, (by_person, judged) in enumerate(zip(people, judge, strict=True)):
        if judged is None or len(by_person) < 2:
            continue
        numbers, answers = list(by_person), list(by_person.values())
        between, with_judge = (
            _between(answers, similarity),
            np.array([similarity(judged, answer) for answer in answers]),
        )
        person_means[row, numbers] = between.sum(axis=1) / (len(answers) - 1)
        judge_means[row, numbers] = (with_judge.sum() - with_judge) / (len(answers) - 1)
    without = sum(answer is None for answer in judge)
    alone = sum(
        answer is not None and len(answers_of_people) < 2
        for answers_of_people, answer in zip(people, judge, strict=True)
    )
    skipped = {NO_JUDGE: without, ONE_RATING: alone}
    return LeftOut(person_means, judge_means, {reason: count for reason, count in skipped.items() if count})


def _between(answers: Sequence[Any], similarity: Similarity) -> Floats:
    """(answers, answers), 0 for an answer with itself."""
    between = np.zeros((len(answers), len(answers)))
    for left in range(len(answers)):
        for right in range(left):
            between[left, right] = between[right, left] = similarity(answers[left], answers[right])
    return between


@dataclass(frozen=True)
class SimilarityToOthers:
    """Mean similarity with the other people, 0..1. person: of those left out; judge: of the judge on the same units;
    difference: judge less person, -1..1."""

    person: Figure
    judge: Figure
    difference: Figure


def similarity_to_others(
    left_out: LeftOut, clusters: Places | None = None, *, seed: int = SEED
) -> tuple[SimilarityToOthers, Sequence[SimilarityToOthers]]:
    """(mean over people, of each person). n: units. Intervals: 95 %, bootstrap over clusters, or units without them.

    clusters: (units,), the number of what each is resampled with. People without a unit are undefined, and do not count
    in the mean, in which each person weighs the same.
    """
    people = left_out.person.shape[1]
    values = np.hstack([left_out.person, left_out.judge])
    sums, counts = cluster_sums(values, np.arange(len(values)) if clusters is None else clusters)
    ratios, units = resampled(sums, counts, seed=seed), (~np.isnan(left_out.person)).sum(axis=0)
    each = [_of_columns(ratios, [column], people, int(units[column])) for column in range(people)]
    met = np.flatnonzero(units).tolist()
    return _of_columns(ratios, met, people, int((~np.isnan(left_out.person)).any(axis=1).sum())), each


def _of_columns(ratios: ResampledRatio, columns: Sequence[int], people: int, n: int) -> SimilarityToOthers:
    """Means over these people. ratios: columns of people, then of the judge in place of each."""
    if not n:
        nothing = undefined(FEW_ITEMS)
        return SimilarityToOthers(nothing, nothing, nothing)
    judge_columns = [column + people for column in columns]
    value, judge_value = (float(ratios.values[which].mean()) for which in (columns, judge_columns))
    drawn, judge_drawn = (mean_over_people(ratios.drawn[:, which]) for which in (columns, judge_columns))
    return SimilarityToOthers(
        drawn_figure(value, n, drawn),
        drawn_figure(judge_value, n, judge_drawn),
        drawn_figure(judge_value - value, n, judge_drawn - drawn),
    )


def mean_over_people(drawn: Floats) -> Floats:
    """(draws,): the mean of those people of whom a draw has units. drawn: (draws, people)."""
    return divided(np.nansum(drawn, axis=1), (~np.isnan(drawn)).sum(axis=1))


def cluster_sums(values: Floats, clusters: Places) -> tuple[Floats, Floats]:
    """(clusters, columns): sums of the values of each cluster, and how many there are. values: (units, columns), NaN
    where there is none; clusters: (units,)."""
    _names, places = np.unique(clusters, return_inverse=True)
    shape = int(places.max(initial=-1)) + 1, values.shape[1]
    sums, counts = np.zeros(shape), np.zeros(shape)
    np.add.at(sums, places, np.nan_to_num(values))
    np.add.at(counts, places, ~np.isnan(values))
    return sums, counts
