"""The numbers of the page: people beside judges, each two raters, slices, who said what where the other said what."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from annotate.models import Item, Project
from judging.metrics import agreement
from judging.metrics.agreement import RESAMPLES, SEED, Coefficient, Ratings
from judging.metrics.agreement.beside import Beside, Mean, beside
from judging.models import Answer
from judging.services.comparing_raters.material import Material, Somebody
from judging.services.comparing_raters.wanted import (
    AUTHOR,
    AXIS,
    COSTLY,
    FIRST_LOOK,
    HOPELESS,
    PERSON,
    STRATEGY,
    Wanted,
)
from judging.services.remembering import remembered

PERCENT = "percent"
MOST_PAIRS = 60  # that are listed; those with most units first
MOST_SLICES = 30


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
    slice_draws: int
    left_out: Mapping[str, int]

    @property
    def shown_parts(self) -> int:
        return min(self.parts, MOST_SLICES)


def compared(project: Project, found: Material, wish: Wanted) -> Compared:
    """Remembered as long as nothing has changed. wish.draws: -1 for as many as a page should wait for."""
    is_first = wish.draws < 0
    wish = replace(wish, draws=draws_for(found)) if is_first else wish
    key = f"{found.state}:{wish.coefficient}:{wish.level}:{wish.by}:{wish.draws}:{is_first:d}"
    return remembered("agreement", key, lambda: _compared(project, found, wish, is_first=is_first))


def draws_for(found: Material) -> int:
    """How many draws a page can wait for."""
    n = len(found.raters)
    cost = n * (n - 1) // 2 * len(found.said)
    return 0 if cost > HOPELESS else FIRST_LOOK if cost > COSTLY else RESAMPLES


def _compared(project: Project, found: Material, wish: Wanted, *, is_first: bool) -> Compared:
    units = list(found.said)
    people = together(found, wish, units, [])
    judges = [together(found, wish, units, [judge]) for judge in found.judges]
    pairs = _pairs(found, units)
    less = replace(wish, draws=min(wish.draws, FIRST_LOOK)) if is_first else wish
    slices, parts = _slices(project, found, less)
    values = [one for said in found.said.values() for one in said.values()]
    left_out = {"missing": sum(one.value is None for one in values)}
    left_out["alone"] = sum(len(found.valued(unit, found.said[unit])) == 1 for unit in units)
    return Compared(
        wish,
        people,
        judges,
        [_two(found, wish, *pair, shared) for pair, shared in pairs[:MOST_PAIRS]],
        len(pairs),
        slices,
        parts,
        less.draws,
        {why: count for why, count in left_out.items() if count},
    )


def shared_units(
    found: Material, units: Iterable[str], judges: Sequence[Somebody], people: Sequence[Somebody] | None = None
) -> tuple[list[str], int]:
    """The units that two people and all judges have rated, and how many there are with one person only."""
    keys, machines = [one.key for one in (found.people if people is None else people)], [one.key for one in judges]
    counts = {
        unit: len(found.valued(unit, keys)) for unit in units if len(found.valued(unit, machines)) == len(machines)
    }
    return [unit for unit, count in counts.items() if count > 1], sum(count == 1 for count in counts.values())


def together(
    found: Material,
    wish: Wanted,
    units: Sequence[str],
    judges: Sequence[Somebody],
    person: Somebody | None = None,
    *,
    raw: bool = True,
) -> Together:
    """person: only pairs with this one of them. raw: whether the share of equal ratings is wanted too."""
    shared, alone = shared_units(found, units, judges)
    if person is not None:
        shared = [unit for unit in shared if found.valued(unit, [person.key])]
    table = _table(found, shared, [*found.people, *judges], wish)
    keys = [one.key for one in found.people]
    ones = [two for two in combinations(keys, 2) if person is None or person.key in two]
    others = [(key, judge.key) for key in keys for judge in judges if person is None or key == person.key]

    def side_by_side(name: str) -> Beside:
        return beside(table, name, ones, others, resamples=wish.draws, seed=SEED)

    chosen = side_by_side(wish.coefficient)
    equal = side_by_side(PERCENT) if raw and wish.coefficient != PERCENT else chosen
    return Together(judges, len(shared), equal, chosen, alone)


def _table(found: Material, units: Sequence[str], raters: Sequence[Somebody], wish: Wanted) -> Ratings:
    keys = [one.key for one in raters]
    rows = [(unit, key, found.said[unit][key].value) for unit in units for key in keys if key in found.said[unit]]
    return agreement.ratings(rows, wish.level)


def _pairs(found: Material, units: Sequence[str]) -> list[tuple[tuple[Somebody, Somebody], list[str]]]:
    """Each two raters with a unit in common, people first, those with most units first."""
    by_key = {one.key: one for one in found.raters}
    order = {key: place for place, key in enumerate(by_key)}
    shared: dict[tuple[str, str], list[str]] = defaultdict(list)
    for unit in units:
        for pair in combinations(sorted(found.valued(unit, found.said[unit]), key=order.__getitem__), 2):
            shared[pair].append(unit)

    def place(pair: tuple[str, str]) -> tuple[int, int, int, int]:
        return sum(key[0] == "j" for key in pair), -len(shared[pair]), order[pair[0]], order[pair[1]]

    return [((by_key[one], by_key[two]), shared[one, two]) for one, two in sorted(shared, key=place)]


def _two(found: Material, wish: Wanted, one: Somebody, two: Somebody, units: Sequence[str]) -> Two:
    table = _table(found, units, [one, two], wish)
    values = agreement.coefficients(
        table, resamples=wish.draws, seed=SEED, names=list(dict.fromkeys([PERCENT, wish.coefficient]))
    )
    return Two(one, two, len(units), values[PERCENT], values[wish.coefficient])


def _slices(project: Project, found: Material, wish: Wanted) -> tuple[list[Together], int]:
    """By what was asked for, and within it by judge, people alone where nobody judges; and how many parts there are.

    In a first look each has fewer draws than the whole.
    """
    parts = list(_parts(project, found, wish.by))
    lines = [
        (part, units, judges, person)
        for part, units, person in parts[:MOST_SLICES]
        for judges in _beside_whom(found, wish.by, part)
    ]
    made = [
        replace(together(found, wish, units, judges, person, raw=False), slice=part)
        for part, units, judges, person in lines
    ]
    return [one for one in made if one.units], len(parts)


def _parts(project: Project, found: Material, by: str) -> Iterator[tuple[str, Sequence[str], Somebody | None]]:
    """(part, its units, the person that it is about), those with most units first."""
    units = list(found.said)
    if by == PERSON:
        yield from ((person.key, units, person) for person in found.people)
    elif by == STRATEGY:
        yield from ((way, units, None) for way in sorted({judge.strategy for judge in found.judges}))
    else:
        part_of, by_part = parts_of(project, found, by), defaultdict[str, list[str]](list)
        for unit in units:
            for part in part_of(unit):
                by_part[part].append(unit)
        for part in sorted(by_part, key=lambda name: (-len(by_part[name]), name)):
            yield part, by_part[part], None


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


__all__ = ["Compared", "Mean", "Together", "Two", "compared", "parts_of", "shared_units", "together"]
