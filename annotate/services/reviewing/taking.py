"""Taking up a review: the next one, or one picked from the list; and why one cannot be had."""

from django.utils.translation import gettext as _

from annotate.models import Annotation, Item, Member, Skip, Slot
from annotate.services import drafts, queue
from annotate.services.adjudicating.table import table_of
from annotate.services.errors import Refused


def take_next(member: Member) -> Slot | None:
    """Claim the next item to decide about and open a draft in it; None when there is nothing.

    What people disagree about comes before what nobody has looked at.
    """
    for stage in (Slot.Stage.ADJUDICATE, Slot.Stage.REVIEW):
        if slot := queue.claim_next(member, stage):
            open_review(slot, member)
            return slot
    return None


def take(member: Member, slot: Slot) -> Slot:
    """Claim this very review and open a draft in it. Raises Refused, saying why it is not to be had."""
    held = Slot.objects.held_by(member.user).filter(pk=slot.pk).first()
    if held is None:
        _check_limits(member)
        held = None if is_skipped(slot, member) else queue.claim(slot.pk, member)
    if held is None:
        raise Refused(why_not(slot, member))
    open_review(held, member)
    return held


def back_from_skip(member: Member, slot: Slot) -> Slot | None:
    """Undo a skip: the review is this person's again, if nobody has taken it up meanwhile."""

    def take_it() -> Slot | None:
        try:
            return take(member, slot)
        except Refused:
            return None

    return queue.unskip(slot.pk, member, take_it)


def open_review(slot: Slot, member: Member) -> Annotation:
    item = Item.objects.select_related("base__slot", "project").get(pk=slot.item_id)
    start = table_of(slot, item).start() if slot.stage == Slot.Stage.ADJUDICATE else None
    return drafts.open_draft(slot, author=member.user, item=item, project=member.project, start=start)


def is_own_work(slot: Slot, member: Member) -> bool:
    """Whether this person had a part in the item, so that they may not decide about it."""
    return not Slot.objects.filter(pk=slot.pk).not_own_work(member.user).exists()


def is_skipped(slot: Slot, member: Member) -> bool:
    return Skip.objects.filter(item_id=slot.item_id, person=member.user).exists()


def _check_limits(member: Member) -> None:
    if member.project.paused:
        raise Refused(_("Work is paused: %(reason)s") % {"reason": member.project.paused_reason})
    if member.paused_at is not None:
        raise Refused(_("You are paused: %(reason)s Ask your lead.") % {"reason": member.paused_reason})
    if queue.reached_limit(member):
        raise Refused(_("You have reached the number of items that your lead has set for you."))


def why_none(member: Member) -> str:
    """Why `take_next` gave nothing."""
    try:
        _check_limits(member)
    except Refused as refused:
        return str(refused)
    return _("Nothing waits for your review now. What is listed is held by others, or not for you.")


def why_not(slot: Slot, member: Member) -> str:
    """Why this person cannot take up this review now."""
    now = Slot.objects.select_related("holder").get(pk=slot.pk)
    if is_own_work(slot, member) and now.stage == Slot.Stage.ADJUDICATE:
        return _("You had a part in this disagreement, so somebody else decides.")
    if is_own_work(slot, member):
        return _("You have written text in this item, so somebody else reviews it.")
    if now.state == Slot.State.HELD:
        return _("%(name)s has taken this review up.") % {"name": now.holder}
    if now.state != Slot.State.OPEN:
        return _("This review is closed: it was decided, or the item was taken back or moved on.")
    if is_skipped(slot, member):
        return _("You have skipped this item, so somebody else reviews it.")
    if now.reserved_for_id not in (None, member.user_id):
        return _("This review is kept for somebody else.")
    return _("Its author can still take it back for some seconds, or you had this item in hand in another role.")
