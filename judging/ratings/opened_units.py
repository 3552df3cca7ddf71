"""The units behind a number, with each side's ratings and reasons."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from annotate.models import Annotation, Item, Project
from annotate.web.pager import index_page
from judging.cache import cached, digest
from judging.models import Answer, Part, Verdict
from judging.ratings.comparisons import parts_of
from judging.ratings.rating_subjects import PERSON, STRATEGY
from judging.ratings.tables import Somebody, UnitTable
from judging.ratings.units import Rating, Unit
from lib.stats.labels import majority

PAGE = 20
PEOPLE, JUDGES, PAIR, MAJORITY, ALONE, MISSING = "people", "judges", "pair", "majority", "alone", "missing"
SORTS = (PEOPLE, JUDGES, PAIR, MAJORITY, ALONE, MISSING)
AGREE, DISAGREE = "agree", "disagree"


@dataclass(frozen=True)
class Number:
    """A number of the page. of: one of SORTS: people among themselves, people with judges, two raters, a judge with
    the majority of people, and what is left out.

    raters: the judges, or the two. by, part: a slice. which: AGREE, DISAGREE or "". left, right: a cell of the matrix,
    None for all of it.
    """

    of: str = PEOPLE
    raters: Sequence[Somebody] = ()
    by: str = ""
    part: str = ""
    which: str = ""
    left: str | None = None
    right: str | None = None


@dataclass(frozen=True)
class RaterSide:
    """One rater's rating of a unit and the reasons, "" if there are none."""

    who: Somebody
    rating: Rating
    text: str


@dataclass(frozen=True)
class OpenedUnit:
    """One unit. sides: people first. agrees: None if not applicable. answers: the answers that it is about."""

    unit: Unit
    item: Item
    axis: str
    sides: Sequence[RaterSide]
    answers: Sequence[Answer]
    agrees: bool

    @property
    def texts(self) -> tuple[str, str] | None:
        """Two texts for a diff: those of the first person and of the last other rater who wrote one."""
        written = [side.text for side in self.sides if side.text]
        return (written[0], written[-1]) if len(written) > 1 else None


@dataclass(frozen=True)
class UnitPage:
    """total: all units. before, after: where the neighbouring pages start, None if there are none."""

    opened: Sequence[OpenedUnit]
    total: int
    before: int | None
    after: int | None


def units_behind(project: Project, material: UnitTable, number: Number) -> list[Unit]:
    """The units that the number was made of, by item."""
    units = list(material.said)
    judges = [rater for rater in number.raters if rater.is_judge]
    keys = [rater.key for rater in number.raters]
    if number.by and number.by not in (PERSON, STRATEGY):
        parts = parts_of(project, material, number.by)
        units = [unit for unit in units if number.part in parts(unit)]
    if number.of in (PEOPLE, JUDGES):
        units = shared_units(material, units, judges)
        if number.by == PERSON:
            units = [unit for unit in units if material.valued(unit, [number.part])]
    elif number.of == PAIR:
        units = [unit for unit in units if len(material.valued(unit, keys)) == len(keys)]
    elif number.of == MAJORITY:
        units = [
            unit for unit in units if material.valued(unit, keys) and most_common_rating(material, unit) is not None
        ]
    elif number.of == ALONE:
        # Own questions are compared among people; a judge beside one of them does not make two.
        people = [person.key for person in material.people]
        units = [
            unit
            for unit in units
            if len(material.valued(unit, people if material.subject.question else material.said[unit])) == 1
        ]
    else:
        units = [unit for unit in units if any(rating.value is None for rating in material.said[unit].values())]
    agrees = agreeing(material, number)
    units = [unit for unit in units if _fits(material, number, unit, agrees)]
    return sorted(units, key=lambda unit: (material.item(unit), str(unit)))


def shared_units(material: UnitTable, units: Sequence[Unit], judges: Sequence[Somebody]) -> list[Unit]:
    """The units that two people and all of these judges have rated."""
    people, machines = [person.key for person in material.people], [judge.key for judge in judges]
    return [
        unit
        for unit in units
        if len(material.valued(unit, people)) > 1 and len(material.valued(unit, machines)) == len(machines)
    ]


def agreeing(material: UnitTable, number: Number) -> Callable[[Unit], bool]:
    """unit -> whether all raters that the number compares agree on it."""
    pairs = _pairs(material, number)

    def agrees(unit: Unit) -> bool:
        unit_ratings = material.said[unit]
        if number.of == MAJORITY:
            return all(
                str(unit_ratings[rater.key].value) == most_common_rating(material, unit) for rater in number.raters
            )
        rated_keys = set(material.valued(unit, unit_ratings))
        return all(
            unit_ratings[first].value == unit_ratings[two].value for first, two in pairs if {first, two} <= rated_keys
        )

    return agrees


def _pairs(material: UnitTable, number: Number) -> list[tuple[str, str]]:
    people, keys = [person.key for person in material.people], [rater.key for rater in number.raters]
    if number.of == PAIR:
        return list(combinations(keys, 2))
    if number.of == JUDGES:
        pairs = [(person, key) for person in people for key in keys]
    else:
        pairs = list(combinations(people, 2))
    return [pair for pair in pairs if number.by != PERSON or number.part in pair]


