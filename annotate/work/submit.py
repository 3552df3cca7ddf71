"""Submitting an annotation: for one or several independent authors, taken back by undo, or revised for others."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from annotate.errors import LeaseLost, NotReady, StaleDraft, WrongState
from annotate.items import drafts, flow, leases, slots
from annotate.kinds.contract import Kind
from annotate.kinds.values import BadShape
from annotate.models import Annotation, Event, Item, Project, Slot, User
from annotate.models.work import SlotQuerySet
from annotate.notices.inbox import notify
from annotate.prepared import prepared_change
from annotate.readiness import checks


def handed_in(item: Item, annotation: Annotation, *, by: User) -> None:
    """Process the submission of one of several authors. Call it inside the transaction that has locked the item.

    The item does not move until the last author has submitted. If the texts agree, or if authors were asked for
    opinions, the first text becomes the item's and represents all. If they disagree, a person who has not written on
    the item decides between them. Raises WrongState if the item was moved meanwhile.
    """
    assert annotation.slot is not None
    flow.check_still(item)
    flow.record(item, "submitted", by=by, annotation=annotation)
    parallel_slots = Slot.objects.beside(annotation.slot)
    if parallel_slots.unfinished().exists():
        return
    texts = texts_in(parallel_slots)
    if not item.project.kind.opinions and disagreements(item, texts):
        flow.move(item, "disputed", by=None)
        slots.open_adjudication(item, item.project)
    else:
        _agreed(item, texts, by=by)


def texts_in(parallel_slots: SlotQuerySet) -> list[Annotation]:
    """The texts that were submitted in these slots, oldest first."""
    annotations = Annotation.objects.filter(slot__in=parallel_slots, submitted_at__isnull=False)
    return list(annotations.select_related("author", "slot").order_by("submitted_at", "pk"))


def disagreements(item: Item, texts: Sequence[Annotation]) -> list[str]:
    """The fields in which these texts disagree; none where all of them call the item unsuitable."""
    kind = item.project.kind
    drafts = [kind.upgrade(text.draft, text.schema) for text in texts]
    unsuitable = {kind.unsuitable(kind.read_draft(draft)) for draft in drafts}
    if unsuitable == {True}:
        return []
    fields = kind.disagreements(kind.read_facts(item.facts), drafts)
    return fields or ([""] if len(unsuitable) > 1 else [])


def _agreed(item: Item, texts: Sequence[Annotation], *, by: User) -> None:
    """The agreement decided, not a person: no annotation is recorded as accepted by anybody."""
    first_text = texts[0]
    if first_text.outcome == Annotation.Outcome.UNSUITABLE:
        flow.move(item, "dropped", by=None, drop_reason="unsuitable", base=first_text, annotation=first_text)
    else:
        flow.move(item, "accepted", by=None, base=first_text, annotation=first_text)
    authors = [text.author for text in texts if text.author != by]
    for author in [] if item.project.kind.opinions else authors:
        notify(author, item, item.state, by=None)


# Submitting an annotation, and taking it back while nobody has taken it up.


def checked(kind: Kind, facts: dict[str, Any], draft: dict[str, Any], options: Any) -> dict[str, Any]:
    """The draft as it may be stored permanently. Raises NotReady with all its problems."""
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
    """Submit: the draft is checked and frozen; the item goes to review, or is decided where nobody reviews.

    Where several people write on it, it goes on when the last of them has submitted (`handed_in`).

    item: passed by a caller that has just read it with its project; otherwise it is read here.
    revised: marks a check whose text was changed, so that it looks like a change of any other item.
    Raises NotReady (nothing changed); LeaseLost, WrongState, StaleDraft (the draft stays the author's draft).
    """
    slot = annotation.slot
    assert slot is not None
    assert annotation.author_id == by.pk
    item = item or Item.objects.select_related("project").get(pk=annotation.item_id)
    project, kind = item.project, item.project.kind
    draft = checked(kind, item.facts, annotation.draft, project.kind_options)
    unsuitable = kind.unsuitable(kind.read_draft(draft))
    with transaction.atomic():
        leases.finish(slot, token, by.pk)
        outcome = "revised" if revised else "unsuitable" if unsuitable else "annotated"
        freeze(annotation, draft, outcome=outcome, authored=True)
        _go_on(item, project, annotation, by=by, unsuitable=unsuitable)
    return item


def freeze(annotation: Annotation, draft: dict[str, Any], *, outcome: str, authored: bool, note: str = "") -> None:
    """Freeze this annotation: it is never written again, except by an undo.

    Raises LeaseLost if that was done already; StaleDraft if another window has saved since this text was.
    """
    now = timezone.now()
    changes = {
        "draft": draft,
        "outcome": outcome,
        "authored": authored,
        "unchanged": drafts.is_unchanged(annotation, draft),
        "note": note,
        "saved_at": now,
        "submitted_at": now,
    }
    if not _frozen(annotation=annotation.pk, revision=annotation.revision, **changes):
        annotation.refresh_from_db(fields=["draft", "decided", "revision", "submitted_at"])
        if annotation.submitted_at is None:
            raise StaleDraft(annotation.draft, annotation.revision)
        raise LeaseLost(_("This was already submitted."))
    for name, value in changes.items():
        setattr(annotation, name, value)


@prepared_change
def _frozen(
    annotation: int,
    revision: int,
    draft: dict[str, Any],
    outcome: str,
    authored: bool,
    unchanged: bool,
    note: str,
    saved_at: datetime,
    submitted_at: datetime,
) -> tuple[QuerySet[Annotation], dict[str, Any]]:
    return Annotation.objects.filter(pk=annotation, revision=revision, submitted_at=None), {
        "draft": draft,
        "outcome": outcome,
        "authored": authored,
        "unchanged": unchanged,
        "note": note,
        "saved_at": saved_at,
        "submitted_at": submitted_at,
    }


def _go_on(item: Item, project: Project, annotation: Annotation, *, by: User, unsuitable: bool) -> None:
    assert annotation.slot is not None
    if annotation.slot.own:
        checks.take(item, annotation, by=by)
    elif slots.is_shared(annotation.slot):
        handed_in(item, annotation, by=by)
    elif project.reviews:
        flow.move(item, "submitted", by=by, base=annotation, annotation=annotation)
        slots.open_reviews(item, project, about=annotation)
    elif unsuitable:
        flow.move(item, "dropped", by=by, drop_reason="unsuitable", base=annotation, annotation=annotation)
    else:
        flow.move(item, "accepted", by=by, base=annotation, annotation=annotation)


def undo(*, annotation: Annotation, by: User) -> Slot:
    """Take a submission back: held again by its author, while nobody has taken up the next stage.

    Raises WrongState if a reviewer or adjudicator has it already, or if something else has moved the item.
    """
    slot = annotation.slot
    if slot is None or annotation.author_id != by.pk:
        raise WrongState(_("This submission can no longer be taken back."))
    with transaction.atomic():
        flow.lock(annotation.item_id)
        item = Item.objects.select_related("project").get(pk=annotation.item_id)
        if slot.own and item.purpose != Item.Purpose.CALIBRATION:
            flow.record(item, "withdrawn", by=by, annotation=annotation, note="undo")
            return thaw(annotation, by=by, project=item.project)
        if item.round != slot.round or slot.own:  # of a calibration, what was expected is known by now
            raise WrongState(_("This submission can no longer be taken back."))
        if not _made_the_last_move(annotation, item, slot):
            raise WrongState(_("This submission can no longer be taken back."))
        if not slots.remove_untouched(slots.next_stage(slot)):
            raise WrongState(_("A reviewer has started on this; write a comment instead."))
        if item.state == Item.State.READY and slots.is_shared(slot):
            flow.record(item, "withdrawn", by=by, annotation=annotation, note="undo")
        else:
            flow.move(item, "withdrawn", by=by, annotation=annotation, note="undo")
        return thaw(annotation, by=by, project=item.project)


def _made_the_last_move(annotation: Annotation, item: Item, slot: Slot) -> bool:
    """Whether the item is where this submission, alone or with those of its siblings, has brought it.

    What a lead has decided since, such as a drop, is not undone with it.
    """
    if item.state == Item.State.READY and slots.is_shared(slot):
        return True  # the last of them has not submitted yet
    last_move = Event.objects.filter(item_id=item.pk).exclude(from_state="").order_by("-id").first()
    if last_move is None or last_move.annotation_id == annotation.pk:
        return True
    is_joint = last_move.verb == "disputed" or last_move.annotation_id is not None
    return last_move.actor_id is None and is_joint and slots.is_shared(slot)


def thaw(annotation: Annotation, *, by: User, project: Project) -> Slot:
    """The undo of `freeze`: a draft again, its slot held by its author under a fresh lease. Raises LeaseLost."""
    assert annotation.slot is not None
    held = leases.take_back(annotation.slot, by, project)
    Annotation.objects.filter(pk=annotation.pk).update(submitted_at=None, outcome="", authored=False, unchanged=False)
    return held


# Revising: a person changes a text that they were only asked to judge. It goes to other people, never back to them.


def revise(*, annotation: Annotation, token: uuid.UUID, by: User, note: str = "") -> Item:
    """`revised`: the saved draft is frozen as the base of the next round, in which others start from it.

    For desks where people judge a text and may correct it (the kind decides what counts as a correction and calls this
    in place of `submit`). `Kind.passed_on` says what the others see of the draft, so that a verdict can be left out.
    Anybody else who holds the item loses the slot and keeps their draft. The editor never gets the item again, to write
    or to review, in any round: the claim query excludes them. `annotation` is a draft in a held annotation slot; its
    shape is checked here, its problems are for the others to find.
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
        leases.finish(slot, token, by.pk)
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


# Submitting from the work page: a text that was only to be judged but was changed goes to others.


def hand_in(*, annotation: Annotation, token: uuid.UUID, by: User, item: Item) -> Item:
    """Submit the draft, or begin another round with it where the kind says that the validated text was changed.

    item: with its project. Raises NotReady, LeaseLost, WrongState; nothing has changed then.
    """
    assert annotation.slot is not None
    start: Any = SimpleLazyObject(lambda: drafts.start_of(annotation, item))  # most kinds do not look at it
    revised = item.project.kind.revised(start, annotation.draft)
    if revised and not annotation.slot.own:
        return revise(annotation=annotation, token=token, by=by)
    return submit(annotation=annotation, token=token, by=by, item=item, revised=revised)
