"""Handing in an annotation, and taking it back while nobody has taken it up."""

import uuid
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.kinds.base import Kind
from annotate.kinds.values import BadShape
from annotate.models import Annotation, Item, Project, Slot, User
from annotate.services import flow, overlapping, queue, slots, suggesting
from annotate.services.errors import LeaseLost, NotReady, WrongState
from annotate.services.readiness import handed_in
from annotate.services.readiness.places import is_own_place


def checked(kind: Kind, facts: dict[str, Any], draft: dict[str, Any], options: Any) -> dict[str, Any]:
    """The draft as it may be stored for good. Raises NotReady with everything that is wrong."""
    shaped_facts = kind.read_facts(facts)
    try:
        shaped = kind.read_draft(draft)
    except BadShape as bad:
        raise NotReady(bad.findings) from bad
    problems = kind.problems(shaped_facts, shaped, options)
    if problems:
        raise NotReady(problems)
    return shaped.stored()


def submit(
    *, annotation: Annotation, token: uuid.UUID, by: User, item: Item | None = None, revised: bool = False
) -> Item:
    """Hand in: the draft is checked and frozen, the item goes on to review, or is decided where nobody reviews.

    Where several people write on it, it goes on when the last of them has handed in (services/overlapping.py).

    item: as it was read with its project, by a caller that has just done so; it is read here otherwise.
    revised: a check whose text was changed, which is to look like a change of any other item.
    Raises NotReady (nothing changed), LeaseLost, WrongState (the draft stays the author's draft).
    """
    slot = annotation.slot
    assert slot is not None
    assert annotation.author_id == by.pk
    item = item or Item.objects.select_related("project").get(pk=annotation.item_id)
    project, kind = item.project, item.project.kind
    draft = checked(kind, item.facts, annotation.draft, project.kind_options)
    unsuitable = kind.unsuitable(kind.read_draft(draft))
    with transaction.atomic():
        queue.finish(slot, token)
        outcome = "revised" if revised else "unsuitable" if unsuitable else "annotated"
        freeze(annotation, draft, outcome=outcome, authored=True)
        _go_on(item, project, annotation, by=by, unsuitable=unsuitable)
    return item


def freeze(annotation: Annotation, draft: dict[str, Any], *, outcome: str, authored: bool, note: str = "") -> None:
    """From here on this annotation is never written again, except by an undo."""
    now = timezone.now()
    changes = {
        "draft": draft,
        "outcome": outcome,
        "authored": authored,
        "unchanged": suggesting.is_unchanged(annotation, draft),
        "note": note,
        "saved_at": now,
        "submitted_at": now,
    }
    if not Annotation.objects.filter(pk=annotation.pk, submitted_at=None).update(**changes):
        raise LeaseLost(_("This was handed in already."))
    for name, value in changes.items():
        setattr(annotation, name, value)


def _go_on(item: Item, project: Project, annotation: Annotation, *, by: User, unsuitable: bool) -> None:
    assert annotation.slot is not None
    if is_own_place(annotation.slot):
        handed_in.take(item, annotation, by=by)
    elif slots.is_shared(annotation.slot):
        overlapping.handed_in(item, annotation, by=by)
    elif project.reviews:
        flow.move(item, "submitted", by=by, base=annotation, annotation=annotation)
        slots.open_reviews(item, project, about=annotation)
    elif unsuitable:
        flow.move(item, "dropped", by=by, drop_reason="unsuitable", base=annotation, annotation=annotation)
    else:
        flow.move(item, "accepted", by=by, base=annotation, annotation=annotation)


def undo(*, annotation: Annotation, by: User) -> Slot:
    """Take a submission back: held again by its author, while nobody has taken up the next stage.

    Raises WrongState if a reviewer or adjudicator has it already, or if the item was moved.
    """
    slot = annotation.slot
    if slot is None or annotation.author_id != by.pk:
        raise WrongState(_("This submission can no longer be taken back."))
    with transaction.atomic():
        flow.lock(annotation.item_id)
        item = Item.objects.select_related("project").get(pk=annotation.item_id)
        if is_own_place(slot) and item.purpose != Item.Purpose.CALIBRATION:
            flow.record(item, "withdrawn", by=by, annotation=annotation, note="undo")
            return thaw(annotation, by=by, project=item.project)
        if item.round != slot.round or is_own_place(slot):  # of a calibration, what was expected is known by now
            raise WrongState(_("This submission can no longer be taken back."))
        if not slots.remove_untouched(slots.next_stage(slot)):
            raise WrongState(_("A reviewer has taken this up; write a comment instead."))
        if item.state == Item.State.READY and slots.is_shared(slot):
            flow.record(item, "withdrawn", by=by, annotation=annotation, note="undo")
        else:
            flow.move(item, "withdrawn", by=by, annotation=annotation, note="undo")
        return thaw(annotation, by=by, project=item.project)


def thaw(annotation: Annotation, *, by: User, project: Project) -> Slot:
    """The undo of `freeze`: a draft again, its slot held by its author under a fresh lease. Raises LeaseLost."""
    assert annotation.slot is not None
    held = queue.take_back(annotation.slot, by, project)
    Annotation.objects.filter(pk=annotation.pk).update(submitted_at=None, outcome="", authored=False, unchanged=False)
    return held
