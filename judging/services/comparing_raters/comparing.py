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


def compared(project: Project, found: Material, wish: Wanted) -> Compared:
    """Remembered as long as nothing has changed. wish.draws: -1 for as many as a page should wait for.

    Where there are too many ratings nothing is drawn again, whatever was asked for, and there are no slices.
    """
    if wish.draws < 0:
        wish = replace(wish, draws=draws_for(found))
    elif _cost(found) > HOPELESS:
        wish = replace(wish, draws=0)
    key = f"{found.state}:{wish.coefficient}:{wish.level}:{wish.by}:{wish.draws}"
    return remembered("agreement", key, lambda: _compared(project, found, wish))


@dataclass(frozen=True)
class OfField:
    """Agreement of people in one field."""

    subject: Subject
    people: Together


def by_field(
    project: Project, subjects: Sequence[Subject], wish: Wanted, people: Collection[str] = ()
) -> list[OfField]:
    """Every field beside the others, with the draws that it has on its own. people: keys of those who were chosen."""
    found = [one.of_people(people) for one in of_all_fields(project, subjects)]
    return [OfField(one.subject, _of_field(one, wish)) for one in found]


def _of_field(found: Material, wish: Wanted) -> Together:
    draws = draws_for(found)
    own = Wanted(wish.coefficient, found.subject.level, wish.by, draws)

    def made() -> Together:
        whole = grid(found, own.level)
        return together(found, whole, own, whole.rows, [])

    return remembered("field", f"{found.state}:{own.coefficient}:{draws}", made)


def draws_for(found: Material) -> int:
    """How many draws a page makes at first: all or none, so that one number never has two intervals."""
    return 0 if _cost(found) > COSTLY else RESAMPLES


def _cost(found: Material) -> int:
    n = len(found.raters)
    return n * (n - 1) // 2 * len(found.said)


def _compared(project: Project, found: Material, wish: Wanted) -> Compared:
    whole = grid(found, wish.level)
    figures = figures_of(found, whole, wish)
    slices, parts, shown = _slices(project, found, whole, wish)
    left_out = {
        "missing": sum(one.value is None for said in found.said.values() for one in said.values()),
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
        shown,
        wish.draws,
        {why: count for why, count in left_out.items() if count},
    )


@dataclass(frozen=True)
class Figures:
    """What needs nothing but ratings: people, each judge beside them, and each two raters; listed: pairs in all."""

    people: Together
    judges: Sequence[Together]
    pairs: Sequence[Two]
    listed: int


def figures_of(found: Material, whole: Grid, wish: Wanted) -> Figures:
    """wish.draws: as many as are drawn."""
    pairs = _pairs(found, whole)
    return Figures(
        together(found, whole, wish, whole.rows, []),
        [together(found, whole, wish, whole.rows, [judge]) for judge in found.judges],
        [_two(whole, wish, *pair) for pair in pairs[:MOST_PAIRS]],
        len(pairs),
    )


def together(
    found: Material,
    whole: Grid,
    wish: Wanted,
    rows: Rows,
    judges: Sequence[Somebody],
    person: Somebody | None = None,
    *,
    raw: bool = True,
) -> Together:
    """person: only pairs with this one of them. raw: whether the share of equal ratings is wanted too."""
    shared, alone = whole.shared(rows, found.people, judges)
    if person is not None:
        shared = whole.rated_by(shared, person)
    table = whole.part(shared, [*found.people, *judges])
    keys = [one.key for one in found.people]
    ones = [two for two in combinations(keys, 2) if person is None or person.key in two]
    others = [(key, judge.key) for key in keys for judge in judges if person is None or key == person.key]

    def side_by_side(name: str) -> Beside:
        return beside(table, name, ones, others, resamples=wish.draws, seed=wish.seed)

    chosen = side_by_side(wish.coefficient)
    equal = side_by_side(PERCENT) if raw and wish.coefficient != PERCENT else chosen
    return Together(judges, len(shared), equal, chosen, alone)


