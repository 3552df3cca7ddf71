"""Numbers of the agreement board: choice of people, pooled headline, and agreement of each two raters.

People and judges are compared by the same code over the same units.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import chain, combinations
from typing import Any

from annotate.models import Project
from judging.cache import cached
from judging.ratings.consistency import JudgeRate, consistency_rates, groups_of
from judging.ratings.raters import TURNED, ProjectRatings
from judging.ratings.tables import Somebody, UnitTable
from judging.ratings.units import (
    CHECKLIST,
    PREFERENCE,
    SCORE,
    TIE,
    UNREADABLE,
    Rater,
    Rating,
    Unit,
    counted_as_ties,
    majorities,
    word,
)
from judging.ratings.units import (
    first_ratings as first_ratings_of,
)
from lib.stats import agreement
from lib.stats.agreement import RESAMPLES, SEED, Coefficient, Level
from lib.stats.agreement.pooled import Pooled, PooledBeside, against, among, clusters_that_count, coefficient_at
from lib.stats.agreement.table import ONE_SIDED, RESAMPLED_PAIRS
from lib.stats.labels import Hits, hits

NOT = "!"


class NobodyChosen(ValueError):
    """The words name no rater; the message lists the raters that they could name."""


def chosen_people(material: UnitTable, words: Sequence[str]) -> list[str]:
    """Keys of the people that the words name: a name, a pattern such as `expert_*`, or the number on the page (`p3`).

    A word with a leading `!` means everybody else. Raises NobodyChosen for a word that fits nobody, or if nobody is
    left.
    """
    positive_words = [word for word in words if not word.startswith(NOT)]
    without = [word.removeprefix(NOT) for word in words if word.startswith(NOT)]
    for pattern in (*positive_words, *without):
        if not any(_fits(person, pattern) for person in material.people):
            raters = _list_names(material.people)
            raise NobodyChosen(f"No person is called {pattern!r}. People who have rated: {raters}.")
    people = [
        person
        for person in material.people
        if not positive_words or any(_fits(person, word) for word in positive_words)
    ]
    people = [person for person in people if not any(_fits(person, word) for word in without)]
    if not people:
        raise NobodyChosen(f"Nobody is left to compare. People who have rated: {people}.")
    return [person.key for person in people]


def _fits(person: Somebody, word: str) -> bool:
    return word in (person.name, person.key) or fnmatchcase(person.name, word)


def _list_names(people: Sequence[Somebody]) -> str:
    names = [person.name for person in people[:20]]
    return ", ".join(names) + (f" and {len(people) - 20} more" if len(people) > 20 else "")


# Consistency rate of FB-Bench: judges against the majority of people, by the author of the answers.


def rates(project: Project, material: UnitTable) -> list[JudgeRate]:
    """Rates of all judges; none if the material is not about checklists or nobody has voted."""
    if material.subject.slug != CHECKLIST:
        return []

    def made() -> list[JudgeRate]:
        ratings = ProjectRatings(rating for unit_ratings in material.said.values() for rating in unit_ratings.values())
        return consistency_rates(project, given=ratings)

    return cached("consistency", material.state, made)


# Headline: agreement pooled over all units, of people among themselves and of each judge with them.


@dataclass(frozen=True)
class JudgeHeadline:
    """both: the judge and people on the units of this judge; the headline itself has people over all units."""

    judge: Somebody
    both: PooledBeside


@dataclass(frozen=True)
class Headline:
    """resampled_by: what is resampled whole; clusters: how many of them hold a unit that two people have rated.

    raters: the people, as on the page; chosen: whether somebody selected them. All intervals have RESAMPLES resamples
    and the seed SEED.
    """

    coefficient: str
    level: Level
    resampled_by: str
    clusters: int
    people: Pooled
    judges: Sequence[JudgeHeadline]
    raters: Sequence[Somebody]
    chosen: bool


def headline(material: UnitTable, level: Level) -> Headline:
    """Cached until something changes. In a preference the author whose name is first in the alphabet counts as first,
    so that a pair has the same first and second author whatever order a rater saw."""
    if not material.state:
        return _headline(material, level)
    return cached("headline", f"{material.state}:{level}", lambda: _headline(material, level))


def _headline(material: UnitTable, level: Level) -> Headline:
    rows = (
        (unit, key, _as_named(rating.value, turned=unit in material.turned))
        for unit, unit_ratings in material.said.items()
        for key, rating in unit_ratings.items()
    )
    table = agreement.ratings(rows, level).clustered(material.clusters)
    keys = [person.key for person in material.people]
    resampling = {"resamples": RESAMPLES, "seed": SEED}
    return Headline(
        coefficient_at(level),
        level,
        material.resampled_by,
        clusters_that_count(table, keys),
        among(table, keys, **resampling),
        [JudgeHeadline(judge, against(table, keys, judge.key, **resampling)) for judge in material.judges],
        material.people,
        bool(material.chosen),
    )


def _as_named(value: float | str | None, *, turned: bool) -> float | str | None:
    return TURNED.get(value, value) if turned and isinstance(value, str) else value


def as_json(headline: Headline) -> dict[str, Any]:
    """The JSON that scripts rely on; undefined is null with a note. difference: judge minus people, on the judge's
    units. remark: what the value alone does not show."""
    return {
        "coefficient": headline.coefficient,
        "level": headline.level,
        "resampled_by": headline.resampled_by,
        "clusters": headline.clusters,
        "resamples": RESAMPLES,
        "seed": SEED,
        "raters": [rater.name for rater in headline.raters],
        "chosen": headline.chosen,
        "people": _side(headline.people),
        "judges": [_judge(judge_headline) for judge_headline in headline.judges],
    }


def _judge(judge_headline: JudgeHeadline) -> dict[str, Any]:
    less = judge_headline.both.difference
    row = {"name": judge_headline.judge.name, **_side(judge_headline.both.judge)}
    row |= {"difference": less.value, "difference_low": less.low, "difference_high": less.high}
    return row | {"difference_note": less.note, "people": _side(judge_headline.both.people)}


def _side(pooled: Pooled) -> dict[str, Any]:
    row = {
        name: getattr(pooled, name) for name in ("value", "low", "high", "note", "units", "pairs", "equal", "chance")
    }
    return row | {"remark": ONE_SIDED if pooled.one_sided else ""}


def rows_of(headline: Headline) -> list[dict[str, Any]]:
    """A row for people and one for each judge: the cells of a table."""
    shared_cells = {"coefficient": headline.coefficient, "level": headline.level, "resampled_by": headline.resampled_by}
    shared_cells |= {"clusters": str(headline.clusters), "people_chosen": "yes" if headline.chosen else "all"}
    people = {"rater": "people", **_cells(headline.people), **dict.fromkeys(DIFFERENCE)}
    judges = [
        {"rater": judge_row["name"], **{name: judge_row[name] for name in (*CELLS, *DIFFERENCE)}}
        for judge_row in map(_judge, headline.judges)
    ]
    return [row | shared_cells for row in (people, *judges)]


CELLS = ("value", "low", "high", "units", "pairs", "equal", "note")
DIFFERENCE = ("difference", "difference_low", "difference_high")


def _cells(pooled: Pooled) -> dict[str, Any]:
    return {name: getattr(pooled, name) for name in CELLS}


# Agreement of raters: each two of them, all of them by group, and judges against the majority of people.


LEVELS: Mapping[str, Level] = {PREFERENCE: "nominal", CHECKLIST: "nominal", SCORE: "ordinal"}
DIVISIONS = ("group", "language", "axis")
RatingByUnit = Mapping[tuple[Rater, Unit], Rating]
# Rater -> place among all, unit, rating. Without this index, scanning all ratings for thousands of pairs takes minutes.
RatingsByRater = Mapping[Rater, Sequence[tuple[int, Unit, Rating]]]


@dataclass(frozen=True)
class RaterAgreement:
    """Coefficients of some raters over the units that at least two of them have rated.

    group: None for all units. skipped: reason -> ratings without a value.
    """

    raters: Sequence[Rater]
    group: str | None
    units: Sequence[Unit]
    coefficients: Mapping[str, Coefficient]
    skipped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Against:
    """A judge against the majority of people. unreadable: ratings without a value; as_ties: those counted as ties."""

    judge: Rater
    hits: Hits
    unreadable: int
    as_ties: int


@dataclass(frozen=True)
class Agreement:
    """pairs: each two raters in each group; groups: all raters in each group, where there are several.

    majority: label -> units on which most people said it, "" if they were split; judges: against that majority.
    axes: the criteria that are mixed in the coefficients of everybody.
    """

    what: str
    level: Level
    pairs: Sequence[RaterAgreement]
    groups: Sequence[RaterAgreement]
    everybody: RaterAgreement
    people: RaterAgreement
    judges: Sequence[Against]
    majority: Mapping[str, int]
    left_out: Mapping[str, Mapping[str, int]]
    resamples: int
    axes: Collection[str] = ()


def compare(
    project: Project,
    rating_kind: str,
    ratings: ProjectRatings,
    *,
    by: str = "",
    level: Level | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    clusters: Mapping[Unit, str] | None = None,
) -> Agreement:
    """ratings: the project's ratings of this kind; by: one of DIVISIONS, or "" for all in one.

    clusters: unit -> the cluster that is resampled whole; None if each unit is resampled alone.
    If a rater was asked several times, the first rating in the first order counts.
    """
    first_ratings = first_ratings_of(ratings)
    raters = sorted({rater for rater, _unit in first_ratings}, key=lambda rater: (rater.sort != "person", rater.name))
    chosen_level = level or LEVELS[rating_kind]
    divided = _divided(project, first_ratings, by)
    two = list(combinations(raters, 2))
    pair_draws = resamples if len(two) * len(divided) <= RESAMPLED_PAIRS else 0

    def compared(among: Sequence[Rater], group: str | None, part: RatingsByRater, draws: int) -> RaterAgreement:
        return _rater_agreement(among, group, part, chosen_level, draws, seed, clusters or {})

    parts, whole = {group: _of_each(part) for group, part in divided.items()}, _of_each(first_ratings)
    return Agreement(
        what=rating_kind,
        level=chosen_level,
        pairs=[
            compared(pair, group, part, pair_draws) for group, part in parts.items() for pair in two if _met(part, pair)
        ],
        groups=[compared(raters, group, part, resamples) for group, part in parts.items()] if by else [],
        everybody=compared(raters, None, whole, resamples),
        people=compared([rater for rater in raters if rater.sort == "person"], None, whole, resamples),
        judges=list(_against(first_ratings, rating_kind)) if rating_kind != SCORE else [],
        majority=_majority(first_ratings, rating_kind) if rating_kind != SCORE else {},
        left_out=ratings.left_out,
        resamples=pair_draws,
        axes={rating.axis for rating in ratings} if rating_kind == SCORE else (),
    )


def _divided(project: Project, first_ratings: RatingByUnit, by: str) -> dict[str | None, RatingByUnit]:
    if not by:
        return {None: first_ratings}
    groups = groups_of(project, by) if by != "axis" else None
    ratings_by_group: dict[str | None, dict[tuple[Rater, Unit], Rating]] = defaultdict(dict)
    for key, rating in first_ratings.items():
        ratings_by_group[rating.axis if groups is None else groups[rating.item]][key] = rating
    return {group: ratings_by_group[group] for group in sorted(ratings_by_group, key=lambda name: name or "")}


def _of_each(first_ratings: RatingByUnit) -> RatingsByRater:
    ratings_by_rater: dict[Rater, list[tuple[int, Unit, Rating]]] = defaultdict(list)
    for index, ((rater, unit), rating) in enumerate(first_ratings.items()):
        ratings_by_rater[rater].append((index, unit, rating))
    return ratings_by_rater


def _met(ratings_by_rater: RatingsByRater, pair: tuple[Rater, Rater]) -> bool:
    """Whether both have rated some unit."""
    first_units, second_units = (
        {unit for _place, unit, rating in ratings_by_rater.get(rater, ()) if rating.value is not None} for rater in pair
    )
    return not first_units.isdisjoint(second_units)


def _rater_agreement(
    raters: Collection[Rater],
    group: str | None,
    ratings_by_rater: RatingsByRater,
    level: Level,
    resamples: int,
    seed: int,
    clusters: Mapping[Unit, str],
) -> RaterAgreement:
    by_unit: dict[Unit, list[Rating]] = defaultdict(list)
    in_order = sorted(
        chain.from_iterable(ratings_by_rater.get(rater, ()) for rater in raters), key=lambda entry: entry[0]
    )
    for _place, unit, rating in in_order:
        by_unit[unit].append(rating)
    met = {
        unit: ratings for unit, ratings in by_unit.items() if sum(rating.value is not None for rating in ratings) > 1
    }
    alone = {unit: ratings for unit, ratings in by_unit.items() if unit not in met}
    # If no two raters share a unit, take all units: the note of a coefficient then says if there is only one rater.
    rows = [(unit, rating.rater.name, rating.value) for unit, ratings in (met or by_unit).items() for rating in ratings]
    table = agreement.ratings(rows, level).clustered(clusters)
    coefficients = agreement.coefficients(table, resamples=resamples, seed=seed)
    skipped = dict(table.skipped) if met else {}
    if single := sum(rating.value is not None for ratings in alone.values() for rating in ratings):
        skipped["rated by one"] = single
    if missing := sum(rating.value is None for ratings in alone.values() for rating in ratings):
        skipped["missing"] = skipped.get("missing", 0) + missing
    return RaterAgreement(list(raters), group, list(met), coefficients, skipped)


def _against(first_ratings: RatingByUnit, rating_kind: str) -> Iterator[Against]:
    right = majorities(first_ratings.values(), rating_kind)
    judges = sorted({rater for rater, _unit in first_ratings if rater.sort == "judge"}, key=lambda rater: rater.name)
    ties = counted_as_ties(judges)
    for judge in judges:
        values_by_unit = {
            unit: rating.value for (rater, unit), rating in first_ratings.items() if rater == judge and unit in right
        }
        labels = [
            word(value, rating_kind) or (UNREADABLE if judge.pk in ties else None) for value in values_by_unit.values()
        ]
        unread = sum(value is None for value in values_by_unit.values())
        judge_hits = hits([right[unit] for unit in values_by_unit], labels, counts_as={UNREADABLE: TIE})
        yield Against(judge, judge_hits, unread, unread if judge.pk in ties else 0)


def _majority(first_ratings: RatingByUnit, rating_kind: str) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for label in majorities(first_ratings.values(), rating_kind).values():
        counts[label or ""] += 1
    return dict(sorted(counts.items()))
