"""The units behind a number, and on them what each side said and why."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from annotate.models import Annotation, Item, Project
from judging.models import Answer, Part, Verdict
from judging.services.comparing_raters.comparing import answers_of, parts_of
from judging.services.comparing_raters.material import Material, Somebody
from judging.services.comparing_raters.wanted import PERSON, STRATEGY
from judging.services.ratings import Rating
from lib.stats.labels import majority

PAGE = 20
PEOPLE, JUDGES, PAIR, MAJORITY, ALONE, MISSING = "people", "judges", "pair", "majority", "alone", "missing"
SORTS = (PEOPLE, JUDGES, PAIR, MAJORITY, ALONE, MISSING)
AGREE, DISAGREE = "agree", "disagree"


@dataclass(frozen=True)
class Number:
    """A number of the page. of: one of SORTS: people among themselves, people with judges, two raters, a judge with
    what most people said, and what is left out.

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
class Side:
    """What one rater said of a unit, and the reasons given; "" where none were."""

    who: Somebody
    rating: Rating
    text: str


@dataclass(frozen=True)
class Opened:
    """One unit. sides: people first. agrees: None where that is not asked. answers: what it is about."""

    unit: str
    item: Item
    axis: str
    sides: Sequence[Side]
    answers: Sequence[Answer]
    agrees: bool

    @property
    def texts(self) -> tuple[str, str] | None:
        """Two texts to show the difference of: of the first person and the last other rater who wrote any."""
        written = [side.text for side in self.sides if side.text]
        return (written[0], written[-1]) if len(written) > 1 else None


@dataclass(frozen=True)
class Page:
    """total: units in all. before, after: where the pages before and after start, None where there are none."""

    opened: Sequence[Opened]
    total: int
    before: int | None
    after: int | None


def behind(project: Project, found: Material, number: Number) -> list[str]:
    """The units that the number was made of, by item."""
    units = list(found.said)
    judges = [one for one in number.raters if one.is_judge]
    keys = [one.key for one in number.raters]
    if number.by and number.by not in (PERSON, STRATEGY):
        parts = parts_of(project, found, number.by)
        units = [unit for unit in units if number.part in parts(unit)]
    if number.of in (PEOPLE, JUDGES):
        units = shared_units(found, units, judges)
        if number.by == PERSON:
            units = [unit for unit in units if found.valued(unit, [number.part])]
    elif number.of == PAIR:
        units = [unit for unit in units if len(found.valued(unit, keys)) == len(keys)]
    elif number.of == MAJORITY:
        units = [unit for unit in units if found.valued(unit, keys) and most_said(found, unit) is not None]
    elif number.of == ALONE:
        units = [unit for unit in units if len(found.valued(unit, found.said[unit])) == 1]
    else:
        units = [unit for unit in units if any(one.value is None for one in found.said[unit].values())]
    agrees = agreeing(found, number)
    units = [unit for unit in units if _fits(found, number, unit, agrees)]
    return sorted(units, key=lambda unit: (found.item(unit), unit))


def shared_units(found: Material, units: Sequence[str], judges: Sequence[Somebody]) -> list[str]:
    """The units that two people and all of these judges have rated."""
    people, machines = [one.key for one in found.people], [one.key for one in judges]
    return [
        unit
        for unit in units
        if len(found.valued(unit, people)) > 1 and len(found.valued(unit, machines)) == len(machines)
    ]


def agreeing(found: Material, number: Number) -> Callable[[str], bool]:
    """unit -> whether all that the number compares said the same of it."""
    pairs = _pairs(found, number)

    def agrees(unit: str) -> bool:
        said = found.said[unit]
        if number.of == MAJORITY:
            return all(str(said[one.key].value) == most_said(found, unit) for one in number.raters)
        there = set(found.valued(unit, said))
        return all(said[one].value == said[two].value for one, two in pairs if {one, two} <= there)

    return agrees


def _pairs(found: Material, number: Number) -> list[tuple[str, str]]:
    people, keys = [one.key for one in found.people], [one.key for one in number.raters]
    if number.of == PAIR:
        return list(combinations(keys, 2))
    if number.of == JUDGES:
        pairs = [(person, key) for person in people for key in keys]
    else:
        pairs = list(combinations(people, 2))
    return [pair for pair in pairs if number.by != PERSON or number.part in pair]


