"""A second person's decision about an annotation: accept, fix and accept, send back, drop."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from annotate.models import Annotation, Comment, Item, Slot, User
from annotate.services import flow, queue, slots
from annotate.services.errors import Refused
from annotate.services.notifying import notify
from annotate.services.submitting import checked, freeze


@dataclass(frozen=True)
class Reason:
    """Why something comes back: pinned to a field, or to the whole item where `field` is empty."""

    field: str
    text: str


def accept(*, review: Annotation, token: uuid.UUID, by: User) -> Item:
    """The annotation is right as it is. Raises LeaseLost, WrongState, NotReady (it does not pass the checks)."""
    item, about = _subject(review)
    draft = checked(item.project.kind, item.facts, about.draft, item.project.kind_options)
    with transaction.atomic():
        _finish(review, token, draft, outcome="accepted", authored=False)
        flow.move(item, "accepted", by=by, base=about, annotation=about)
        notify(about.author, item, "accepted", by=by)
    return item


def fix_and_accept(*, review: Annotation, token: uuid.UUID, by: User, note: str = "") -> Item:
    """The reviewer's own text is accepted; the author sees what changed. Raises LeaseLost, WrongState, NotReady."""
    item, about = _subject(review)
    draft = checked(item.project.kind, item.facts, review.draft, item.project.kind_options)
    if draft == about.draft:
        return accept(review=review, token=token, by=by)
    with transaction.atomic():
        _finish(review, token, draft, outcome="fixed", authored=True, note=note)
        flow.move(item, "accepted", by=by, base=review, annotation=review, note=note)
        notify(about.author, item, "accepted", by=by, note=note)
    return item


def send_back(*, review: Annotation, token: uuid.UUID, by: User, reasons: Sequence[Reason]) -> Item:
    """Another round, first for the same author, with the reasons pinned to their fields.

    Raises Refused without a reason; LeaseLost, WrongState.
    """
    reasons = [reason for reason in reasons if reason.text.strip()]
    if not reasons:
        raise Refused("Say why it comes back: at least one reason.")
    item, about = _subject(review)
    with transaction.atomic():
        _finish(review, token, review.draft, outcome="returned", authored=False, note=reasons[0].text)
        for reason in reasons:
            Comment.objects.create(
                item=item, annotation=about, field=reason.field, author=by, text=reason.text, round=item.round
            )
        flow.move(item, "returned", by=by, base=about, annotation=review, note=reasons[0].text)
        slots.open_annotating(item, item.project, reserved_for=_still_member(about))
        notify(about.author, item, "returned", by=by, note=reasons[0].text)
    return item


def drop(*, review: Annotation, token: uuid.UUID, by: User, reason: str, note: str = "") -> Item:
    """The item leaves the dataset; a lead can restore it. Raises LeaseLost, WrongState."""
    item, about = _subject(review)
    with transaction.atomic():
        _finish(review, token, review.draft, outcome="dropped", authored=False, note=note)
        flow.move(item, "dropped", by=by, drop_reason=reason, base=about, annotation=review, note=note)
        notify(about.author, item, "dropped", by=by, note=note)
    return item


def _subject(review: Annotation) -> tuple[Item, Annotation]:
    slot = Slot.objects.select_related("about", "about__author").get(pk=review.slot_id)
    assert slot.about is not None
    return Item.objects.select_related("project").get(pk=review.item_id), slot.about


def _finish(
    review: Annotation, token: uuid.UUID, draft: dict[str, object], *, outcome: str, authored: bool, note: str = ""
) -> None:
    assert review.slot is not None
    queue.finish(review.slot, token)
    freeze(review, draft, outcome=outcome, authored=authored, note=note)


def _still_member(about: Annotation) -> User | None:
    author = about.author
    if author and author.is_active and about.item.project.members.filter(user=author).exists():
        return author
    return None
