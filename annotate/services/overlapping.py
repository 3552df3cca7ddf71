"""Items on which several people write independently: nothing moves until the last of them has handed in."""

from collections.abc import Sequence

from annotate.models import Annotation, Item, Slot, User
from annotate.models.work import SlotQuerySet
from annotate.services import flow, slots
from annotate.services.notifying import notify


def handed_in(item: Item, annotation: Annotation, *, by: User) -> None:
    """One of them is done; inside the transaction in which the item is locked.

    When all are: where they agree, or were asked for opinions, the first text is the item's and stands for all; where
    they do not, somebody who has not written on it decides between them. Raises WrongState if the item was moved
    meanwhile.
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
    """What was handed in in these slots, the first first."""
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
    """Nobody in particular has decided: it is the agreement that did. Nobody's opinion was accepted by anybody."""
    first_text = texts[0]
    if first_text.outcome == Annotation.Outcome.UNSUITABLE:
        flow.move(item, "dropped", by=None, drop_reason="unsuitable", base=first_text, annotation=first_text)
    else:
        flow.move(item, "accepted", by=None, base=first_text, annotation=first_text)
    authors = [text.author for text in texts if text.author != by]
    for author in [] if item.project.kind.opinions else authors:
        notify(author, item, item.state, by=None)
