"""Decisions of reviewers: accept, fix and accept, send back, drop; and their effect on the item.

A decision is frozen in the reviewer's annotation with its reasons and note, whatever its effect.
"""

import dataclasses
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.errors import Refused
from annotate.items import flow, leases, slots
from annotate.items.compare import changed_fields
from annotate.items.pins import Pin
from annotate.kinds.contract import Kind
from annotate.models import DROP_REASONS, Annotation, Comment, Item, Slot, User
from annotate.notices.inbox import notify
from annotate.work.submit import checked, freeze


@dataclass(frozen=True)
class Reason:
    """Why something comes back: pinned to a field or a span, or to the whole item where `field` is empty."""

    field: str
    text: str
    span: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def pin(self) -> Pin:
        return Pin(self.field, self.span)

    def stored(self) -> dict[str, Any]:
        """As in Annotation.said: field, text, and span where it is about one."""
        span = {"span": dict(self.span)} if self.span else {}
        return {"field": self.field, "text": self.text} | span


@dataclass(frozen=True)
class Decision:
    """draft: the decider's text. outcome: as in Annotation. said: the value of Annotation.said."""

    draft: dict[str, Any]
    outcome: str
    authored: bool = False
    note: str = ""
    said: Mapping[str, Any] = field(default_factory=dict)


def nonempty_reasons(reasons: Sequence[Reason]) -> list[Reason]:
    """The reasons that say something. Raises Refused where none does."""
    filled_reasons = [reason for reason in reasons if reason.text.strip()]
    if not filled_reasons:
        raise Refused(_("Say why you return it: give at least one reason."))
    return filled_reasons


def returning(draft: dict[str, Any], reasons: Sequence[Reason]) -> Decision:
    note = "\n".join(reason.text for reason in reasons)
    return Decision(draft, "returned", note=note, said={"reasons": [reason.stored() for reason in reasons]})


def dropping(draft: dict[str, Any], reason: str, note: str) -> Decision:
    """Raises Refused without a known reason."""
    if reason not in dict(DROP_REASONS):
        raise Refused(_("Choose a reason for dropping it."))
    return Decision(draft, "dropped", note=note, said={"drop_reason": reason})


def finish(annotation: Annotation, token: uuid.UUID, decided: Decision) -> None:
    """First in the transaction of a decision. Raises LeaseLost."""
    assert annotation.slot is not None
    leases.finish(annotation.slot, token, annotation.author_id)
    freeze(annotation, decided.draft, outcome=decided.outcome, authored=decided.authored, note=decided.note)
    Annotation.objects.filter(pk=annotation.pk).update(said=decided.said)
    annotation.said = dict(decided.said)


def reasons_of(decided: Annotation) -> list[Reason]:
    """The reasons of a return; those of old returns are stored as comments only."""
    return [Reason(**reason) for reason in decided.said.get("reasons", [])]


# The effect of decisions on the item. Where one person reviews, that decision settles it. Where two review, the item
# does not move until both have decided: equal decisions with equal texts settle it together, anything else goes to an
# adjudicator who has decided nothing here.


def settle(item: Item, about: Annotation, review: Annotation, *, by: User) -> None:
    """Call it inside the transaction that locked the item and froze the review. Raises WrongState."""
    assert review.slot is not None
    if not slots.is_shared(review.slot):
        apply(item, about, [review], by=by)
        return
    flow.check_still(item)
    flow.record(item, "reviewed", by=by, annotation=review)
    parallel_slots = Slot.objects.beside(review.slot)
    if parallel_slots.unfinished().exists():
        return
    reviews = decisions_in(parallel_slots)
    if equal(item, reviews):
        apply(item, about, reviews, by=None)
    else:
        flow.move(item, "disputed", by=None)
        slots.open_adjudication(item, item.project, about=about)


def decisions_in(parallel_slots: Any) -> list[Annotation]:
    """The decisions made in these slots, oldest first."""
    decided = Annotation.objects.filter(slot__in=parallel_slots, submitted_at__isnull=False)
    return list(decided.select_related("author", "slot").order_by("submitted_at", "pk"))


def equal(item: Item, reviews: Sequence[Annotation]) -> bool:
    """Whether all decided alike: to drop for one reason, to send back, or to accept one text."""
    first_review, *other_reviews = reviews
    if any(review.outcome != first_review.outcome for review in other_reviews):
        return False
    if first_review.outcome == Annotation.Outcome.DROPPED:
        return all(review.said.get("drop_reason") == first_review.said.get("drop_reason") for review in other_reviews)
    if first_review.outcome == Annotation.Outcome.RETURNED:
        return True
    fields = item.project.kind.fields(item.project.kind.read_facts(item.facts))
    return not any(changed_fields(fields, first_review.draft, review.draft) for review in other_reviews)


