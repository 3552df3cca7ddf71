"""Numbers of blind spots: what judges missed, by judge, way of asking, ability and category; judges compared; pairs."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from django.utils.translation import gettext as _

from annotate.models import Item, Project
from judging.cache import cached, states_of
from judging.models import Author, Judge, Verdict
from judging.verdicts.sightings import Known, Sighting, known_of, sightings
from lib.stats.blindspots import SHAPES, UNPARSED, OutcomeTally, tally, together
from lib.stats.paired import PairedComparison, compared_in_clusters, holm

Spot = tuple[str, str]  # ability, category


@dataclass(frozen=True)
class Column:
    """One judge asked in one way. cells: (ability, category) -> its outcomes; spots without verdicts are missing.

    control: outcomes of perturbations that are meant to change nothing, if there are any; control_found: of others of
    which people say that they change nothing. Both are in their cells too.
    found_from: what the readers of its explanations were shown, "" for what a file says; empty if nobody looked.
    overall: outcomes of all others, for which a low share is good; None if there are none.
    """

    judge: Judge
    shape: str
    cells: Mapping[Spot, OutcomeTally]
    overall: OutcomeTally | None = None
    control: OutcomeTally | None = None
    control_found: OutcomeTally | None = None
    found_from: Sequence[str] = ()

    @property
    def key(self) -> str:
        """Its name in addresses."""
        return f"{self.judge.pk}-{self.shape}"

    @property
    def name(self) -> str:
        return self.judge.name

    @property
    def strategy(self) -> str:
        """The strategy with the options that make it a different one."""
        return self.judge.asked

    @property
    def readers(self) -> list[str]:
        """What the readers of its explanations were shown, in words."""
        from_files = _("As stated in the file")
        return [str(Verdict.FoundFrom(source).label) if source else from_files for source in self.found_from]

    @property
    def by_ability(self) -> dict[str, OutcomeTally]:
        cells_by_ability: dict[str, list[OutcomeTally]] = defaultdict(list)
        for (ability, _category), cell in self.cells.items():
            cells_by_ability[ability].append(cell)
        return {ability: together(cells) for ability, cells in cells_by_ability.items()}


@dataclass(frozen=True)
class BlindSpots:
    """columns: by judge, strategy and way of asking."""

    columns: Sequence[Column]

    @property
    def spots(self) -> list[Spot]:
        """The spots of all columns, by ability and category."""
        return sorted({spot for column in self.columns for spot in column.cells})


def judges_of(project: Project) -> list[Judge]:
    return list(Judge.objects.filter(project=project).order_by("name", "strategy", "variant", "version"))


def blind_spots(project: Project, judges: Sequence[Judge]) -> BlindSpots:
    """Cached for each state of the project; judges without verdicts about perturbations have no column.

    Eight queries, and two more for each judge that is not cached.
    """
    states, fields = states_of(project, judges), _Once(project)
    counted = [cached("blindspots", states[judge.pk], partial(_counted_columns, judge, fields)) for judge in judges]
    return BlindSpots([column for columns in counted for column in columns])


def _counted_columns(judge: Judge, fields: "_Once") -> list[Column]:
    return columns_of(judge, sightings(judge, fields.known))


def sightings_of(project: Project, judge: Judge) -> list[Sighting]:
    """The sightings from which the numbers of a judge are counted."""
    state = states_of(project, [judge])[judge.pk]
    return cached("sightings", state, lambda: sightings(judge, known_of(project)))


class _Once:
    """The items and answers that all judges are read against, loaded when the first judge needs them."""

    def __init__(self, project: Project) -> None:
        self._project = project

    @cached_property
    def known(self) -> Known:
        return known_of(self._project)


def columns_of(judge: Judge, sightings: Sequence[Sighting]) -> list[Column]:
    by_shape: dict[str, list[Sighting]] = defaultdict(list)
    for sighting in sightings:
        by_shape[sighting.shape.name].append(sighting)
    return [_column(judge, shape, by_shape[shape]) for shape in SHAPES if shape in by_shape]


def _column(judge: Judge, shape: str, sightings: Sequence[Sighting]) -> Column:
    by_spot: dict[Spot, list[Sighting]] = defaultdict(list)
    for sighting in sightings:
        by_spot[sighting.subject.ability, sighting.subject.category].append(sighting)
    cells = {spot: _tally(shape, by_spot[spot]) for spot in sorted(by_spot)}
    overall = _any(shape, [sighting for sighting in sightings if not sighting.subject.invariant])
    meant = _any(shape, [sighting for sighting in sightings if sighting.subject.meant_invariant])
    people_control = _any(
        shape,
        [
            sighting
            for sighting in sightings
            if sighting.subject.found_invariant and not sighting.subject.meant_invariant
        ],
    )
    readers = sorted(frozenset[str]().union(*(sighting.found_from for sighting in sightings)))
    return Column(judge, shape, cells, overall, control=meant, control_found=people_control, found_from=readers)


def _any(shape: str, sightings: Sequence[Sighting]) -> OutcomeTally | None:
    return _tally(shape, sightings) if sightings else None


def _tally(shape: str, sightings: Iterable[Sighting]) -> OutcomeTally:
    return tally(SHAPES[shape], ((sighting.outcome, sighting.found) for sighting in sightings))


# Comparison: two judges on the same perturbations, category by category.


@dataclass(frozen=True)
class SpotCompared:
    """found: pairs that only one of the two noticed, among those readable for both. adjusted: p value after Holm."""

    spot: Spot
    found: PairedComparison
    adjusted: float


def compare_spots(first: Sequence[Sighting], second: Sequence[Sighting]) -> list[SpotCompared]:
    """Cells that both have judged, by ability and category.

    Pairs that are unreadable for either judge are left out, and so are perturbations that should not be noticed. If a
    cell has several perturbations of one prompt, prompts are resampled instead of McNemar's test.
    """
    second_by_item = {sighting.item_id: sighting for sighting in second if sighting.outcome != UNPARSED}
    by_spot: dict[Spot, list[tuple[bool, bool, str]]] = defaultdict(list)
    for sighting in first:
        counterpart = second_by_item.get(sighting.item_id)
        if counterpart is not None and sighting.outcome != UNPARSED and not sighting.subject.invariant:
            outcome = (sighting.noticed, counterpart.noticed, sighting.subject.sha256)
            by_spot[sighting.subject.ability, sighting.subject.category].append(outcome)
    spots = sorted(by_spot)
    comparisons = [_tested(by_spot[spot]) for spot in spots]
    adjusted = holm([comparison.p for comparison in comparisons])
    return [SpotCompared(*row) for row in zip(spots, comparisons, adjusted, strict=True)]


def _tested(outcomes: Sequence[tuple[bool, bool, str]]) -> PairedComparison:
    """outcomes: whether either judge noticed, and which prompt it was."""
    ones, second_outcomes, prompts = zip(*outcomes, strict=True)
    return compared_in_clusters(ones, second_outcomes, prompts)


# Drill-down: the pairs behind one cell, page by page, with both texts and the judge's verdicts.


PAGE = 20
MISSED = "missed"  # stands for every outcome in which the perturbation was not noticed


@dataclass(frozen=True)
class SpotPair:
    """gold, perturbed: the texts that were judged, None if unknown. said: the judge's verdicts."""

    sighting: Sighting
    item: Item
    gold: str | None
    perturbed: str | None
    said: Sequence[Verdict]


