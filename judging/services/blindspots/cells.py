"""What judges were blind to, counted by judge, way of asking, ability and category."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from django.utils.translation import gettext as _

from annotate.models import Project
from judging.models import Judge, Verdict
from judging.services.blindspots.sightings import Known, Sighting, known_of, sightings
from judging.services.remembering import remembered, states_of
from lib.stats.blindspots import SHAPES, Tally, tally, together

Spot = tuple[str, str]  # ability, category


@dataclass(frozen=True)
class Column:
    """One judge asked in one way. cells: (ability, category) -> its outcomes; a spot without verdicts is not there.

    control: outcomes of perturbations that are meant to change nothing, where there are any; control_found: of others
    of which people say that they change nothing. Both are in their cells too.
    found_from: what the readers of its explanations were shown, "" for what a file says; empty where nobody looked.
    overall: of all others, for which a low share is good; None where there is none.
    """

    judge: Judge
    shape: str
    cells: Mapping[Spot, Tally]
    overall: Tally | None = None
    control: Tally | None = None
    control_found: Tally | None = None
    found_from: Sequence[str] = ()

    @property
    def key(self) -> str:
        """As addresses name it."""
        return f"{self.judge.pk}-{self.shape}"

    @property
    def name(self) -> str:
        return self.judge.name

    @property
    def strategy(self) -> str:
        """With the options that make it another one."""
        return " · ".join(filter(None, [self.judge.strategy, self.judge.variant]))

    @property
    def readers(self) -> list[str]:
        """What the readers of its explanations were shown, in words."""
        from_files = _("As the file says")
        return [str(Verdict.FoundFrom(source).label) if source else from_files for source in self.found_from]

    @property
    def by_ability(self) -> dict[str, Tally]:
        cells_by_ability: dict[str, list[Tally]] = defaultdict(list)
        for (ability, _category), cell in self.cells.items():
            cells_by_ability[ability].append(cell)
        return {ability: together(cells) for ability, cells in cells_by_ability.items()}


@dataclass(frozen=True)
class BlindSpots:
    """columns: by judge, strategy and way of asking."""

    columns: Sequence[Column]

    @property
    def spots(self) -> list[Spot]:
        """Of any column, by ability and category."""
        return sorted({spot for column in self.columns for spot in column.cells})


def has_blind_spots(project: Project) -> bool:
    """Whether its items hold good and perturbed answers, which judges can be asked about."""
    return project.kind.perturbs


def judges_of(project: Project) -> list[Judge]:
    return list(Judge.objects.filter(project=project).order_by("name", "strategy", "variant"))


def blind_spots(project: Project, judges: Sequence[Judge]) -> BlindSpots:
    """Counted once for each state of the project; judges that said nothing about perturbations have no column.

    In eight queries, and two for each judge that was not counted before.
    """
    states, fields = states_of(project, judges), _Once(project)
    counted = [remembered("blindspots", states[judge.pk], partial(_counted, judge, fields)) for judge in judges]
    return BlindSpots([column for columns in counted for column in columns])


def _counted(judge: Judge, fields: "_Once") -> list[Column]:
    return columns_of(judge, sightings(judge, fields.known))


def sighted(project: Project, judge: Judge) -> list[Sighting]:
    """What the numbers of a judge are made of."""
    state = states_of(project, [judge])[judge.pk]
    return remembered("sightings", state, lambda: sightings(judge, known_of(project)))


class _Once:
    """What all judges are read against, read when the first of them needs it."""

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


def _any(shape: str, sightings: Sequence[Sighting]) -> Tally | None:
    return _tally(shape, sightings) if sightings else None


def _tally(shape: str, sightings: Iterable[Sighting]) -> Tally:
    return tally(SHAPES[shape], ((sighting.outcome, sighting.found) for sighting in sightings))
