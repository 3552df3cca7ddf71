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
    seen: Sequence[Sighting], *, shape: str, ability: str = "", category: str = "", outcome: str = ""
) -> list[Sighting]:
    """In the order of items; "" is any. outcome: one of the shape's, unparsed, or MISSED."""
    return [
        each
        for each in seen
        if each.shape.name == shape
        and (not ability or each.subject.ability == ability)
        and (not category or each.subject.category == category)
        and (not outcome or each.outcome == outcome or (outcome == MISSED and _is_missed(each)))
    ]


def _is_missed(each: Sighting) -> bool:
    return each.outcome in each.shape.outcomes and not each.noticed


def page(found: Sequence[Sighting], *, after: int = 0, before: int = 0, size: int = PAGE) -> PairPage:
    """One page, in three queries."""
    if before:
        start = max(sum(each.item_id < before for each in found) - size, 0)
    else:
        start = sum(each.item_id <= after for each in found)
    shown = found[start : start + size]
    return PairPage(
        pairs=_pairs(shown),
        total=len(found),
        before=shown[0].item_id if shown and start else None,
        after=shown[-1].item_id if shown and start + size < len(found) else None,
    )


def _pairs(shown: Sequence[Sighting]) -> list[Pair]:
    items = Item.objects.in_bulk([each.item_id for each in shown])
    said = Verdict.objects.select_related("first__author", "second__author", "reference__author").in_bulk(
        [pk for each in shown for pk in each.verdicts]
    )
    return [
        _pair(each, items[each.item_id], [said[pk] for pk in each.verdicts if pk in said])
        for each in shown
        if each.item_id in items
    ]


def _pair(each: Sighting, item: Item, said: Sequence[Verdict]) -> Pair:
    texts = _texts(said)
    return Pair(each, item, texts.get(Author.Sort.GOLD), texts.get(Author.Sort.PERTURBED), said)


def _texts(said: Sequence[Verdict]) -> Mapping[str, str]:
    """Sort of the author -> text."""
    answers = [answer for one in said for answer in (one.first, one.second, one.reference) if answer and answer.known]
    return {answer.author.sort: answer.text for answer in answers}
