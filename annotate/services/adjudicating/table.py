"""What lies on the table when people disagree: their texts, their decisions, and where they differ. Nothing writes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from annotate.kinds.agreeing import agree_in
from annotate.kinds.base import Kind
from annotate.kinds.values import Field, in_groups
from annotate.models import Annotation, Item, Slot

Group = Sequence[Field]  # what one choice decides: mostly a single field
ACCEPTING = (Annotation.Outcome.ACCEPTED, Annotation.Outcome.FIXED)


@dataclass(frozen=True)
class Candidate:
    """One text to choose; nobody's name stands beside it. no: the number by which buttons and keys name it."""

    no: int
    label: str
    annotation: Annotation
    draft: Mapping[str, Any]


@dataclass(frozen=True)
class Table:
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
    def candidates(self) -> list[Candidate]:
        """What was written, and what reviewers made of it."""
        texts = [(self._written_as(number), text) for number, text in enumerate(self.written, start=1)]
        fixes = [pair for pair in enumerate(self.decisions, start=1) if pair[1].outcome == Annotation.Outcome.FIXED]
        texts += [(_("Reviewer %(n)d") % {"n": number}, decision) for number, decision in fixes]
        return [
            Candidate(no, label, text, self.kind.upgrade(text.draft, text.schema))
            for no, (label, text) in enumerate(texts, start=1)
        ]

    def _written_as(self, number: int) -> str:
        return _("Annotator %(n)d") % {"n": number} if self.about is None else _("Annotator")

    @cached_property
    def disputed(self) -> list[Field]:
        """The fields in which not all candidates say the same; what people may write freely counts here too.

        Of those that one control decides, all are disputed where one of them is.
        """
        drafts = [candidate.draft for candidate in self.candidates]
        disputed = [group for group in self.groups if not all(agree_in(field, drafts) for field in group)]
        return [field for group in disputed for field in group]

    def start(self) -> dict[str, Any]:
        """What the adjudicator begins with: what all say; nothing where they differ."""
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

    def adopted(self, group: Group, draft: Mapping[str, Any]) -> list[Candidate]:
        """The candidates that say the same as the draft in all these fields."""
        return [candidate for candidate in self.candidates if same_in(group, candidate.draft, draft)]

    def overruled(self, draft: Mapping[str, Any]) -> list[list[Field]]:
        """The groups of fields in which the draft says what no candidate says."""
        return [group for group in self.groups if not self.adopted(group, draft)]

    def overrules(self, outcome: str, draft: Mapping[str, Any] | None = None) -> bool:
        """Whether nobody has decided so. outcome: accepted (of this draft) or dropped."""
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


def table_of(slot: Slot, item: Item) -> Table:
    """What the people of this round have handed in."""
    kind = item.project.kind
    round_texts = Annotation.objects.filter(
        slot__item=item, slot__round=slot.round, submitted_at__isnull=False, author__isnull=False
    )
    in_order = list(round_texts.select_related("author", "slot").order_by("submitted_at", "pk"))
    return Table(
        kind=kind,
        facts=kind.read_facts(kind.upgrade(item.facts, item.schema)),
        about=slot.about,
        written=[slot.about] if slot.about else [text for text in in_order if _is(text, Slot.Stage.ANNOTATE)],
        decisions=[text for text in in_order if slot.about and _is(text, Slot.Stage.REVIEW)],
    )


def _is(annotation: Annotation, stage: str) -> bool:
    return annotation.slot is not None and annotation.slot.stage == stage
