"""Taking back a decision that nothing depends on yet: the reviewer holds the review again, with their old text."""

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.errors import WrongState
from annotate.items import flow, slots
from annotate.models import Annotation, Comment, Event, Item, Notification, Slot, User
from annotate.models.work import SlotQuerySet
from annotate.review.decisions import Reason, reasons_of
from annotate.work.submit import thaw

GRACE = timedelta(minutes=1)  # the button that follows a decision is there for ten seconds, the review's page longer


@dataclass(frozen=True)
class DecisionWords:
    """The note and reasons of a decision, so that nobody has to write them twice. outcome: as in Annotation."""

    outcome: str
    reasons: list[Reason]
    note: str
    drop_reason: str


def take_back(*, review: Annotation, by: User) -> DecisionWords:
    """Undo the decision completely and return its note and reasons.

    Raises WrongState with the reason why it is too late (see why_too_late); LeaseLost if it is not theirs.
    """
    with transaction.atomic():
        flow.lock(review.item_id)
        decided = Annotation.objects.select_related("slot__about", "item__project").get(pk=review.pk)
        pinned = list(_return_reasons(decided).select_for_update())
        own = [comment for comment in pinned if comment.author_id == by.pk]
        reasons = [Reason(comment.field, comment.text, comment.span) for comment in own]
        if late := why_too_late(decided, by):
            raise WrongState(late)
        drop_reason = decided.said.get("drop_reason") or decided.item.drop_reason
        decision = DecisionWords(decided.outcome, reasons or reasons_of(decided), decided.note, drop_reason)
        _unsay(decided)
        _reverse(decided, by)
        thaw(decided, by=by, project=decided.item.project)
    return decision


def why_too_late(decided: Annotation, by: User) -> str:
    """Why this decision can no longer be taken back; "" while its reviewer can.

    A text that others are asked to judge can never be taken back. While a second decision is missing there is no time
    limit. A disagreement can be taken back until the adjudication is claimed; a return, until somebody claims the
    item again or answers. Anything else can be taken back for GRACE.
    """
    if _waits(decided, by):
        return ""
    if decided.outcome == Annotation.Outcome.REVISED:
        return _("You changed the text, so others are reviewing it; write a comment instead.")
    move = _deciding_move(decided, by)
    if move is None:
        return _("This decision can no longer be taken back: the item has moved on.")
    if move.to_state == Item.State.ADJUDICATING:
        begun = slots.begun(slots.next_stage(_slot(decided)))
        return _("Someone is adjudicating this; write a comment instead.") if begun else ""
    if decided.outcome != Annotation.Outcome.RETURNED:
        late = timezone.now() - move.at > GRACE
        return _("This decision is now final. A lead can reopen or restore the item.") if late else ""
    if slots.begun(_next_round(decided)):
        return _("The author has already started on this again; write a comment instead.")
    if Comment.objects.filter(parent__in=_return_reasons(decided)).exists():
        return _("Someone has answered the reasons; write a comment instead.")
    return ""


def _theirs(decided: Annotation, by: User) -> bool:
    slot = decided.slot
    if slot is None or decided.submitted_at is None or decided.author_id != by.pk:
        return False
    return slot.holder_id == by.pk and slot.state == Slot.State.SUBMITTED


def _waits(decided: Annotation, by: User) -> bool:
    """The decision has had no effect yet: the other review is missing."""
    if not _theirs(decided, by):
        return False
    slot, item = _slot(decided), decided.item
    return item.state == Item.State.REVIEWING and item.round == slot.round and slots.is_shared(slot)


def _deciding_move(decided: Annotation, by: User) -> Event | None:
    """The event by which this decision, alone or with another, moved the item, if nothing has moved it since."""
    if not _theirs(decided, by):
        return None
    last_move = Event.objects.filter(item_id=decided.item_id).exclude(from_state="").order_by("-id").first()
    state_before = Item.State.ADJUDICATING if _adjudicates(decided) else Item.State.REVIEWING
    if last_move is None or last_move.from_state != state_before:
        return None
    is_joint = last_move.actor_id is None and slots.is_shared(_slot(decided))
    if not is_joint and last_move.actor_id != by.pk:
        return None
    return last_move if decided.submitted_at and last_move.at >= decided.submitted_at else None


def _reverse(decided: Annotation, by: User) -> None:
    item, about = decided.item, _about(decided)
    if _waits(decided, by):
        flow.record(item, "reconsidered", by=by, annotation=decided)
    elif item.state == Item.State.ADJUDICATING:
        if not slots.remove_untouched(slots.next_stage(_slot(decided))):
            raise WrongState(_("Someone is adjudicating this; write a comment instead."))
        flow.move(item, "reconsidered", by=by, base=about, annotation=decided)
    elif decided.outcome == Annotation.Outcome.RETURNED:
        if not slots.remove_untouched(_next_round(decided)):
            raise WrongState(_("The author has already started on this again; write a comment instead."))
        verb = "reclaimed" if _adjudicates(decided) else "recalled"
        flow.move(item, verb, by=by, base=about, annotation=decided)
    else:
        verb = "unsettled" if _adjudicates(decided) else "reconsidered"
        flow.move(item, verb, by=by, base=about, annotation=decided)


def _unsay(decided: Annotation) -> None:
    """Delete the notifications about the decision, and the comments that gave its reasons."""
    notifications = Notification.objects.filter(item_id=decided.item_id, verb__in=["accepted", "returned", "dropped"])
    # The notification about a decision that two people settled has no actor.
    notifications = notifications.filter(Q(actor=decided.author_id) | Q(actor=None))
    notifications.filter(created_at__gte=decided.submitted_at).delete()
    _return_reasons(decided).delete()


def _return_reasons(decided: Annotation) -> QuerySet[Comment]:
    """The reasons of a return; what a reviewer writes later belongs to the next round."""
    if decided.outcome != Annotation.Outcome.RETURNED:
        return Comment.objects.none()
    slot = _slot(decided)
    reviewers = Slot.objects.beside(slot).values("holder")
    comments = Comment.objects.filter(item_id=decided.item_id, author__in=reviewers, parent=None)
    return comments.filter(annotation=_about(decided), round=slot.round, created_at__gte=decided.submitted_at)


def _next_round(decided: Annotation) -> SlotQuerySet:
    return Slot.objects.filter(item_id=decided.item_id, round=_slot(decided).round + 1)


def _about(decided: Annotation) -> Annotation | None:
    """The annotation that was reviewed; None where several people wrote and disagreed."""
    return _slot(decided).about


def _adjudicates(decided: Annotation) -> bool:
    return _slot(decided).stage == Slot.Stage.ADJUDICATE


def _slot(decided: Annotation) -> Slot:
    assert decided.slot is not None
    return decided.slot
