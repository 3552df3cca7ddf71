"""A second person's decision about an annotation: accept, fix and accept, send back, drop."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.models import DROP_REASONS, Annotation, Comment, Item, Slot, User
from annotate.services import flow, queue, slots
from annotate.services.comparing import changed_fields
from annotate.services.errors import Refused
from annotate.services.notifying import notify
from annotate.services.submitting import checked, freeze


@dataclass(frozen=True)
class Reason:
    """Why something comes back: pinned to a field, or to the whole item where `field` is empty."""

    field: str
    text: str


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

    Without a change this is `accept`, so that nobody becomes an author by pressing the wrong button.
    """
    item, about = _subject(review)
    if not edited(item, review, about):
        return _accept(item, about, review, token, by)
    draft = checked(item.project.kind, item.facts, review.draft, item.project.kind_options)
    with transaction.atomic():
        _finish(review, token, draft, outcome="fixed", authored=True, note=note)
        _settle(item, review, by=by, note=note)
        notify(about.author, item, item.state, by=by, note=note)
    return item


def edited(item: Item, review: Annotation, about: Annotation) -> bool:
    """Whether the reviewer's draft says something else than the annotation under review."""
    kind = item.project.kind
    return bool(changed_fields(kind.fields(kind.read_facts(item.facts)), about.draft, review.draft))


def _accept(item: Item, about: Annotation, review: Annotation, token: uuid.UUID, by: User) -> Item:
    draft = checked(item.project.kind, item.facts, about.draft, item.project.kind_options)
    with transaction.atomic():
        _finish(review, token, draft, outcome="accepted", authored=False)
        _settle(item, about, by=by)
        notify(about.author, item, item.state, by=by)
    return item


def _settle(item: Item, decided: Annotation, *, by: User, note: str = "") -> None:
    kind = item.project.kind
    if kind.unsuitable(kind.read_draft(decided.draft)):
        flow.move(item, "dropped", by=by, drop_reason="unsuitable", base=decided, annotation=decided, note=note)
    else:
        flow.move(item, "accepted", by=by, base=decided, annotation=decided, note=note)


def send_back(*, review: Annotation, token: uuid.UUID, by: User, reasons: Sequence[Reason]) -> Item:
    """Another round, first for the same author, with the reasons pinned to their fields.

    Raises Refused without a reason; LeaseLost, WrongState.
    """
    reasons = [reason for reason in reasons if reason.text.strip()]
    if not reasons:
        raise Refused(_("Say why it comes back: at least one reason."))
    item, about = _subject(review)
    note = "\n".join(reason.text for reason in reasons)
    with transaction.atomic():
        _finish(review, token, review.draft, outcome="returned", authored=False, note=note)
        for reason in reasons:
            Comment.objects.create(
                item=item, annotation=about, field=reason.field, author=by, text=reason.text, round=item.round
            )
        flow.move(item, "returned", by=by, base=about, annotation=review, note=note)
        slots.open_annotating(item, item.project, reserved_for=_still_member(item, about))
        notify(about.author, item, "returned", by=by, note=note)
    return item


def drop(*, review: Annotation, token: uuid.UUID, by: User, reason: str, note: str = "") -> Item:
    """The item leaves the dataset; a lead can restore it. Raises Refused without a known reason; LeaseLost, WrongState.

    reason: one of DROP_REASONS.
    """
    if reason not in dict(DROP_REASONS):
        raise Refused(_("Say why it leaves the dataset: choose a reason."))
    item, about = _subject(review)
    with transaction.atomic():
        _finish(review, token, review.draft, outcome="dropped", authored=False, note=note)
        flow.move(item, "dropped", by=by, drop_reason=reason, base=about, annotation=review, note=note)
        notify(about.author, item, "dropped", by=by, note=note)
    return item


def _subject(review: Annotation) -> tuple[Item, Annotation]:
    assert review.slot_id is not None
    slot = Slot.objects.select_related("about", "about__author").get(pk=review.slot_id)
    assert slot.about is not None
    return Item.objects.select_related("project").get(pk=review.item_id), slot.about


def _finish(
    review: Annotation, token: uuid.UUID, draft: dict[str, object], *, outcome: str, authored: bool, note: str = ""
) -> None:
    assert review.slot is not None
    queue.finish(review.slot, token)
    freeze(review, draft, outcome=outcome, authored=authored, note=note)


def _still_member(item: Item, about: Annotation) -> User | None:
    author = about.author
    if author and author.is_active and item.project.members.filter(user=author).exclude(role="viewer").exists():
        return author
    return None
