"""The item's state machine. Nothing else writes `Item.state` or `Item.round`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.models import Annotation, Event, Item, Slot, User
from annotate.services import webhooks
from annotate.services.errors import WrongState
from annotate.services.withdrawn import refuse_withdrawn

S = Item.State
OPEN_STATES = (S.IMPORTED, S.READY, S.REVIEWING, S.ADJUDICATING)


@dataclass(frozen=True)
class Step:
    """From which states a verb may start, where it ends, and the round there: +1 opens another, -1 takes one back."""

    start: tuple[str, ...]
    end: str
    turn: int = 0


STEPS = {
    "ready": Step((S.IMPORTED,), S.READY),
    "submitted": Step((S.READY,), S.REVIEWING),
    "accepted": Step((S.READY, S.REVIEWING, S.ADJUDICATING), S.ACCEPTED),
    "disputed": Step((S.READY, S.REVIEWING), S.ADJUDICATING),
    "revised": Step((S.READY, S.REVIEWING), S.READY, turn=1),
    "rechecked": Step((S.ACCEPTED,), S.REVIEWING, turn=1),
    "returned": Step((S.REVIEWING, S.ADJUDICATING), S.READY, turn=1),
    "withdrawn": Step((S.REVIEWING, S.ADJUDICATING, S.ACCEPTED, S.DROPPED), S.READY),
    "reconsidered": Step((S.ADJUDICATING, S.ACCEPTED, S.DROPPED), S.REVIEWING),
    "unsettled": Step((S.ACCEPTED, S.DROPPED), S.ADJUDICATING),
    "reclaimed": Step((S.READY,), S.ADJUDICATING, turn=-1),
    "recalled": Step((S.READY,), S.REVIEWING, turn=-1),
    "dropped": Step((*OPEN_STATES, S.ACCEPTED), S.DROPPED),
    "restored": Step((S.DROPPED,), S.READY, turn=1),
    "reinstated": Step((S.DROPPED,), S.ACCEPTED),
    "reopened": Step((S.ACCEPTED,), S.READY, turn=1),
    "reclosed": Step((S.READY,), S.ACCEPTED, turn=-1),
    "requeued": Step((S.READY, S.REVIEWING, S.ADJUDICATING), S.READY, turn=1),
}


def lock(item_id: int) -> None:
    """Nobody else changes this item or its slots until the transaction ends.

    First in every transaction that changes slots before it moves their item: always item, then slots, so that
    PostgreSQL never finds two of them waiting for each other. On SQLite the transaction has locked everything already.
    """
    if connection.features.has_select_for_update:
        Item.objects.select_for_update(no_key=True).only("pk").get(pk=item_id)


def move(
    item: Item,
    verb: str,
    *,
    by: User | None,
    note: str = "",
    drop_reason: str = "",
    base: Annotation | None = None,
    annotation: Annotation | None = None,
) -> Item:
    """Take the item one step and write its history. `item` must be as read: its state and round are the condition.

    base: the annotation that the next round starts from, kept as it is where not given.
    Raises WrongState if the step does not start from here, if somebody moved the item meanwhile, or if whoever reported
    it has withdrawn it.
    """
    step = STEPS[verb]
    if item.state not in step.start:
        raise WrongState(
            _("%(item)s is not where this starts from: it is “%(state)s”. Load the page again.")
            % {"item": item.key, "state": S(item.state).label}
        )
    if item.state == S.DROPPED:
        refuse_withdrawn(item.pk)
    old_state, now = item.state, timezone.now()
    changes: dict[str, Any] = {
        "state": step.end,
        "round": item.round + step.turn,
        "drop_reason": drop_reason,
        "changed_at": now,
    }
    if base is not None:
        changes["base_id"] = base.pk
    # A part of the caller's transaction: without a savepoint of its own, SQLite is locked for others shorter.
    with transaction.atomic(savepoint=False):
        moved = Item.objects.filter(pk=item.pk, state=item.state, round=item.round).update(**changes)
        if moved:
            for name, value in changes.items():
                setattr(item, name, value)
            record(item, verb, by=by, note=note, from_state=old_state, annotation=annotation)
            if verb == "accepted":
                webhooks.item_accepted(item)
    if not moved:
        raise WrongState(_("%(item)s was moved by somebody else meanwhile. Load the page again.") % {"item": item.key})
    return item


def check_still(item: Item) -> None:
    """The item, locked, is where it was when it was read. Raises WrongState, as `move` does for steps that move it."""
    if not Item.objects.filter(pk=item.pk, state=item.state, round=item.round).exists():
        raise WrongState(_("%(item)s was moved by somebody else meanwhile. Load the page again.") % {"item": item.key})


def record(
    item: Item,
    verb: str,
    *,
    by: User | None,
    note: str = "",
    from_state: str = "",
    annotation: Annotation | None = None,
) -> Event:
    """Add a line to the item's history."""
    return Event.objects.create(
        item_id=item.pk,
        project_id=item.project_id,
        verb=verb,
        from_state=from_state,
        to_state=item.state if from_state else "",
        round=item.round,
        actor=by,
        annotation=annotation,
        note=note,
    )


def record_expired(slots: Sequence[Slot]) -> None:
    """A line in the history of each item that somebody held too long; `slots` as they were, with their holders."""
    Event.objects.bulk_create(
        Event(
            item_id=slot.item_id,
            project_id=slot.project_id,
            verb="expired",
            round=slot.round,
            note=str(slot.holder) if slot.holder else "",
        )
        for slot in slots
    )