def _pairs(found: Material, whole: Grid) -> list[tuple[Somebody, Somebody, Rows]]:
    """Each two raters with a unit in common: people first, those with most units first."""
    raters = [one for one in found.raters if whole.columns([one])]
    columns = whole.columns(raters)
    there = whole.there[:, columns].astype(np.int32)
    units = there.T @ there
    places = [(left, right) for left, right in combinations(range(len(raters)), 2) if units[left, right]]

    def place(two: tuple[int, int]) -> tuple[int, int, int, int]:
        return sum(raters[one].is_judge for one in two), -int(units[two]), *two

    return [
        (raters[left], raters[right], np.flatnonzero(there[:, left] & there[:, right]))
        for left, right in sorted(places, key=place)
    ]


def _two(whole: Grid, wish: Wanted, one: Somebody, two: Somebody, rows: Rows) -> Two:
    names = list(dict.fromkeys([PERCENT, wish.coefficient]))
    values = agreement.coefficients(whole.part(rows, [one, two]), resamples=wish.draws, seed=wish.seed, names=names)
    return Two(one, two, len(rows), values[PERCENT], values[wish.coefficient])


def _slices(project: Project, found: Material, whole: Grid, wish: Wanted) -> tuple[list[Together], int, int]:
    """By what was asked for, and within it by judge, people alone where nobody judges; how many parts there are, and
    how many of them are shown."""
    parts = list(_parts(project, found, whole, wish.by))
    most = MOST_SLICES if _cost(found) <= HOPELESS else 0
    made = [
        replace(together(found, whole, wish, rows, judges, person, raw=False), slice=part)
        for part, rows, person in parts[:most]
        for judges in _beside_whom(found, wish.by, part)
    ]
    return [one for one in made if one.units], len(parts), min(len(parts), most)


def _parts(project: Project, found: Material, whole: Grid, by: str) -> Iterator[tuple[str, Rows, Somebody | None]]:
    """(part, its rows, the person that it is about), those with most units first."""
    if by == PERSON:
        yield from ((person.key, whole.rows, person) for person in found.people)
    elif by == STRATEGY:
        yield from ((way, whole.rows, None) for way in sorted({judge.strategy for judge in found.judges}))
    else:
        part_of, by_part = parts_of(project, found, by), defaultdict[str, list[int]](list)
        for row, unit in enumerate(whole.table.units):
            for part in part_of(unit):
                by_part[part].append(row)
        for part in sorted(by_part, key=lambda name: (-len(by_part[name]), name)):
            yield part, np.array(by_part[part], dtype=np.intp), None


def _beside_whom(found: Material, by: str, part: str) -> list[list[Somebody]]:
    if by == STRATEGY:
        return [[judge for judge in found.judges if judge.strategy == part]]
    return [[judge] for judge in found.judges] or [[]]


def parts_of(project: Project, found: Material, by: str) -> Callable[[str], Sequence[str]]:
    """unit -> the parts that it belongs to: one, of a pair of answers both of its authors. One query."""
    if by == AXIS:
        return lambda unit: [found.axis(unit)]
    if by == AUTHOR:
        named = Answer.objects.filter(author__project=project).values_list("pk", "author__name")
        authors = {str(pk): name for pk, name in named}
        return lambda unit: list(dict.fromkeys(authors.get(pk, "") for pk in answers_of(unit)))
    groups = dict(Item.objects.filter(project=project).values_list("pk", by))
    return lambda unit: [groups.get(found.item(unit), "")]


def answers_of(unit: str) -> list[str]:
    """The numbers of the answers that a unit such as `answer/12/3` or `pair/12/13` is about; none of `item/4`."""
    sort, *rest = unit.split("/")
    return rest[:1] if sort == "answer" else rest[:2] if sort == "pair" else []
