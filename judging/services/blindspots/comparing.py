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


def _tested(outcomes: Sequence[tuple[bool, bool, str]]) -> Compared:
    """outcomes: whether either judge noticed, and which prompt it was."""
    ones, second_outcomes, prompts = zip(*outcomes, strict=True)
    return compared_in_clusters(ones, second_outcomes, prompts)
