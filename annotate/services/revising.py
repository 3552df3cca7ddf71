"""Changing a text that one was only to look at: it goes to other people, and not back to whoever changed it."""

import uuid

from django.db import transaction

from annotate.kinds.values import BadShape
from annotate.models import Annotation, Item, Slot, User
from annotate.services import flow, queue, slots
from annotate.services.errors import NotReady
from annotate.services.notifying import notify
from annotate.services.submitting import freeze


def revise(*, annotation: Annotation, token: uuid.UUID, by: User, note: str = "") -> Item:
    """`revised`: the saved draft is frozen as the base of the next round, in which others start from it.

    For desks where people judge a text and may mend it (the kind decides what counts as mending and calls this in
    place of `submit`). `Kind.passed_on` says what the others see of the draft, so that a verdict can be left out.
    Whoever else has the item in hand loses the slot and keeps the draft. The editor is never handed the item again to
    write on or to review, in whatever round: the claim itself says so. `annotation` is a draft in a held slot of
    annotating; its shape is checked, its problems are for the others to find.
    Raises NotReady (no readable shape), LeaseLost, WrongState.
    """
    slot = annotation.slot
    assert slot is not None
    assert annotation.author_id == by.pk
    item = Item.objects.select_related("project").get(pk=annotation.item_id)
    try:
        draft = item.project.kind.read_draft(annotation.draft).stored()
    except BadShape as bad:
        raise NotReady(bad.findings) from bad
    with transaction.atomic():
        queue.finish(slot, token)
        freeze(annotation, draft, outcome="revised", authored=True, note=note)
        flow.move(item, "revised", by=by, base=annotation, annotation=annotation, note=note)
        _take_from_others(item, by=by)
        slots.open_annotating(item, item.project)
    return item


def _take_from_others(item: Item, *, by: User) -> None:
    held = list(Slot.objects.held().filter(item_id=item.pk).select_related("holder"))
    slots.close(item)
    for slot in held:
        notify(slot.holder, item, "removed", by=by)
