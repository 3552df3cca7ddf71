"""The numbers of the page: people beside judges, each two raters, slices, who said what where the other said what."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from annotate.models import Item, Project
from judging.models import Answer
from judging.services.comparing_raters.grid import Grid, Rows, grid
from judging.services.comparing_raters.material import Material, Somebody, of_all_fields
from judging.services.comparing_raters.subjects import Subject
from judging.services.comparing_raters.wanted import (
    AUTHOR,
    AXIS,
    COSTLY,
    HOPELESS,
    PERSON,
    STRATEGY,
    Wanted,
)
from judging.services.remembering import remembered
from lib.stats import agreement
from lib.stats.agreement import RESAMPLES, Coefficient
from lib.stats.agreement.beside import Beside, beside

PERCENT = "percent"
MOST_PAIRS = 60  # that are listed; those with most units first
MOST_SLICES = 30  # none where there are so many ratings that nothing is drawn again


@dataclass(frozen=True)
class Together:
    """People beside judges over `units` units that at least two of the people and all of the judges have rated.

    raw: share of equal ratings; chosen: the coefficient that was asked for. alone: units that these judges and only one
    person have rated. Without judges it is about people alone, and `other` of both has no value.
    """

    judges: Sequence[Somebody]
    units: int
    raw: Beside
    chosen: Beside
    alone: int = 0
    slice: str = ""


@dataclass(frozen=True)
class Two:
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
class Compared:
    """people: over all units that two of them have rated. listed: how many pairs of raters there are in all.

    slices: of the parts with most units; parts: how many there are in all; slice_draws: how many draws theirs had.
    """

    wanted: Wanted
    people: Together
    judges: Sequence[Together]
    pairs: Sequence[Two]
    listed: int
    slices: Sequence[Together]
    parts: int
    shown_parts: int
    slice_draws: int
    left_out: Mapping[str, int]


def compared(project: Project, material: Material, wish: Wanted) -> Compared:
    """Remembered as long as nothing has changed. wish.draws: -1 for as many as a page should wait for.

    Where there are too many ratings nothing is drawn again, whatever was asked for, and there are no slices.
    """
    if wish.draws < 0:
        wish = replace(wish, draws=draws_for(material))
    elif _cost(material) > HOPELESS:
        wish = replace(wish, draws=0)
    key = f"{material.state}:{wish.coefficient}:{wish.level}:{wish.by}:{wish.draws}"
    return remembered("agreement", key, lambda: _compared(project, material, wish))


@dataclass(frozen=True)
class OfField:
    """Agreement of people in one field."""

    subject: Subject
    people: Together


def by_field(
    project: Project, subjects: Sequence[Subject], wish: Wanted, people: Collection[str] = ()
) -> list[OfField]:
    """Every field beside the others, with the draws that it has on its own. people: keys of those who were chosen."""
    materials = [material.of_people(people) for material in of_all_fields(project, subjects)]
    return [OfField(material.subject, _of_field(material, wish)) for material in materials]


def _of_field(material: Material, wish: Wanted) -> Together:
    draws = draws_for(material)
    field_wish = Wanted(wish.coefficient, material.subject.level, wish.by, draws)

    def made() -> Together:
        whole = grid(material, field_wish.level)
        return together(material, whole, field_wish, whole.rows, [])

    return remembered("field", f"{material.state}:{field_wish.coefficient}:{draws}", made)


def draws_for(material: Material) -> int:
    """How many draws a page makes at first: all or none, so that one number never has two intervals."""
    return 0 if _cost(material) > COSTLY else RESAMPLES


def _cost(material: Material) -> int:
    n = len(material.raters)
    return n * (n - 1) // 2 * len(material.said)


def _compared(project: Project, material: Material, wish: Wanted) -> Compared:
    whole = grid(material, wish.level)
    figures = figures_of(material, whole, wish)
    slices, parts, shown_count = _slices(project, material, whole, wish)
    count_by_reason = {
        "missing": sum(
            rating.value is None for unit_ratings in material.said.values() for rating in unit_ratings.values()
        ),
        "alone": int(np.count_nonzero(whole.there.sum(axis=1) == 1)),
    }
    return Compared(
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
    """What needs nothing but ratings: people, each judge beside them, and each two raters; listed: pairs in all."""

    people: Together
    judges: Sequence[Together]
    pairs: Sequence[Two]
    listed: int


def figures_of(material: Material, whole: Grid, wish: Wanted) -> Figures:
    """wish.draws: as many as are drawn."""
    pairs = _pairs(material, whole)
    return Figures(
        together(material, whole, wish, whole.rows, []),
        [together(material, whole, wish, whole.rows, [judge]) for judge in material.judges],
        [_two(whole, wish, *pair) for pair in pairs[:MOST_PAIRS]],
        len(pairs),
    )


def together(
    material: Material,
    whole: Grid,
    wish: Wanted,
    rows: Rows,
    judges: Sequence[Somebody],
    person: Somebody | None = None,
    *,
    raw: bool = True,
) -> Together:
    """person: only pairs with this one of them. raw: whether the share of equal ratings is wanted too."""
    shared, alone = whole.shared(rows, material.people, judges)
    if person is not None:
        shared = whole.rated_by(shared, person)
    table = whole.part(shared, [*material.people, *judges])
    keys = [rater.key for rater in material.people]
    ones = [two for two in combinations(keys, 2) if person is None or person.key in two]
    mixed_pairs = [(key, judge.key) for key in keys for judge in judges if person is None or key == person.key]

    def side_by_side(name: str) -> Beside:
        return beside(table, name, ones, mixed_pairs, resamples=wish.draws, seed=wish.seed)

    comparison = side_by_side(wish.coefficient)
    equal = side_by_side(PERCENT) if raw and wish.coefficient != PERCENT else comparison
    return Together(judges, len(shared), equal, comparison, alone)


def _pairs(material: Material, whole: Grid) -> list[tuple[Somebody, Somebody, Rows]]:
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


def _two(whole: Grid, wish: Wanted, first: Somebody, two: Somebody, rows: Rows) -> Two:
    names = list(dict.fromkeys([PERCENT, wish.coefficient]))
    values = agreement.coefficients(whole.part(rows, [first, two]), resamples=wish.draws, seed=wish.seed, names=names)
    return Two(first, two, len(rows), values[PERCENT], values[wish.coefficient])


def _slices(project: Project, material: Material, whole: Grid, wish: Wanted) -> tuple[list[Together], int, int]:
    """By what was asked for, and within it by judge, people alone where nobody judges; how many parts there are, and
    how many of them are shown."""
    parts = list(_parts(project, material, whole, wish.by))
    most = MOST_SLICES if _cost(material) <= HOPELESS else 0
    slices = [
        replace(together(material, whole, wish, rows, judges, person, raw=False), slice=part)
        for part, rows, person in parts[:most]
        for judges in _beside_whom(material, wish.by, part)
    ]
    return [comparison for comparison in slices if comparison.units], len(parts), min(len(parts), most)


def _parts(project: Project, material: Material, whole: Grid, by: str) -> Iterator[tuple[str, Rows, Somebody | None]]:
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


def _beside_whom(material: Material, by: str, part: str) -> list[list[Somebody]]:
    if by == STRATEGY:
        return [[judge for judge in material.judges if judge.strategy == part]]
    return [[judge] for judge in material.judges] or [[]]


def parts_of(project: Project, material: Material, by: str) -> Callable[[str], Sequence[str]]:
    """unit -> the parts that it belongs to: one, of a pair of answers both of its authors. One query."""
    if by == AXIS:
        return lambda unit: [material.axis(unit)]
    if by == AUTHOR:
        author_rows = Answer.objects.filter(author__project=project).values_list("pk", "author__name")
        authors = {str(pk): name for pk, name in author_rows}
        return lambda unit: list(dict.fromkeys(authors.get(pk, "") for pk in answers_of(unit)))
    groups = dict(Item.objects.filter(project=project).values_list("pk", by))
    return lambda unit: [groups.get(material.item(unit), "")]


def answers_of(unit: str) -> list[str]:
    """The numbers of the answers that a unit such as `answer/12/3` or `pair/12/13` is about; none of `item/4`."""
    sort, *rest = unit.split("/")
    return rest[:1] if sort == "answer" else rest[:2] if sort == "pair" else []