def most_said(found: Material, unit: str) -> str | None:
    """What more people said than anything else; None where they are split."""
    said = found.said[unit]
    return majority(str(said[key].value) for key in found.valued(unit, [one.key for one in found.people]))


def _fits(found: Material, number: Number, unit: str, agrees: Callable[[str], bool]) -> bool:
    if number.which and agrees(unit) != (number.which == AGREE):
        return False
    if number.left is None or number.right is None:
        return True
    return (number.left, number.right) in {(left, right) for left, right in cells(found, number, unit)}


def cells(found: Material, number: Number, unit: str) -> list[tuple[str, str]]:
    """(what the one said, what the other said) of each of the number's pairs; people among themselves both ways."""
    said = found.said[unit]
    there = set(found.valued(unit, said))
    pairs = [pair for pair in _pairs(found, number) if set(pair) <= there]
    told = [(str(said[one].value), str(said[two].value)) for one, two in pairs]
    return told if number.of != PEOPLE else [*told, *((right, left) for left, right in told)]


def matrix(project: Project, found: Material, number: Number) -> tuple[list[str], Mapping[tuple[str, str], int]]:
    """The values that occur, and how often each pair of them: rows are people, or the first of two."""
    counts = Counter(cell for unit in behind(project, found, number) for cell in cells(found, number, unit))
    values = {value for cell in counts for value in cell}
    return sorted(values, key=_in_order), counts


def _in_order(value: str) -> tuple[float, str]:
    try:
        return float(value), value
    except ValueError:
        return 0.0, value


def page(found: Material, number: Number, units: Sequence[str], *, start: int = 0, size: int = PAGE) -> Page:
    """Units from the place `start` on, in five queries."""
    shown = units[start : start + size]
    said = {unit: _said(found, number, unit) for unit in shown}
    sources = [(one, rating) for raters in said.values() for one, rating in raters]
    texts = Annotation.objects.select_related("item__project").in_bulk(
        [rating.source for one, rating in sources if not one.is_judge]
    )
    verdicts = Verdict.objects.in_bulk([rating.source for one, rating in sources if one.is_judge])
    parts = {(part.verdict_id, part.axis): part.reason for part in Part.objects.filter(verdict__in=verdicts)}
    items = Item.objects.in_bulk([found.item(unit) for unit in shown])
    answers = Answer.objects.select_related("author").in_bulk([int(pk) for unit in shown for pk in answers_of(unit)])
    agrees = agreeing(found, number)

    def side(one: Somebody, rating: Rating) -> Side:
        if not one.is_judge:
            text = texts.get(rating.source)
            return Side(one, rating, reasons(text, rating.axis) if text else "")
        verdict = verdicts.get(rating.source)
        reason = parts.get((rating.source, rating.axis), "") or (verdict.reason if verdict else "")
        return Side(one, rating, reason)

    opened = [
        Opened(
            unit,
            items[found.item(unit)],
            found.axis(unit),
            [side(*each) for each in said[unit]],
            [answers[int(pk)] for pk in answers_of(unit) if int(pk) in answers],
            agrees(unit),
        )
        for unit in shown
        if found.item(unit) in items
    ]
    return Page(
        opened,
        len(units),
        before=max(start - size, 0) if start else None,
        after=start + size if start + size < len(units) else None,
    )


def _said(found: Material, number: Number, unit: str) -> list[tuple[Somebody, Rating]]:
    """By whom the number is made: the two of a pair, otherwise all people and its judges."""
    judges = {one.key for one in number.raters}
    shown = number.raters if number.of == PAIR else [*found.people, *(j for j in found.judges if j.key in judges)]
    shown = found.raters if number.of in (ALONE, MISSING) else shown
    return [(one, found.said[unit][one.key]) for one in shown if one.key in found.said[unit]]


def reasons(text: Annotation, axis: str) -> str:
    """What somebody wrote freely beside their choice; of a checklist only what belongs to this question."""
    kind = text.item.project.kind
    draft = kind.upgrade(text.draft, text.schema)
    facts = kind.read_facts(kind.upgrade(text.item.facts, text.item.schema))
    written = [_of_axis(draft.get(one.name), axis) for one in kind.fields(facts) if one.free and one.how == "text"]
    return "\n\n".join(said for said in written if said)


def _of_axis(value: Any, axis: str) -> str:
    if isinstance(value, list):
        place = int(axis) - 1 if axis.isdecimal() else -1
        value = value[place] if 0 <= place < len(value) else ""
    return value.strip() if isinstance(value, str) else ""
