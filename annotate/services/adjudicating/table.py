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
        texts = [(self._written_as(at), one) for at, one in enumerate(self.written, start=1)]
        fixes = [one for one in enumerate(self.decisions, start=1) if one[1].outcome == Annotation.Outcome.FIXED]
        texts += [(_("Reviewer %(n)d") % {"n": at}, one) for at, one in fixes]
        return [
            Candidate(no, label, one, self.kind.upgrade(one.draft, one.schema))
            for no, (label, one) in enumerate(texts, start=1)
        ]

    def _written_as(self, at: int) -> str:
        return _("Annotator %(n)d") % {"n": at} if self.about is None else _("Annotator")

    @cached_property
    def disputed(self) -> list[Field]:
        """The fields in which not all candidates say the same; what people may write freely counts here too.

        Of those that one control decides, all are disputed where one of them is.
        """
        drafts = [one.draft for one in self.candidates]
        disputed = [group for group in self.groups if not all(agree_in(one, drafts) for one in group)]
        return [one for group in disputed for one in group]

    def start(self) -> dict[str, Any]:
        """What the adjudicator begins with: what all say; nothing where they differ."""
        first, empty = dict(self.candidates[0].draft), self.kind.empty_draft(self.facts)
        for one in self.disputed:
            first.pop(one.name, None)
            if one.name in empty:
                first[one.name] = empty[one.name]
        return first

    def undecided(self, text: Annotation) -> list[list[Field]]:
        """Disputed fields for which nobody has chosen or written anything yet, in their groups."""
        disputed = [group for group in self.groups if group[0] in self.disputed]
        return [group for group in disputed if any(one.name not in text.decided for one in group)]

    def adopted(self, group: Group, draft: Mapping[str, Any]) -> list[Candidate]:
        """The candidates that say the same as the draft in all these fields."""
        return [one for one in self.candidates if same_in(group, one.draft, draft)]

    def overruled(self, draft: Mapping[str, Any]) -> list[list[Field]]:
        """The groups of fields in which the draft says what no candidate says."""
        return [group for group in self.groups if not self.adopted(group, draft)]

    def overrules(self, outcome: str, draft: Mapping[str, Any] | None = None) -> bool:
        """Whether nobody has decided so. outcome: accepted (of this draft) or dropped."""
        drops = outcome == "dropped" or (draft is not None and self.kind.unsuitable(self.kind.read_draft(draft)))
        if not self.decisions:
            return drops and not any(one.outcome == Annotation.Outcome.UNSUITABLE for one in self.written)
        if outcome == "dropped":
            return not any(one.outcome == Annotation.Outcome.DROPPED for one in self.decisions)
        return not any(one.outcome in ACCEPTING for one in self.decisions)


def same_in(group: Group, left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    return all(agree_in(one, [left, right]) for one in group)


def label_of(group: Group) -> str:
    return " / ".join(str(one.label) for one in group)


def table_of(slot: Slot, item: Item) -> Table:
    """What the people of this round have handed in."""
    kind = item.project.kind
    beside = Annotation.objects.filter(
        slot__item=item, slot__round=slot.round, submitted_at__isnull=False, author__isnull=False
    )
    in_order = list(beside.select_related("author", "slot").order_by("submitted_at", "pk"))
    return Table(
        kind=kind,
        facts=kind.read_facts(kind.upgrade(item.facts, item.schema)),
        about=slot.about,
        written=[slot.about] if slot.about else [one for one in in_order if _is(one, Slot.Stage.ANNOTATE)],
        decisions=[one for one in in_order if slot.about and _is(one, Slot.Stage.REVIEW)],
    )


def _is(annotation: Annotation, stage: str) -> bool:
    return annotation.slot is not None and annotation.slot.stage == stage
