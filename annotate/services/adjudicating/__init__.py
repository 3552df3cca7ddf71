"""The last word where people disagree, by somebody who had no part in it: accept a text, send back, drop.

The database keeps those away who have written on the item in any round or decided about it in this one: see
SlotQuerySet.not_own_work. `review` is the adjudicator's own text in a slot that they hold.
"""

import uuid
from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.models import Annotation, Item, Slot, User
from annotate.services import flow, slots
from annotate.services.adjudicating.table import Table, label_of, table_of
from annotate.services.comparing import changed_fields
from annotate.services.errors import Refused
from annotate.services.notifying import notify
from annotate.services.reviewing.decisions import Decision, Reason, dropping, finish, given, returning
from annotate.services.reviewing.settling import pin, still_member, take
from annotate.services.submitting import checked


def accept(*, review: Annotation, token: uuid.UUID, by: User, note: str = "") -> Item:
    """The adjudicator's text is the item's: one of the candidates as it was, or their own.

    Raises Refused while a field that people disagree about is not decided, and without a note where the text
    overrules everybody; LeaseLost, WrongState, NotReady.
    """
    item, table = _subject(review)
    if open_fields := table.undecided(review):
        labels = ", ".join(map(label_of, open_fields))
        raise Refused(
            _("Decide these fields first, by a click on a text or by writing one: %(fields)s.") % {"fields": labels}
        )
    draft = checked(item.project.kind, item.facts, review.draft, item.project.kind_options)
    if (table.overruled(draft) or table.overrules("accepted", draft)) and not note.strip():
        raise Refused(_("You overrule everybody: say why in the note."))
    adopted = next(
        (
            candidate.annotation
            for candidate in table.candidates
            if not changed_fields(table.fields, candidate.draft, draft)
        ),
        None,
    )
    decided = Decision(draft, "accepted" if adopted else "fixed", authored=adopted is None, note=note)
    with transaction.atomic():
        finish(review, token, decided)
        take(item, adopted or review, by=by, note=note)
        _tell(item, table, item.state, by=by, note=note)
    return item


def send_back(*, review: Annotation, token: uuid.UUID, by: User, reasons: Sequence[Reason]) -> Item:
    """Another round, first for those who wrote, with the reasons pinned to their fields.

    Raises Refused without a reason; LeaseLost, WrongState.
    """
    decided = returning(review.draft, given(reasons))
    item, table = _subject(review)
    with transaction.atomic():
        finish(review, token, decided)
        pin(item, table.about, review)
        flow.move(item, "returned", by=by, base=table.about, annotation=review, note=decided.note)
        writers = [still_member(item, annotation) for annotation in table.written]
        slots.open_annotating(item, item.project, reserved_for=writers)
        _tell(item, table, "returned", by=by, note=decided.note)
    return item


def drop(*, review: Annotation, token: uuid.UUID, by: User, reason: str, note: str = "") -> Item:
    """The item leaves the dataset; a lead can restore it.

    Raises Refused without a known reason, or without a note where nobody else would drop it; LeaseLost, WrongState.
    """
    decided = dropping(review.draft, reason, note)
    item, table = _subject(review)
    if table.overrules("dropped") and not note.strip():
        raise Refused(_("You overrule everybody: say why in the note."))
    with transaction.atomic():
        finish(review, token, decided)
        flow.move(item, "dropped", by=by, drop_reason=reason, base=table.about, annotation=review, note=note)
        _tell(item, table, "dropped", by=by, note=note)
    return item


def _subject(review: Annotation) -> tuple[Item, Table]:
    assert review.slot_id is not None
    slot = Slot.objects.select_related("about__author", "about__slot").get(pk=review.slot_id)
    item = Item.objects.select_related("project").get(pk=review.item_id)
    return item, table_of(slot, item)


def _tell(item: Item, table: Table, event: str, *, by: User, note: str) -> None:
    """Everybody who wrote or decided hears what became of it, once."""
    for person in {annotation.author for annotation in (*table.written, *table.decisions) if annotation.author}:
        notify(person, item, event, by=by, note=note)
