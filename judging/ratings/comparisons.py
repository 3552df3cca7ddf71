"""Comparisons of raters over one rating table: people with judges, each two raters, slices, and the table itself."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from annotate.models import Item, Project
from judging.cache import cached
from judging.models import Answer
from judging.ratings.rating_subjects import (
    AUTHOR,
    AXIS,
    COSTLY,
    HOPELESS,
    PERSON,
    STRATEGY,
    ComparisonOptions,
    RatingSubject,
)
from judging.ratings.tables import Somebody, UnitTable, of_all_fields
from judging.ratings.units import Unit
from lib.stats import agreement
from lib.stats.agreement import RESAMPLES, Coefficient, Level, RatingTable
from lib.stats.agreement.people_and_judges import PeopleAndJudge, beside

Rows: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True)
class Grid:
    """table: all rated units by all raters with a rating. there: (units, raters), whether there is a rating."""

    table: RatingTable
    there: NDArray[np.bool_]

    def columns(self, raters: Sequence[Somebody]) -> list[int]:
        """Columns of those raters who have a rating."""
        column_by_key = {key: column for column, key in enumerate(self.table.raters)}
        return [column_by_key[rater.key] for rater in raters if rater.key in column_by_key]

    @property
    def rows(self) -> Rows:
        return np.arange(len(self.table.units))

    def shared(self, rows: Rows, people: Sequence[Somebody], judges: Sequence[Somebody]) -> tuple[Rows, int]:
        """The rows that two people and all judges have rated, and the number of rows with only one person."""
        columns = self.columns(judges)
        if len(columns) < len(judges):
            return rows[:0], 0
        presence = self.there[rows]
        judged, count = presence[:, columns].all(axis=1), presence[:, self.columns(people)].sum(axis=1)
        return rows[judged & (count > 1)], int(np.count_nonzero(judged & (count == 1)))

    def rated_by(self, rows: Rows, rater: Somebody) -> Rows:
        columns = self.columns([rater])
        return rows[self.there[rows, columns[0]]] if columns else rows[:0]

    def part(self, rows: Rows, raters: Sequence[Somebody]) -> RatingTable:
        """A table of these alone: units, raters and categories that do not occur are left out."""
        columns = np.array(self.columns(raters), dtype=np.intp)
        values = self.table.values[np.ix_(rows, columns)]
        presence = ~np.isnan(values)
        row_indexes, column_indexes = np.flatnonzero(presence.any(axis=1)), np.flatnonzero(presence.any(axis=0))
        values = values[np.ix_(row_indexes, column_indexes)]
        used = np.unique(values[~np.isnan(values)])
        categories = tuple(self.table.categories[index] for index in np.searchsorted(self.table.numbers, used).tolist())
        if self.table.labelled:
            values = np.where(np.isnan(values), np.nan, np.searchsorted(used, values))
        return replace(
            self.table,
            units=tuple(self.table.units[row] for row in rows[row_indexes].tolist()),
            raters=tuple(self.table.raters[column] for column in columns[column_indexes].tolist()),
            values=values,
            categories=categories,
            skipped={},
            clusters=tuple(self.table.clusters[row] for row in rows[row_indexes].tolist())
            if self.table.clusters
            else (),
        )


def grid(material: UnitTable, level: Level) -> Grid:
    order = {rater.key: position for position, rater in enumerate(material.raters)}
    rows = (
        (unit, key, unit_ratings[key].value)
        for unit, unit_ratings in material.said.items()
        for key in sorted(unit_ratings, key=order.__getitem__)
    )
    table = agreement.ratings(rows, level).clustered(material.clusters)
    return Grid(table, ~np.isnan(table.values))


# Numbers: people with judges, each two raters, and slices.


PERCENT = "percent"
MOST_PAIRS = 60  # that are listed; those with most units first
MOST_SLICES = 30  # none if there are too many ratings for a bootstrap


@dataclass(frozen=True)
class GroupAgreement:
    """People and judges over `units` units that at least two of the people and all of the judges have rated.

    raw: share of equal ratings; chosen: the chosen coefficient. alone: units that these judges and only one person
    have rated. Without judges it is about people alone, and `other` of both has no value.
    """

    judges: Sequence[Somebody]
    units: int
    raw: PeopleAndJudge
    chosen: PeopleAndJudge
    alone: int = 0
    slice: str = ""


@dataclass(frozen=True)
class RaterPairAgreement:
    """Two raters over the units that both have rated."""

    one: Somebody
    two: Somebody
    units: int
    raw: Coefficient
    chosen: Coefficient

    @property
    def both(self) -> Sequence[Somebody]:
        return [self.one, self.two]


@dataclass(frozen=True)
class RaterComparison:
    """people: over all units that two of them have rated. listed: total number of pairs of raters.

    slices: of the parts with most units; parts: total number of parts; slice_draws: resamples of the slices.
    """

    wanted: ComparisonOptions
    people: GroupAgreement
    judges: Sequence[GroupAgreement]
    pairs: Sequence[RaterPairAgreement]
    listed: int
    slices: Sequence[GroupAgreement]
    parts: int
    shown_parts: int
    slice_draws: int
    left_out: Mapping[str, int]


def compare_raters(project: Project, material: UnitTable, wish: ComparisonOptions) -> RaterComparison:
    """Cached until something changes. wish.draws: -1 for as many resamples as a page should wait for.

    With too many ratings there is no bootstrap, whatever the options say, and there are no slices.
    """
    if wish.draws < 0:
        wish = replace(wish, draws=draws_for(material))
    elif _cost(material) > HOPELESS:
        wish = replace(wish, draws=0)
    key = f"{material.state}:{wish.coefficient}:{wish.level}:{wish.by}:{wish.draws}"
    return cached("agreement", key, lambda: _compare_raters(project, material, wish))


@dataclass(frozen=True)
class OfField:
    """Agreement of people in one field."""

    subject: RatingSubject
    people: GroupAgreement


def by_field(
    project: Project, subjects: Sequence[RatingSubject], wish: ComparisonOptions, people: Collection[str] = ()
) -> list[OfField]:
    """Every field, with the number of resamples that it has on its own page. people: keys of the chosen people."""
    materials = [material.of_people(people) for material in of_all_fields(project, subjects)]
    return [OfField(material.subject, _of_field(material, wish)) for material in materials]


def _of_field(material: UnitTable, wish: ComparisonOptions) -> GroupAgreement:
    draws = draws_for(material)
    field_wish = ComparisonOptions(wish.coefficient, material.subject.level, wish.by, draws)

    def made() -> GroupAgreement:
        whole = grid(material, field_wish.level)
        return group_agreement(material, whole, field_wish, whole.rows, [])

    return cached("field", f"{material.state}:{field_wish.coefficient}:{draws}", made)


def draws_for(material: UnitTable) -> int:
    """How many resamples a page makes at first: all or none, so that one number never has two intervals."""
    return 0 if _cost(material) > COSTLY else RESAMPLES


def _cost(material: UnitTable) -> int:
    n = len(material.raters)
    return n * (n - 1) // 2 * len(material.said)


def _compare_raters(project: Project, material: UnitTable, wish: ComparisonOptions) -> RaterComparison:
    whole = grid(material, wish.level)
    figures = figures_of(material, whole, wish)
    slices, parts, shown_count = _slices(project, material, whole, wish)
    count_by_reason = {
        "missing": sum(
            rating.value is None for unit_ratings in material.said.values() for rating in unit_ratings.values()
        ),
        "alone": int(np.count_nonzero(whole.there.sum(axis=1) == 1)),
    }
    return RaterComparison(
        wish,
        figures.people,
        figures.judges,
        figures.pairs,
        figures.listed,
        slices,
        parts,
        shown_count,
        wish.draws,
        {why: count for why, count in count_by_reason.items() if count},
    )


@dataclass(frozen=True)
class Figures:
    """The numbers that need only ratings: people, each judge with them, each two raters; listed: total pairs."""

    people: GroupAgreement
    judges: Sequence[GroupAgreement]
    pairs: Sequence[RaterPairAgreement]
    listed: int


def figures_of(material: UnitTable, whole: Grid, wish: ComparisonOptions) -> Figures:
    """wish.draws: the exact number of resamples."""
    pairs = _pairs(material, whole)
    return Figures(
        group_agreement(material, whole, wish, whole.rows, []),
        [group_agreement(material, whole, wish, whole.rows, [judge]) for judge in material.judges],
        [_two(whole, wish, *pair) for pair in pairs[:MOST_PAIRS]],
        len(pairs),
    )


def group_agreement(
    material: UnitTable,
    whole: Grid,
    wish: ComparisonOptions,
    rows: Rows,
    judges: Sequence[Somebody],
    person: Somebody | None = None,
    *,
    raw: bool = True,
) -> GroupAgreement:
    """person: only pairs with this person. raw: whether to compute the share of equal ratings too."""
    shared, alone = whole.shared(rows, material.people, judges)
    if person is not None:
        shared = whole.rated_by(shared, person)
    table = whole.part(shared, [*material.people, *judges])
    keys = [rater.key for rater in material.people]
    ones = [two for two in combinations(keys, 2) if person is None or person.key in two]
    mixed_pairs = [(key, judge.key) for key in keys for judge in judges if person is None or key == person.key]

    def side_by_side(name: str) -> PeopleAndJudge:
        return beside(table, name, ones, mixed_pairs, resamples=wish.draws, seed=wish.seed)

    comparison = side_by_side(wish.coefficient)
    equal = side_by_side(PERCENT) if raw and wish.coefficient != PERCENT else comparison
    return GroupAgreement(judges, len(shared), equal, comparison, alone)


def _pairs(material: UnitTable, whole: Grid) -> list[tuple[Somebody, Somebody, Rows]]:
    """Each two raters with a unit in common: people first, those with most units first."""
    raters = [rater for rater in material.raters if whole.columns([rater])]
    columns = whole.columns(raters)
    presence = whole.there[:, columns].astype(np.int32)
    units = presence.T @ presence
    pair_indexes = [(left, right) for left, right in combinations(range(len(raters)), 2) if units[left, right]]

    def place(two: tuple[int, int]) -> tuple[int, int, int, int]:
        return sum(raters[index].is_judge for index in two), -int(units[two]), *two

    return [
        (raters[left], raters[right], np.flatnonzero(presence[:, left] & presence[:, right]))
        for left, right in sorted(pair_indexes, key=place)
    ]


def _two(whole: Grid, wish: ComparisonOptions, first: Somebody, two: Somebody, rows: Rows) -> RaterPairAgreement:
    names = list(dict.fromkeys([PERCENT, wish.coefficient]))
    values = agreement.coefficients(whole.part(rows, [first, two]), resamples=wish.draws, seed=wish.seed, names=names)
    return RaterPairAgreement(first, two, len(rows), values[PERCENT], values[wish.coefficient])


def _slices(
    project: Project, material: UnitTable, whole: Grid, wish: ComparisonOptions
) -> tuple[list[GroupAgreement], int, int]:
    """Slices by the chosen division, within a part by judge, or of people alone if there is no judge; the number of
    parts, and how many of them are shown."""
    parts = list(_parts(project, material, whole, wish.by))
    most = MOST_SLICES if _cost(material) <= HOPELESS else 0
    slices = [
        replace(group_agreement(material, whole, wish, rows, judges, person, raw=False), slice=part)
        for part, rows, person in parts[:most]
        for judges in _beside_whom(material, wish.by, part)
    ]
    return [comparison for comparison in slices if comparison.units], len(parts), min(len(parts), most)


def _parts(project: Project, material: UnitTable, whole: Grid, by: str) -> Iterator[tuple[str, Rows, Somebody | None]]:
    """(part, its rows, the person that it is about), those with most units first."""
    if by == PERSON:
        yield from ((person.key, whole.rows, person) for person in material.people)
    elif by == STRATEGY:
        yield from ((way, whole.rows, None) for way in sorted({judge.strategy for judge in material.judges}))
    else:
        part_of, by_part = parts_of(project, material, by), defaultdict[str, list[int]](list)
        for row, unit in enumerate(whole.table.units):
            for part in part_of(unit):
                by_part[part].append(row)
        for part in sorted(by_part, key=lambda name: (-len(by_part[name]), name)):
            yield part, np.array(by_part[part], dtype=np.intp), None


def _beside_whom(material: UnitTable, by: str, part: str) -> list[list[Somebody]]:
    if by == STRATEGY:
        return [[judge for judge in material.judges if judge.strategy == part]]
    return [[judge] for judge in material.judges] or [[]]


def parts_of(project: Project, material: UnitTable, by: str) -> Callable[[Unit], Sequence[str]]:
    """unit -> its parts: one, or for a pair of answers both of its authors. One query."""
    if by == AXIS:
        return lambda unit: [material.axis(unit)]
    if by == AUTHOR:
        author_rows = Answer.objects.filter(author__project=project).values_list("pk", "author__name")
        authors = dict(author_rows)
        return lambda unit: list(dict.fromkeys(authors.get(pk, "") for pk in unit.answers))
    groups = dict(Item.objects.filter(project=project).values_list("pk", by))
    return lambda unit: [groups.get(material.item(unit), "")]
