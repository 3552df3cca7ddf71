"""Checks as annotators may look at them: as if they were work that nobody but themselves has had in hand."""

from collections.abc import Sequence

from django.db.models import Q

from annotate.models import Comment, Event, Item, Member, Slot
from annotate.models.records import EventQuerySet

S = Item.State


def is_masked(item: Item, member: Member) -> bool:
    return member.role == Member.Role.ANNOTATOR and item.purpose != Item.Purpose.WORK


def as_work(item: Item, member: Member) -> Item:
    """The item, for reading only, where and how it would be if it were work of this person."""
    if not is_masked(item, member):
        return item
    is_submitted = Slot.objects.filter(item_id=item.pk, reserved_for=member.user, state=Slot.State.SUBMITTED).exists()
    item.state, item.round, item.base = (after(member) if is_submitted else S.READY), 1, None
    item.changed_at = item.created_at
    return item


def after(member: Member) -> S:
    """The state of work that was handed in."""
    return S.REVIEWING if member.project.reviews or member.project.overlap > 1 else S.ACCEPTED


def events(stored_events: EventQuerySet, item: Item, member: Member) -> list[Event]:
    """What an annotator may know to have happened: the import, and what they did, in the words of work."""
    if is_masked(item, member):
        stored_events = stored_events.filter(Q(actor=member.user) | Q(verb="imported"))
    shown_events = list(stored_events)
    if is_masked(item, member):
        for event in shown_events:
            worded(event, member)
    return shown_events


def worded(event: Event, member: Member) -> None:
    """Changes the event, unsaved, into what it would be if it were about work."""
    event.round = 1
    if event.verb == "imported":
        event.to_state = S.READY
    elif event.verb == "submitted":
        event.verb = "submitted" if after(member) == S.REVIEWING else "accepted"
        event.from_state, event.to_state = S.READY, after(member)
    elif event.verb == "withdrawn":
        event.from_state, event.to_state = after(member), S.READY


def slots(stored_slots: Sequence[Slot], item: Item, member: Member) -> list[Slot]:
    """An annotator's own ones, without what shows that a slot was made for one person."""
    own_slots = [slot for slot in stored_slots if slot.holder_id == member.user_id]
    if is_masked(item, member):
        for slot in own_slots:
            slot.no, slot.round, slot.reserved_for = 1, 1, None
    return own_slots


def threads(comments: Sequence[Comment], item: Item, member: Member) -> list[Comment]:
    """Only what this person began: what was said when it was work would tell."""
    if not is_masked(item, member):
        return list(comments)
    return [comment for comment in comments if comment.author_id == member.user_id]
