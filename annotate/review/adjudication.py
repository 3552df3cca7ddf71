"""Adjudication: the texts and decisions of people who disagree, and the adjudicator's decision on the item.

An adjudicator had no part in the work. The database excludes everybody who has written on the item in any round or
has decided about it in this one: see SlotQuerySet.not_own_work. `review` is the adjudicator's own text in a slot that
they hold.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.errors import Refused
from annotate.items import flow, slots
from annotate.items.compare import changed_fields
from annotate.kinds.contract import Kind
from annotate.kinds.values import Field, agree_in, in_groups
from annotate.models import Annotation, Item, Slot, User
from annotate.notices.inbox import notify
from annotate.review.decisions import (
    Decision,
    Reason,
    dropping,
    finish,
    nonempty_reasons,
    pin,
    returning,
    still_member,
    take,
)
from annotate.work.submit import checked
from lib.texts.listing import listed

Group = Sequence[Field]  # the fields that one choice decides: mostly a single field
ACCEPTING = (Annotation.Outcome.ACCEPTED, Annotation.Outcome.FIXED)


@dataclass(frozen=True)
class CandidateText:
    """One text to choose, shown without its author's name. no: the number by which buttons and keys refer to it."""

    no: int
    label: str
    annotation: Annotation
    draft: Mapping[str, Any]


@dataclass(frozen=True)
class AdjudicationTable:
    """about: the text that was reviewed, None where several people wrote. decisions: of its reviewers."""

    kind: Kind
    facts: Any
    about: Annotation | None
    written: Sequence[Annotation]
    decisions: Sequence[Annotation]

    @cached_property
    def fields(self) -> Sequence[Field]:
        return self.kind.fields(self.facts)

    @cached_property
    def groups(self) -> list[list[Field]]:
        return in_groups(self.fields)

    @cached_property
    def candidates(self) -> list[CandidateText]:
        """The annotators' texts, and the reviewers' versions of them."""
        texts = [(self._written_as(number), text) for number, text in enumerate(self.written, start=1)]
        fixes = [pair for pair in enumerate(self.decisions, start=1) if pair[1].outcome == Annotation.Outcome.FIXED]
        texts += [(_("Reviewer %(n)d") % {"n": number}, decision) for number, decision in fixes]
        return [
            CandidateText(no, label, text, self.kind.upgrade(text.draft, text.schema))
            for no, (label, text) in enumerate(texts, start=1)
        ]

    def _written_as(self, number: int) -> str:
        return _("Annotator %(n)d") % {"n": number} if self.about is None else _("Annotator")

    @cached_property
    def disputed(self) -> list[Field]:
        """The fields in which the candidates differ; free-text fields count here too.

        If one field of a group that one control decides is disputed, the whole group is.
        """
        drafts = [candidate.draft for candidate in self.candidates]
        disputed = [group for group in self.groups if not all(agree_in(field, drafts) for field in group)]
        return [field for group in disputed for field in group]

    def start(self) -> dict[str, Any]:
        """The adjudicator's starting text: the values that all candidates share; other fields are empty."""
        draft, empty = dict(self.candidates[0].draft), self.kind.empty_draft(self.facts)
        for field in self.disputed:
            draft.pop(field.name, None)
            if field.name in empty:
                draft[field.name] = empty[field.name]
        return draft

    def undecided(self, text: Annotation) -> list[list[Field]]:
        """Disputed fields for which nobody has chosen or written anything yet, in their groups."""
        disputed = [group for group in self.groups if group[0] in self.disputed]
        return [group for group in disputed if any(field.name not in text.decided for field in group)]

    def adopted(self, group: Group, draft: Mapping[str, Any]) -> list[CandidateText]:
        """The candidates that say the same as the draft in all these fields."""
        return [candidate for candidate in self.candidates if same_in(group, candidate.draft, draft)]

    def overruled(self, draft: Mapping[str, Any]) -> list[list[Field]]:
        """The groups of fields in which the draft says what no candidate says, as a whole or in parts."""
        return [group for group in self.groups if not self.adopted(group, draft) and not self._joins(group, draft)]

    def _joins(self, group: Group, draft: Mapping[str, Any]) -> bool:
        """Whether the draft joins parts of several candidates, such as spans of each."""
        name = group[0].name
        question = self.kind.questions().get(name)
        answers = [candidate.draft.get(name) for candidate in self.candidates]
        return question is not None and question.made_of(draft.get(name), answers)

    def overrules(self, outcome: str, draft: Mapping[str, Any] | None = None) -> bool:
        """Whether this differs from everybody's decision. outcome: accepted (of this draft) or dropped."""
        drops = outcome == "dropped" or (draft is not None and self.kind.unsuitable(self.kind.read_draft(draft)))
        if not self.decisions:
            return drops and not any(text.outcome == Annotation.Outcome.UNSUITABLE for text in self.written)
        if outcome == "dropped":
            return not any(decision.outcome == Annotation.Outcome.DROPPED for decision in self.decisions)
        return not any(decision.outcome in ACCEPTING for decision in self.decisions)