def most_common_rating(material: UnitTable, unit: Unit) -> str | None:
    """The most frequent rating of people; None if they are split."""
    unit_ratings = material.said[unit]
    return majority(
        str(unit_ratings[key].value) for key in material.valued(unit, [person.key for person in material.people])
    )


def _fits(material: UnitTable, number: Number, unit: Unit, agrees: Callable[[Unit], bool]) -> bool:
    if number.which and agrees(unit) != (number.which == AGREE):
        return False
    if number.left is None or number.right is None:
        return True
    return (number.left, number.right) in {(left, right) for left, right in cells(material, number, unit)}


def cells(material: UnitTable, number: Number, unit: Unit) -> list[tuple[str, str]]:
    """(rating, other rating) for each of the number's pairs of raters; people among themselves in both directions."""
    unit_ratings = material.said[unit]
    rated_keys = set(material.valued(unit, unit_ratings))
    pairs = [pair for pair in _pairs(material, number) if set(pair) <= rated_keys]
    value_pairs = [(str(unit_ratings[first].value), str(unit_ratings[two].value)) for first, two in pairs]
    return value_pairs if number.of != PEOPLE else [*value_pairs, *((right, left) for left, right in value_pairs)]


def matrix(project: Project, material: UnitTable, number: Number) -> tuple[list[str], Mapping[tuple[str, str], int]]:
    """The values that occur, and the count of each pair of values; rows are people, or the first of two raters.

    The counts are cached until something changes."""

    def made() -> Counter[tuple[str, str]]:
        units = units_behind(project, material, number)
        return Counter(cell for unit in units for cell in cells(material, number, unit))

    counts = cached("matrix", f"{material.state}:{digest([number])}", made) if material.state else made()
    values = {value for cell in counts for value in cell}
    return sorted(values, key=_in_order), counts


def _in_order(value: str) -> tuple[float, str]:
    try:
        return float(value), value
    except ValueError:
        return 0.0, value


def unit_page(
    material: UnitTable, number: Number, units: Sequence[Unit], *, start: int = 0, size: int = PAGE
) -> UnitPage:
    """Units from index `start` on, in five queries."""
    page = index_page(units, size, start)
    sides_by_unit = {unit: _ratings_shown(material, number, unit) for unit in page.rows}
    sources = [(rater, rating) for raters in sides_by_unit.values() for rater, rating in raters]
    texts = Annotation.objects.select_related("item__project").in_bulk(
        [rating.source for rater, rating in sources if not rater.is_judge]
    )
    verdicts = Verdict.objects.in_bulk([rating.source for rater, rating in sources if rater.is_judge])
    parts = {(part.verdict_id, part.axis): part.reason for part in Part.objects.filter(verdict__in=verdicts)}
    items = Item.objects.in_bulk([material.item(unit) for unit in page.rows])
    answers = Answer.objects.select_related("author").in_bulk([pk for unit in page.rows for pk in unit.answers])
    agrees = agreeing(material, number)

    def side(rater: Somebody, rating: Rating) -> RaterSide:
        if not rater.is_judge:
            text = texts.get(rating.source)
            return RaterSide(rater, rating, reasons(text, rating.axis) if text else "")
        verdict = verdicts.get(rating.source)
        reason = parts.get((rating.source, rating.axis), "") or (verdict.reason if verdict else "")
        return RaterSide(rater, rating, reason)

    opened = [
        OpenedUnit(
            unit,
            items[material.item(unit)],
            material.axis(unit),
            [side(*pair) for pair in sides_by_unit[unit]],
            [answers[pk] for pk in unit.answers if pk in answers],
            agrees(unit),
        )
        for unit in page.rows
        if material.item(unit) in items
    ]
    return UnitPage(opened, page.total, before=page.previous, after=page.next)


def _ratings_shown(material: UnitTable, number: Number, unit: Unit) -> list[tuple[Somebody, Rating]]:
    """The ratings in the number: of the two raters of a pair, otherwise of all people and its judges."""
    judges = {rater.key for rater in number.raters}
    raters = (
        number.raters if number.of == PAIR else [*material.people, *(j for j in material.judges if j.key in judges)]
    )
    raters = material.raters if number.of in (ALONE, MISSING) else raters
    return [(rater, material.said[unit][rater.key]) for rater in raters if rater.key in material.said[unit]]


def reasons(text: Annotation, axis: str) -> str:
    """The free text that somebody wrote with their choice; for a checklist only that of this question."""
    kind = text.item.project.kind
    draft = kind.upgrade(text.draft, text.schema)
    facts = kind.read_facts(kind.upgrade(text.item.facts, text.item.schema))
    written = [
        _of_axis(draft.get(field.name), axis) for field in kind.fields(facts) if field.free and field.how == "text"
    ]
    return "\n\n".join(reason for reason in written if reason)


def _of_axis(value: Any, axis: str) -> str:
    if isinstance(value, list):
        index = int(axis) - 1 if axis.isdecimal() else -1
        value = value[index] if 0 <= index < len(value) else ""
    return value.strip() if isinstance(value, str) else ""
