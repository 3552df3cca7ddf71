"""How far raters of a project agree, people and judges by the same code over the same units."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations

from annotate.models import Project
from judging.services.ratings import CHECKLIST, PREFERENCE, SCORE, Found, Rater, Rating
from judging.services.ratings.labels import TIE, UNREADABLE, counted_as_ties, first_said, majorities, word
from judging.services.ratings.orders import groups_of
from lib.stats import agreement
from lib.stats.agreement import RESAMPLES, SEED, Coefficient, Level
from lib.stats.agreement.names import RESAMPLED_PAIRS
from lib.stats.labels import Hits, hits

LEVELS: Mapping[str, Level] = {PREFERENCE: "nominal", CHECKLIST: "nominal", SCORE: "ordinal"}
DIVISIONS = ("group", "language", "axis")
Said = Mapping[tuple[Rater, str], Rating]
# Rater -> place among all, unit, rating: to look through everything for each of thousands of pairs takes minutes.
Given = Mapping[Rater, Sequence[tuple[int, str, Rating]]]


@dataclass(frozen=True)
class Compared:
    """Coefficients of some raters over the units that at least two of them have rated.

    group: None for all units. skipped: reason -> ratings that are none. sources: raters' votes or verdicts, by unit.
    """

    raters: Sequence[Rater]
    group: str | None
    units: Sequence[str]
    coefficients: Mapping[str, Coefficient]
    skipped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Against:
    """A judge against the majority of people. unreadable: its ratings without a value, as_ties of them counted so."""

    judge: Rater
    hits: Hits
    unreadable: int
    as_ties: int


@dataclass(frozen=True)
class Agreement:
    """pairs: each two raters in each group; groups: all raters in each group, where there are several.

    majority: label -> units on which most people said it, "" where they were split; judges: against that majority.
    axes: the criteria that are mixed in the coefficients of everybody.
    """

    what: str
    level: Level
    pairs: Sequence[Compared]
    groups: Sequence[Compared]
    everybody: Compared
    people: Compared
    judges: Sequence[Against]
    majority: Mapping[str, int]
    left_out: Mapping[str, Mapping[str, int]]
    resamples: int
    axes: Collection[str] = ()


def compare(
    project: Project,
    rating_kind: str,
    ratings: Found,
    *,
    by: str = "",
    level: Level | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    clusters: Mapping[str, str] | None = None,
) -> Agreement:
    """ratings: the project's ratings of this sort; by: one of DIVISIONS, or "" for all in one.

    clusters: unit -> what is resampled whole; None where each unit is its own.
    Of a rater who was asked several times the first answer counts, in the first order.
    """
    first_ratings = first_said(ratings)
    raters = sorted({rater for rater, _unit in first_ratings}, key=lambda rater: (rater.sort != "person", rater.name))
    chosen_level = level or LEVELS[rating_kind]
    divided = _divided(project, first_ratings, by)
    two = list(combinations(raters, 2))
    pair_draws = resamples if len(two) * len(divided) <= RESAMPLED_PAIRS else 0

    def compared(among: Sequence[Rater], group: str | None, part: Given, draws: int) -> Compared:
        return _compared(among, group, part, chosen_level, draws, seed, clusters or {})

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


def _divided(project: Project, first_ratings: Said, by: str) -> dict[str | None, Said]:
    if not by:
        return {None: first_ratings}
    groups = groups_of(project, by) if by != "axis" else None
    ratings_by_group: dict[str | None, dict[tuple[Rater, str], Rating]] = defaultdict(dict)
    for key, rating in first_ratings.items():
        ratings_by_group[rating.axis if groups is None else groups[rating.item]][key] = rating
    return {group: ratings_by_group[group] for group in sorted(ratings_by_group, key=lambda name: name or "")}


def _of_each(first_ratings: Said) -> Given:
    ratings_by_rater: dict[Rater, list[tuple[int, str, Rating]]] = defaultdict(list)
    for index, ((rater, unit), rating) in enumerate(first_ratings.items()):
        ratings_by_rater[rater].append((index, unit, rating))
    return ratings_by_rater


def _met(ratings_by_rater: Given, pair: tuple[Rater, Rater]) -> bool:
    """Whether both have rated some unit."""
    first_units, second_units = (
        {unit for _place, unit, rating in ratings_by_rater.get(rater, ()) if rating.value is not None} for rater in pair
    )
    return not first_units.isdisjoint(second_units)


def _compared(
    raters: Collection[Rater],
    group: str | None,
    ratings_by_rater: Given,
    level: Level,
    resamples: int,
    seed: int,
    clusters: Mapping[str, str],
) -> Compared:
    by_unit: dict[str, list[Rating]] = defaultdict(list)
    in_order = sorted(
        chain.from_iterable(ratings_by_rater.get(rater, ()) for rater in raters), key=lambda entry: entry[0]
    )
    for _place, unit, rating in in_order:
        by_unit[unit].append(rating)
    met = {
        unit: ratings for unit, ratings in by_unit.items() if sum(rating.value is not None for rating in ratings) > 1
    }
    alone = {unit: ratings for unit, ratings in by_unit.items() if unit not in met}
    # Where no two have met, all of them: the note of a coefficient then says whether one rater is alone.
    rows = [(unit, rating.rater.name, rating.value) for unit, ratings in (met or by_unit).items() for rating in ratings]
    table = agreement.ratings(rows, level).clustered(clusters)
    coefficients = agreement.coefficients(table, resamples=resamples, seed=seed)
    skipped = dict(table.skipped) if met else {}
    if single := sum(rating.value is not None for ratings in alone.values() for rating in ratings):
        skipped["rated by one"] = single
    if missing := sum(rating.value is None for ratings in alone.values() for rating in ratings):
        skipped["missing"] = skipped.get("missing", 0) + missing
    return Compared(list(raters), group, list(met), coefficients, skipped)


def _against(first_ratings: Said, rating_kind: str) -> Iterator[Against]:
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


def _majority(first_ratings: Said, rating_kind: str) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for label in majorities(first_ratings.values(), rating_kind).values():
        counts[label or ""] += 1
    return dict(sorted(counts.items()))
