"""The rulings that stand at a field of an item: about the same field, in its group or for all, the nearest first."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import F, Q, QuerySet

from annotate.models import Item, Precedent, User
from annotate.services.precedents.seeing import shown_to
from lib.texts.likeness import likeness

SHOWN = 3  # at one field
LOOKED_AT = 500  # the newest rulings; more are reached by the list


@dataclass(frozen=True)
class AtField:
    """rulings: the nearest, at most SHOWN; more: how many others; waiting: open questions about this very item."""

    name: str
    rulings: Sequence[Precedent]
    more: int = 0
    waiting: Sequence[Precedent] = ()


def at_fields(item: Item, *, seen_by: User) -> Mapping[str, AtField]:
    """name of a field -> what stands at it, fields without anything left out. One query.

    Near is what shares rare words (texts/likeness.py): of the item's text with the question, the ruling and the title
    of the item that was asked about. What was asked about this item itself comes first; of equals the newest.
    """
    precedents = list(_found(item, seen_by)[:LOOKED_AT])
    ruled = [precedent for precedent in precedents if precedent.ruling]
    by_field: dict[str, list[Precedent]] = defaultdict(list)
    for precedent in _nearest(item, ruled) if ruled else []:
        by_field[precedent.field].append(precedent)
    open_questions = [precedent for precedent in precedents if not precedent.ruling]
    names = dict.fromkeys([*by_field, *(precedent.field for precedent in open_questions)])
    return {
        name: AtField(
            name=name,
            rulings=by_field[name][:SHOWN],
            more=max(0, len(by_field[name]) - SHOWN),
            waiting=[precedent for precedent in open_questions if precedent.field == name],
        )
        for name in names
    }


def _found(item: Item, person: User) -> QuerySet[Precedent]:
    near = Precedent.objects.filter(project_id=item.project_id)
    ruled = ~Q(ruling="") & (Q(group__in=["", item.group]) if item.group else Q())
    near = near.filter(ruled | Q(item_id=item.pk, ruling=""))
    return shown_to(near, person).annotate(title=F("item__title")).order_by(F("ruled_at").desc(nulls_first=True), "-id")


def _nearest(item: Item, ruled: Sequence[Precedent]) -> list[Precedent]:
    kind = item.project.kind
    text = kind.reading_text(kind.read_facts(kind.upgrade(item.facts, item.schema)))
    texts = [f"{precedent.title or ''} {precedent.question} {precedent.ruling}" for precedent in ruled]  # type: ignore[attr-defined]
    scores = likeness(f"{item.title} {text}", texts)
    order = sorted(range(len(ruled)), key=lambda index: (ruled[index].item_id != item.pk, -scores[index], index))
    return [ruled[index] for index in order]