def same_in(group: Group, left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    return all(agree_in(field, [left, right]) for field in group)


def label_of(group: Group) -> str:
    return " / ".join(str(field.label) for field in group)


def table_of(slot: Slot, item: Item) -> AdjudicationTable:
    """The texts and decisions that people have submitted in this round. Reads only."""
    kind = item.project.kind
    round_texts = Annotation.objects.filter(
        slot__item=item, slot__round=slot.round, submitted_at__isnull=False, author__isnull=False
    )
    in_order = list(round_texts.select_related("author", "slot").order_by("submitted_at", "pk"))
    return AdjudicationTable(
        kind=kind,
        facts=kind.read_facts(kind.upgrade(item.facts, item.schema)),
        about=slot.about,
        written=[slot.about] if slot.about else [text for text in in_order if _is(text, Slot.Stage.ANNOTATE)],
        decisions=[text for text in in_order if slot.about and _is(text, Slot.Stage.REVIEW)],
    )


def _is(annotation: Annotation, stage: str) -> bool:
    return annotation.slot is not None and annotation.slot.stage == stage


# The adjudicator's decisions: accept a text, send the item back, drop it.


def accept(*, review: Annotation, token: uuid.UUID, by: User, note: str = "") -> Item:
    """Accept the adjudicator's text for the item: one of the candidates unchanged, or their own.

    Raises Refused while a disputed field is undecided, and without a note where the text overrules everybody;
    LeaseLost, WrongState, NotReady.
    """
    item, table = _subject(review)
    if open_fields := table.undecided(review):
        labels = listed(map(label_of, open_fields))
        raise Refused(_("Decide these fields first: click a text or write one: %(fields)s.") % {"fields": labels})
    draft = checked(item.project.kind, item.facts, review.draft, item.project.kind_options)
    if (table.overruled(draft) or table.overrules("accepted", draft)) and not note.strip():
        raise Refused(_("You override everyone: say why in the note."))
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
    """Open another round, first for those who wrote, with the reasons pinned to their fields.

    Raises Refused without a reason; LeaseLost, WrongState.
    """
    decided = returning(review.draft, nonempty_reasons(reasons))
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
        raise Refused(_("You override everyone: say why in the note."))
    with transaction.atomic():
        finish(review, token, decided)
        flow.move(item, "dropped", by=by, drop_reason=reason, base=table.about, annotation=review, note=note)
        _tell(item, table, "dropped", by=by, note=note)
    return item


def _subject(review: Annotation) -> tuple[Item, AdjudicationTable]:
    assert review.slot_id is not None
    slot = Slot.objects.select_related("about__author", "about__slot").get(pk=review.slot_id)
    item = Item.objects.select_related("project").get(pk=review.item_id)
    return item, table_of(slot, item)


def _tell(item: Item, table: AdjudicationTable, event: str, *, by: User, note: str) -> None:
    """Notify everybody who wrote or decided about the outcome, once each."""
    for person in {annotation.author for annotation in (*table.written, *table.decisions) if annotation.author}:
        notify(person, item, event, by=by, note=note)
