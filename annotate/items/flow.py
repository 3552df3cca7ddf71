"""The item's state machine. Nothing else writes `Item.state` or `Item.round`.

It also tells whether an item was withdrawn by the person who reported it; every write about an item checks this.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.errors import WrongState
from annotate.models import Annotation, Erasure, Event, Item, Reopening, Slot, User
from annotate.notices import webhooks
from annotate.prepared import prepared_change


def is_withdrawn(item_id: int) -> bool:
    return Erasure.objects.filter(item_id=item_id).exists()


def refuse_withdrawn(item_id: int, error: type[Exception] = WrongState) -> None:
    """Raises the error if nothing may be written about this item any more."""
    if is_withdrawn(item_id):
        raise error(_("The person who reported this case has withdrawn it. It can no longer be edited."))


S = Item.State
OPEN_STATES = (S.IMPORTED, S.READY, S.REVIEWING, S.ADJUDICATING)


@dataclass(frozen=True)
class FlowStep:
    """The states from which a verb may start, its end state, and its round: +1 opens another, -1 takes one back."""

    start: tuple[str, ...]
    end: str
    turn: int = 0


STEPS = {
    "ready": FlowStep((S.IMPORTED,), S.READY),
    "submitted": FlowStep((S.READY,), S.REVIEWING),
    "accepted": FlowStep((S.READY, S.REVIEWING, S.ADJUDICATING), S.ACCEPTED),
    "disputed": FlowStep((S.READY, S.REVIEWING), S.ADJUDICATING),
    "revised": FlowStep((S.READY, S.REVIEWING), S.READY, turn=1),
    "rechecked": FlowStep((S.ACCEPTED,), S.REVIEWING, turn=1),
    "returned": FlowStep((S.REVIEWING, S.ADJUDICATING), S.READY, turn=1),
    "withdrawn": FlowStep((S.REVIEWING, S.ADJUDICATING, S.ACCEPTED, S.DROPPED), S.READY),
    "reconsidered": FlowStep((S.ADJUDICATING, S.ACCEPTED, S.DROPPED), S.REVIEWING),
    "unsettled": FlowStep((S.ACCEPTED, S.DROPPED), S.ADJUDICATING),
    "reclaimed": FlowStep((S.READY,), S.ADJUDICATING, turn=-1),
    "recalled": FlowStep((S.READY,), S.REVIEWING, turn=-1),
    "dropped": FlowStep((*OPEN_STATES, S.ACCEPTED), S.DROPPED),
    "restored": FlowStep((S.DROPPED,), S.READY, turn=1),
    "reinstated": FlowStep((S.DROPPED,), S.ACCEPTED),
    "reopened": FlowStep((S.ACCEPTED,), S.READY, turn=1),
    "reclosed": FlowStep((S.READY,), S.ACCEPTED, turn=-1),
    "requeued": FlowStep((S.READY, S.REVIEWING, S.ADJUDICATING), S.READY, turn=1),
}


def lock(item_id: int) -> None:
    """Lock the item: nobody else changes it or its slots until the transaction ends.

    Call it first in every transaction that changes slots before it moves their item: always item, then slots, so that
    PostgreSQL never finds a deadlock. On SQLite the transaction has already locked everything.
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
    reopening: Reopening | None = None,
) -> Item:
    """Take the item one step and write its history. `item` must be as read: its state and round are the condition.

    base: the annotation that the next round starts from, unchanged if not given. reopening: the one that this is part
    of. Raises WrongState if the step does not start from this state, if somebody moved the item meanwhile, or if the
    person who reported it has withdrawn it.
    """
    step = STEPS[verb]
    if item.state not in step.start:
        raise WrongState(
            _("This is not possible now: %(item)s is “%(state)s”. Reload the page.")
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
    # Part of the caller's transaction: without a savepoint, the SQLite lock is held for a shorter time.
    with transaction.atomic(savepoint=False):
        moved = _take_step(item, step, drop_reason, now, base)
        if moved:
            for name, value in changes.items():
                setattr(item, name, value)
            record(item, verb, by=by, note=note, from_state=old_state, annotation=annotation, reopening=reopening)
            if verb == "accepted":
                webhooks.item_accepted(item)
    if not moved:
        raise WrongState(
            _("%(item)s was changed by someone else in the meantime. Reload the page.") % {"item": item.key}
        )
    return item


def _take_step(item: Item, step: FlowStep, reason: str, now: datetime, base: Annotation | None) -> int:
    place = {"item": item.pk, "start": item.state, "start_round": item.round}
    changes = {"end": step.end, "end_round": item.round + step.turn, "reason": reason, "now": now}
    return _moved(**place, **changes) if base is None else _moved_on(**place, **changes, base=base.pk)


@prepared_change
def _moved(
    item: int, start: str, start_round: int, end: str, end_round: int, reason: str, now: datetime
) -> tuple[QuerySet[Item], dict[str, Any]]:
    changes = {"state": end, "round": end_round, "drop_reason": reason, "changed_at": now}
    return Item.objects.filter(pk=item, state=start, round=start_round), changes


@prepared_change
def _moved_on(
    item: int, start: str, start_round: int, end: str, end_round: int, reason: str, now: datetime, base: int
) -> tuple[QuerySet[Item], dict[str, Any]]:
    changes = {"state": end, "round": end_round, "drop_reason": reason, "changed_at": now, "base": base}
    return Item.objects.filter(pk=item, state=start, round=start_round), changes


def check_still(item: Item) -> None:
    """Lock the item and check that it is where it was when it was read. Raises WrongState, as `move` does for steps."""
    if not Item.objects.filter(pk=item.pk, state=item.state, round=item.round).exists():
        raise WrongState(
            _("%(item)s was changed by someone else in the meantime. Reload the page.") % {"item": item.key}
        )


def record(
    item: Item,
    verb: str,
    *,
    by: User | None,
    note: str = "",
    from_state: str = "",
    annotation: Annotation | None = None,
    reopening: Reopening | None = None,
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
        reopening=reopening,
        note=note,
    )


def record_expired(slots: Sequence[Slot]) -> None:
    """A line in the history of each item whose lease expired; `slots` as they were, with their holders."""
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
