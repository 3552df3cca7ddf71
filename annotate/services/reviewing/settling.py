"""What decisions do to their item: one alone settles it; of two, nothing moves until both are in.

Equal decisions with equal texts settle it together. Anything else goes to somebody who has decided nothing here.
"""

from collections.abc import Sequence
from typing import Any

from annotate.models import Annotation, Comment, Item, Slot, User
from annotate.services import flow, slots
from annotate.services.comparing import changed_fields
from annotate.services.notifying import notify
from annotate.services.reviewing.decisions import reasons_of


def settle(item: Item, about: Annotation, review: Annotation, *, by: User) -> None:
    """Inside the transaction in which the item is locked and the review was frozen. Raises WrongState."""
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
    """What was decided in these slots, the first first."""
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
    """This text is the item's; one that calls it unsuitable takes it out of the dataset."""
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
    """The reasons of a return become comments on their fields; before `item` moves to its next round."""
    author = decided.author
    assert author is not None
    for reason in reasons_of(decided):
        Comment.objects.create(
            item=item, annotation=about, field=reason.field, author=author, text=reason.text, round=item.round
        )


def still_member(item: Item, about: Annotation) -> User | None:
    author = about.author
    if author and author.is_active and item.project.members.filter(user=author).exclude(role="viewer").exists():
        return author
    return None
