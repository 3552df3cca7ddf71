"""People's votes of a file, under the names that it gives them: each once an item."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.utils import timezone

from annotate.models import Annotation, Item, Slot
from annotate.services import flow, slots
from annotate.services.importing.table import Table

Place = tuple[int, str]  # item, rater
Draft = Mapping[str, Any]


def there(items: Collection[int]) -> dict[Place, Draft]:
    """What raters of files have said about these items. One query."""
    imported = Annotation.objects.filter(item__in=items, author=None, slot=None).exclude(rater="")
    return {(item, rater): draft for item, rater, draft in imported.values_list("item_id", "rater", "draft")}


def store(votes: Sequence[tuple[Place, Draft]], *, schema: int) -> None:
    """Votes of raters who have not said anything about these items yet."""
    table = Table(
        Annotation,
        ("item_id", "rater", "draft"),
        schema=schema,
        outcome=Annotation.Outcome.ANNOTATED,
        authored=True,
        submitted_at=timezone.now(),
    )
    table.insert((item, rater, draft) for (item, rater), draft in votes)


def close_work(items: Collection[int], note: str) -> None:
    """Accept those of the items that were open for votes and that nobody has begun: the file has brought the votes.

    Where somebody votes already, they go on, and the item is decided by them.
    """
    for item in Item.objects.filter(pk__in=items, state=Item.State.READY):
        if slots.remove_untouched(Slot.objects.filter(item=item)):
            vote = Annotation.objects.filter(item=item, author=None, slot=None).exclude(rater="").earliest("pk")
            flow.move(item, "accepted", by=None, base=vote, annotation=vote, note=note)


def decide(items: Collection[int]) -> None:
    """Let each accepted item stand on a vote of its majority, the earliest one; without a majority on its first vote.

    A study reads all votes. The one on which the item stands only makes it a decided item, as every other is.
    """
    votes: dict[int, list[tuple[int, str]]] = defaultdict(list)
    imported = Annotation.objects.filter(item__in=items, item__state=Item.State.ACCEPTED, author=None, slot=None)
    rows = imported.exclude(rater="").order_by("pk").values_list("item_id", "pk", "draft")
    for item, pk, draft in rows:
        votes[item].append((pk, _said(draft)))
    stored = Item.objects.filter(pk__in=votes, base__author=None).only("pk", "base_id")
    changed = []
    for stored_item in stored:
        base = _standing(votes[stored_item.pk])
        if stored_item.base_id != base:
            stored_item.base_id = base
            changed.append(stored_item)
    Item.objects.bulk_update(changed, ["base"], batch_size=400)


def _standing(votes: Sequence[tuple[int, str]]) -> int:
    ranked = Counter(vote for _pk, vote in votes).most_common(2)
    is_split = len(ranked) == 2 and ranked[0][1] == ranked[1][1]
    return votes[0][0] if is_split else next(pk for pk, vote in votes if vote == ranked[0][0])


def _said(draft: Draft) -> str:
    """The vote without what was written beside it."""
    return json.dumps(
        {name: value for name, value in draft.items() if name not in ("reason", "recognised")}, sort_keys=True
    )
