"""Two judges on the same perturbations, category by category."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from judging.metrics.blindspots import UNPARSED
from judging.metrics.paired import Compared, holm, mcnemar
from judging.services.blindspots.cells import Spot
from judging.services.blindspots.sightings import Sighting


@dataclass(frozen=True)
class SpotCompared:
    """found: pairs that only one of the two noticed, of those that both could be read on. adjusted: p after Holm."""

    spot: Spot
    found: Compared
    adjusted: float


def compared(first: Sequence[Sighting], second: Sequence[Sighting]) -> list[SpotCompared]:
    """Cells that both have judged, by ability and category.

    What is unreadable for either is left out, and so is what should not be noticed at all.
    """
    theirs = {each.item_id: each for each in second if each.outcome != UNPARSED}
    by_spot: dict[Spot, list[tuple[bool, bool]]] = defaultdict(list)
    for each in first:
        other = theirs.get(each.item_id)
        if other is not None and each.outcome != UNPARSED and not each.subject.invariant:
            by_spot[each.subject.ability, each.subject.category].append((each.noticed, other.noticed))
    spots = sorted(by_spot)
    found = [
        mcnemar([one for one, _other in by_spot[spot]], [other for _one, other in by_spot[spot]]) for spot in spots
    ]
    adjusted = holm([each.p for each in found])
    return [SpotCompared(*each) for each in zip(spots, found, adjusted, strict=True)]