@dataclass(frozen=True)
class PairPage:
    """before, after: the item where the previous page ends and the next one begins; None if there is none."""

    pairs: Sequence[SpotPair]
    total: int
    before: int | None
    after: int | None


def sightings_behind(
    sightings: Sequence[Sighting], *, shape: str, ability: str = "", category: str = "", outcome: str = ""
) -> list[Sighting]:
    """By item; "" means any. outcome: one of the shape's outcomes, unparsed, or MISSED."""
    return [
        sighting
        for sighting in sightings
        if sighting.shape.name == shape
        and (not ability or sighting.subject.ability == ability)
        and (not category or sighting.subject.category == category)
        and (not outcome or sighting.outcome == outcome or (outcome == MISSED and _is_missed(sighting)))
    ]


def _is_missed(sighting: Sighting) -> bool:
    return sighting.outcome in sighting.shape.outcomes and not sighting.noticed


def pair_page(sightings: Sequence[Sighting], *, after: int = 0, before: int = 0, size: int = PAGE) -> PairPage:
    """One page of pairs, in three queries."""
    if before:
        start = max(sum(sighting.item_id < before for sighting in sightings) - size, 0)
    else:
        start = sum(sighting.item_id <= after for sighting in sightings)
    page_sightings = sightings[start : start + size]
    return PairPage(
        pairs=_pairs(page_sightings),
        total=len(sightings),
        before=page_sightings[0].item_id if page_sightings and start else None,
        after=page_sightings[-1].item_id if page_sightings and start + size < len(sightings) else None,
    )


def _pairs(sightings: Sequence[Sighting]) -> list[SpotPair]:
    items = Item.objects.in_bulk([sighting.item_id for sighting in sightings])
    verdict_by_pk = Verdict.objects.select_related("first__author", "second__author", "reference__author").in_bulk(
        [pk for sighting in sightings for pk in sighting.verdicts]
    )
    return [
        _pair(sighting, items[sighting.item_id], [verdict_by_pk[pk] for pk in sighting.verdicts if pk in verdict_by_pk])
        for sighting in sightings
        if sighting.item_id in items
    ]


def _pair(sighting: Sighting, item: Item, verdicts: Sequence[Verdict]) -> SpotPair:
    texts = _texts(verdicts)
    return SpotPair(sighting, item, texts.get(Author.Sort.GOLD), texts.get(Author.Sort.PERTURBED), verdicts)


def _texts(verdicts: Sequence[Verdict]) -> Mapping[str, str]:
    """Sort of the author -> text."""
    answers = [
        answer
        for verdict in verdicts
        for answer in (verdict.first, verdict.second, verdict.reference)
        if answer and answer.known
    ]
    return {answer.author.sort: answer.text for answer in answers}
