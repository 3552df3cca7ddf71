"""The pairs behind one cell, page by page, with both texts and what the judge said of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotate.models import Item
from judging.models import Author, Verdict
from judging.services.blindspots.sightings import Sighting

PAGE = 20
MISSED = "missed"  # every outcome that did not notice the perturbation


@dataclass(frozen=True)
class Pair:
    """gold, perturbed: the texts that were judged, None where they are not known. said: the judge's verdicts."""

    sighting: Sighting
    item: Item
    gold: str | None
    perturbed: str | None
    said: Sequence[Verdict]


@dataclass(frozen=True)
class PairPage:
    """before, after: the item where the page before ends and the one after begins; None where there is none."""

    pairs: Sequence[Pair]
    total: int
    before: int | None
    after: int | None


def behind(
    sightings: Sequence[Sighting], *, shape: str, ability: str = "", category: str = "", outcome: str = ""
) -> list[Sighting]:
    """In the order of items; "" is any. outcome: one of the shape's, unparsed, or MISSED."""
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


def page(sightings: Sequence[Sighting], *, after: int = 0, before: int = 0, size: int = PAGE) -> PairPage:
    """One page, in three queries."""
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


def _pairs(sightings: Sequence[Sighting]) -> list[Pair]:
    items = Item.objects.in_bulk([sighting.item_id for sighting in sightings])
    verdict_by_pk = Verdict.objects.select_related("first__author", "second__author", "reference__author").in_bulk(
        [pk for sighting in sightings for pk in sighting.verdicts]
    )
    return [
        _pair(sighting, items[sighting.item_id], [verdict_by_pk[pk] for pk in sighting.verdicts if pk in verdict_by_pk])
        for sighting in sightings
        if sighting.item_id in items
    ]


def _pair(sighting: Sighting, item: Item, verdicts: Sequence[Verdict]) -> Pair:
    texts = _texts(verdicts)
    return Pair(sighting, item, texts.get(Author.Sort.GOLD), texts.get(Author.Sort.PERTURBED), verdicts)


def _texts(verdicts: Sequence[Verdict]) -> Mapping[str, str]:
    """Sort of the author -> text."""
    answers = [
        answer
        for verdict in verdicts
        for answer in (verdict.first, verdict.second, verdict.reference)
        if answer and answer.known
    ]
    return {answer.author.sort: answer.text for answer in answers}
