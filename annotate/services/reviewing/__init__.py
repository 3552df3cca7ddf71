"""Another person's decision about an annotation: accept, fix and accept, send back, drop.

Where two people review, the item moves when both have decided: see settling.py.
"""

import uuid
from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.kinds.base import Kind
from annotate.models import Annotation, Item, Slot, User
from annotate.services import slots
from annotate.services.comparing import changed_fields
from annotate.services.errors import Refused
from annotate.services.reviewing import settling
from annotate.services.reviewing.decisions import Decision, Reason, dropping, finish, given, returning
from annotate.services.submitting import checked

__all__ = ["Reason", "accept", "drop", "edited", "fix_and_accept", "passes_on", "send_back"]


def accept(*, review: Annotation, token: uuid.UUID, by: User) -> Item:
    """The annotation is right as it is; one that calls its item unsuitable takes it out of the dataset.

    Raises Refused while the review holds edits of its own; LeaseLost, WrongState, NotReady (it does not pass the
    checks).
    """
    item, about = _subject(review)
    if edited(item, review, about):
        raise Refused(_("You have edits: fix and accept, or take them back first."))
    return _accept(item, about, review, token, by)


def fix_and_accept(*, review: Annotation, token: uuid.UUID, by: User, note: str = "") -> Item:
    """The reviewer's own text is accepted; the author sees what changed. Raises LeaseLost, WrongState, NotReady.

    Where that text is what people are to judge (`Kind.revised`) and nobody else reviews it, it goes to others instead.
    Without a change this is `accept`, so that nobody becomes an author by pressing the wrong button.
    """
    item, about = _subject(review)
    if not edited(item, review, about):
        return _accept(item, about, review, token, by)
    draft = checked(item.project.kind, item.facts, review.draft, item.project.kind_options)
    decided = Decision(
        draft, "revised" if passes_on(item.project.kind, about, review) else "fixed", authored=True, note=note
    )
    return _decide(item, about, review, token, decided, by=by)


def edited(item: Item, review: Annotation, about: Annotation) -> bool:
    """Whether the reviewer's draft says something else than the annotation under review."""
    kind = item.project.kind
    return bool(changed_fields(kind.fields(kind.read_facts(item.facts)), about.draft, review.draft))


def passes_on(kind: Kind, about: Annotation, review: Annotation) -> bool:
    """Whether nobody but this reviewer would have seen the text that stands here now.

    Two who review see it both, or an adjudicator does.
    """
    if not kind.revised(about.draft, review.draft):
        return False
    assert review.slot is not None
    return not slots.is_shared(review.slot)


def _accept(item: Item, about: Annotation, review: Annotation, token: uuid.UUID, by: User) -> Item:
    draft = checked(item.project.kind, item.facts, about.draft, item.project.kind_options)
    return _decide(item, about, review, token, Decision(draft, "accepted"), by=by)


def send_back(*, review: Annotation, token: uuid.UUID, by: User, reasons: Sequence[Reason]) -> Item:
    """Another round, first for the same author, with the reasons pinned to their fields.

    Raises Refused without a reason; LeaseLost, WrongState.
    """
    filled_reasons = given(reasons)
    item, about = _subject(review)
    return _decide(item, about, review, token, returning(review.draft, filled_reasons), by=by)


def drop(*, review: Annotation, token: uuid.UUID, by: User, reason: str, note: str = "") -> Item:
    """The item leaves the dataset; a lead can restore it. Raises Refused without a known reason; LeaseLost, WrongState.

    reason: one of DROP_REASONS.
    """
    item, about = _subject(review)
    return _decide(item, about, review, token, dropping(review.draft, reason, note), by=by)


def _subject(review: Annotation) -> tuple[Item, Annotation]:
    assert review.slot_id is not None
    slot = Slot.objects.select_related("about", "about__author").get(pk=review.slot_id)
    assert slot.about is not None
    return Item.objects.select_related("project").get(pk=review.item_id), slot.about


def _decide(
    item: Item, about: Annotation, review: Annotation, token: uuid.UUID, decided: Decision, *, by: User
) -> Item:
    with transaction.atomic():
        finish(review, token, decided)
        settling.settle(item, about, review, by=by)
    return item
