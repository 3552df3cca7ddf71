"""Two judges on the same perturbations, category by category."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from judging.services.blindspots.cells import Spot
from judging.services.blindspots.sightings import Sighting
from lib.stats.blindspots import UNPARSED
from lib.stats.paired import Compared, compared_in_clusters, holm


@dataclass(frozen=True)
class SpotCompared:
    """found: pairs that only one of the two noticed, of those that both could be read on. adjusted: p after Holm."""

    spot: Spot
    found: Compared
    adjusted: float


def compared(first: Sequence[Sighting], second: Sequence[Sighting]) -> list[SpotCompared]:
    """Cells that both have judged, by ability and category.

    What is unreadable for either is left out, and so is what should not be noticed at all. Where a cell has several
    perturbations of one prompt, prompts are drawn again instead of McNemar's test.
    """
    theirs = {each.item_id: each for each in second if each.outcome != UNPARSED}
    by_spot: dict[Spot, list[tuple[bool, bool, str]]] = defaultdict(list)
    for each in first:
        other = theirs.get(each.item_id)
        if other is not None and each.outcome != UNPARSED and not each.subject.invariant:
            outcome = (each.noticed, other.noticed, each.subject.sha256)
            by_spot[each.subject.ability, each.subject.category].append(outcome)
    spots = sorted(by_spot)
    found = [_tested(by_spot[spot]) for spot in spots]
    adjusted = holm([each.p for each in found])
    return [SpotCompared(*each) for each in zip(spots, found, adjusted, strict=True)]


def _tested(outcomes: Sequence[tuple[bool, bool, str]]) -> Compared:
    """outcomes: whether either judge noticed, and which prompt it was."""
    ones, others, prompts = zip(*outcomes, strict=True)
    return compared_in_clusters(ones, others, prompts)
