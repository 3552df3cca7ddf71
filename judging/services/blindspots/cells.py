"""What judges were blind to, counted by judge, way of asking, ability and category."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotate.models import Project
from judging.metrics.blindspots import SHAPES, Tally, tally, together
from judging.models import Judge
from judging.services.blindspots.sightings import Known, Sighting, known_of, sightings

Spot = tuple[str, str]  # ability, category


@dataclass(frozen=True)
class Column:
    """One judge asked in one way. cells: (ability, category) -> its outcomes; a spot without verdicts is not there.

    control: outcomes of perturbations that should change nothing, where there are any; they are in their cells too.
    """

    judge: Judge
    shape: str
    cells: Mapping[Spot, Tally]
    sightings: Sequence[Sighting] = field(repr=False, default=())
    control: Tally | None = None

    @property
    def name(self) -> str:
        return self.judge.name

    @property
    def strategy(self) -> str:
        """With the options that make it another one."""
        return " · ".join(filter(None, [self.judge.strategy, self.judge.variant]))

    @property
    def by_ability(self) -> dict[str, Tally]:
        found: dict[str, list[Tally]] = defaultdict(list)
        for (ability, _category), cell in self.cells.items():
            found[ability].append(cell)
        return {ability: together(cells) for ability, cells in found.items()}

    @property
    def overall(self) -> Tally:
        return together(self.cells.values())


@dataclass(frozen=True)
class BlindSpots:
    """columns: by judge, strategy and way of asking. known: what their sightings are about."""

    columns: Sequence[Column]
    known: Known = field(repr=False)

    @property
    def spots(self) -> list[Spot]:
        """Of any column, by ability and category."""
        return sorted({spot for column in self.columns for spot in column.cells})


def judges_of(project: Project) -> list[Judge]:
    return list(Judge.objects.filter(project=project).order_by("name", "strategy", "variant"))


def blind_spots(project: Project, judges: Iterable[Judge] | None = None) -> BlindSpots:
    """In four queries and two for each judge. Judges that said nothing about perturbations have no column."""
    known = known_of(project)
    chosen = judges_of(project) if judges is None else judges
    columns = [column for judge in chosen for column in _columns(judge, known)]
    return BlindSpots(columns, known)


def _columns(judge: Judge, known: Known) -> list[Column]:
    by_shape: dict[str, list[Sighting]] = defaultdict(list)
    for seen in sightings(judge, known):
        by_shape[seen.shape.name].append(seen)
    return [_column(judge, shape, by_shape[shape], known) for shape in SHAPES if shape in by_shape]


def _column(judge: Judge, shape: str, seen: Sequence[Sighting], known: Known) -> Column:
    by_spot: dict[Spot, list[Sighting]] = defaultdict(list)
    for each in seen:
        subject = known.subjects[each.item_id]
        by_spot[subject.ability, subject.category].append(each)
    cells = {spot: _tally(shape, by_spot[spot]) for spot in sorted(by_spot)}
    control = [each for each in seen if known.subjects[each.item_id].invariant]
    return Column(judge, shape, cells, seen, _tally(shape, control) if control else None)


def _tally(shape: str, seen: Iterable[Sighting]) -> Tally:
    return tally(SHAPES[shape], ((each.outcome, each.found) for each in seen))