def apply(item: Item, about: Annotation, reviews: Sequence[Annotation], *, by: User | None) -> None:
    """Move the item as these equal decisions say, and tell the author. by: None where several people decided."""
    first_review, note = reviews[0], "\n".join(review.note for review in reviews if review.note)
    if first_review.outcome == Annotation.Outcome.RETURNED:
        _send_back(item, about, reviews, by=by, note=note)
    elif first_review.outcome == Annotation.Outcome.DROPPED:
        reason = first_review.said["drop_reason"]
        flow.move(item, "dropped", by=by, drop_reason=reason, base=about, annotation=first_review, note=note)
        notify(about.author, item, "dropped", by=by, note=note)
    elif first_review.outcome == Annotation.Outcome.REVISED:
        flow.move(item, "revised", by=by, base=first_review, annotation=first_review, note=note)
        slots.open_annotating(item, item.project)
    else:
        take(item, first_review if first_review.outcome == Annotation.Outcome.FIXED else about, by=by, note=note)
        notify(about.author, item, item.state, by=by, note=note)


def take(item: Item, decided: Annotation, *, by: User | None, note: str = "") -> None:
    """Make this text the item's; a text that calls the item unsuitable drops it from the dataset."""
    kind = item.project.kind
    if kind.unsuitable(kind.read_draft(decided.draft)):
        flow.move(item, "dropped", by=by, drop_reason="unsuitable", base=decided, annotation=decided, note=note)
    else:
        flow.move(item, "accepted", by=by, base=decided, annotation=decided, note=note)


def _send_back(item: Item, about: Annotation, reviews: Sequence[Annotation], *, by: User | None, note: str) -> None:
    for review in reviews:
        assert review.author is not None
        pin(item, about, review)
    flow.move(item, "returned", by=by, base=about, annotation=reviews[0], note=note)
    slots.open_annotating(item, item.project, reserved_for=[still_member(item, about)])
    notify(about.author, item, "returned", by=by, note=note)


def pin(item: Item, about: Annotation | None, decided: Annotation) -> None:
    """Turn the reasons of a return into comments on their fields. Call it before `item` moves to its next round."""
    author = decided.author
    assert author is not None
    for reason in reasons_of(decided):
        Comment.objects.create(
            item=item,
            annotation=about,
            field=reason.field,
            span=reason.span,
            author=author,
            text=reason.text,
            round=item.round,
        )


def still_member(item: Item, about: Annotation) -> User | None:
    author = about.author
    if author and author.is_active and item.project.members.filter(user=author).exclude(role="viewer").exists():
        return author
    return None


# One reviewer's decision. Where two people review, the item moves when both have decided: see `settle`.


def accept(*, review: Annotation, token: uuid.UUID, by: User) -> Item:
    """Accept the annotation as it is; one that calls its item unsuitable drops the item from the dataset.

    Raises Refused while the review holds edits of its own; LeaseLost, WrongState, NotReady (it does not pass the
    checks).
    """
    item, about = _subject(review)
    if edited(item, review, about):
        raise Refused(_("You have edits: fix and accept, or undo them first."))
    return _accept(item, about, review, token, by)


def fix_and_accept(*, review: Annotation, token: uuid.UUID, by: User, note: str = "") -> Item:
    """Accept the reviewer's own text; the author sees what changed. Raises LeaseLost, WrongState, NotReady.

    If people are asked to judge that text (`Kind.revised`) and nobody else reviews it, it goes to others instead.
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
    """Whether nobody but this reviewer would have seen the text as it is now.

    Where two people review, both see it, or an adjudicator does.
    """
    if not kind.revised(about.draft, review.draft):
        return False
    assert review.slot is not None
    return not slots.is_shared(review.slot)


def _accept(item: Item, about: Annotation, review: Annotation, token: uuid.UUID, by: User) -> Item:
    draft = checked(item.project.kind, item.facts, about.draft, item.project.kind_options)
    return _decide(item, about, review, token, Decision(draft, "accepted"), by=by)


def send_back(*, review: Annotation, token: uuid.UUID, by: User, reasons: Sequence[Reason]) -> Item:
    """Open another round, first for the same author, with the reasons pinned to their fields.

    Raises Refused without a reason; LeaseLost, WrongState.
    """
    filled_reasons = nonempty_reasons(reasons)
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
        settle(item, about, review, by=by)
    return item
