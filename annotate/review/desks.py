"""Reviews and adjudications as their pages show them. Nothing here writes.

A review shows the texts in order, and the changes field by field. An adjudication shows the candidates side by side.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from django.db.models import Q

from annotate.items import comments, slots
from annotate.items.compare import FieldVersions, Version, changed_fields, compare
from annotate.items.drafts import suggested_draft
from annotate.items.history import current_draft, name_of, version
from annotate.kinds.values import Field
from annotate.models import Annotation, Comment, Item, Member, Slot
from annotate.review import decisions
from annotate.review.adjudication import AdjudicationTable, CandidateText, Group, label_of, same_in, table_of
from annotate.work.desk import Desk

OPEN, MINE, THEIRS, DECIDED, SEALED, CLOSED = "open", "mine", "theirs", "decided", "sealed", "closed"


@dataclass(frozen=True)
class ReviewPoint:
    """One field under review. state: fixed | changed | kept | written | empty."""

    compared: FieldVersions
    state: str
    threads: Sequence[Comment]

    @property
    def name(self) -> str:
        return self.compared.field.name

    @property
    def to_read(self) -> bool:
        """Whether it is shown open: a person changed it, wrote it, or commented on it."""
        return self.state in ("fixed", "changed", "written") or bool(self.open_threads)

    @property
    def open_threads(self) -> list[Comment]:
        return [thread for thread in self.threads if thread.resolved_at is None]


@dataclass
class ReviewDesk(Desk):
    """A review that a person holds, looks at, or has decided. `annotation` is the reviewer's own text in it.

    Before anybody takes it up that text is the annotation under review, unsaved.
    """

    about: Annotation
    earlier: Sequence[Annotation] = field(default_factory=list)

    @property
    def mode(self) -> str:
        """open (to be taken up), mine, theirs (somebody else holds it), decided, sealed, or closed (the item moved on).

        sealed: it is decided, and this person must not know how while they may still decide about the item themselves.
        """
        if self.slot.state == Slot.State.OPEN:
            return OPEN
        if self.is_held:
            return MINE
        if self.slot.state == Slot.State.HELD:
            return THEIRS
        if self.slot.state != Slot.State.SUBMITTED:
            return CLOSED
        return SEALED if self.annotation._state.adding else DECIDED

    @cached_property
    def is_shared(self) -> bool:
        """Whether two people review the same text independently."""
        return slots.is_shared(self.slot)

    @property
    def adjudicates(self) -> bool:
        """Whether this is an adjudication: people have decided differently, and this decision is final."""
        return False

    @property
    def next_round(self) -> int:
        return self.item.round + 1

    @property
    def edited(self) -> bool:
        return bool(self.edited_fields)

    def decided_after(self, draft: dict[str, Any]) -> list[str]:
        """The fields that are decided once this text is saved; a review of one annotation leaves none to decide."""
        return []

    def act(self, draft: dict[str, Any], decided: list[str], action: str) -> tuple[dict[str, Any], list[str]] | None:
        """Draft and decided fields after one of this desk's own buttons; None for those of the form."""
        return None

    @cached_property
    def edited_fields(self) -> list[str]:
        """Names of the fields in which the reviewer's text differs from the annotation."""
        return changed_fields(self.kind.fields(self.facts), current_draft(self.kind, self.about), self.draft)

    @cached_property
    def passes_on(self) -> bool:
        """Whether the reviewer's text goes to others, who judge it, where it would have been accepted."""
        return decisions.passes_on(self.kind, self.about, self.annotation)

    @cached_property
    def threads(self) -> list[Comment]:
        return comments.threads(self.item, seen_by=self.member.user)

    @cached_property
    def versions(self) -> list[Version]:
        """Suggestion, texts of earlier rounds, the annotation, and the reviewer's own text where it differs."""
        annotations = [*self.earlier, self.about]
        texts = [version(self.kind, annotation, with_round=self.slot.round > 1) for annotation in annotations]
        if self.about.suggestion:  # with the candidate in it that the annotator picked
            suggested = version(self.kind, self.about.suggestion, with_round=self.slot.round > 1)
            texts.insert(0, replace(suggested, draft=suggested_draft(self.about)))
        if self.edited:
            texts.append(Version(self.draft, name_of(self.annotation)))
        return texts

    @cached_property
    def points(self) -> list[ReviewPoint]:
        compared_fields = compare(self.kind, self.kind.fields(self.facts), self.versions)
        return [self._point(compared) for compared in compared_fields]

    def _point(self, compared: FieldVersions) -> ReviewPoint:
        pinned = [thread for thread in self.threads if thread.field == compared.field.name]
        return ReviewPoint(compared, self._state(compared), pinned)

    def _state(self, compared: FieldVersions) -> str:
        if self.edited and compared.last.changed:
            return "fixed"
        if compared.changed:
            return "changed"
        if compared.blank:
            return "empty"
        return "kept" if self.about.suggestion else "written"

    @property
    def to_read(self) -> list[ReviewPoint]:
        return [point for point in self.points if point.to_read]

    @property
    def folded(self) -> list[ReviewPoint]:
        return [point for point in self.points if not point.to_read]


def review_desk(member: Member, slot_id: int) -> ReviewDesk | None:
    """The review in that slot of the project; None if there is none, or if its author may not be its reviewer."""
    reviews = Slot.objects.filter(pk=slot_id, project_id=member.project_id, stage=Slot.Stage.REVIEW)
    slot = reviews.select_related("item", "holder", "about__author", "about__slot", "about__suggestion").first()
    if slot is None or slot.about is None:
        return None
    slot.item.project = slot.project = member.project
    return ReviewDesk(
        member=member,
        slot=slot,
        item=slot.item,
        annotation=text_in(slot, member, start=slot.about.draft),
        about=slot.about,
        earlier=_earlier(slot) if slot.round > 1 else [],
    )


def text_in(slot: Slot, member: Member, *, start: Mapping[str, Any]) -> Annotation:
    """The decider's text if this person may see it, or this person's own draft; else `start`, unsaved."""
    decided = Q(submitted_at__isnull=False) if slot.state == Slot.State.SUBMITTED else Q(author=member.user)
    texts = Annotation.objects.shown_to(member.user)
    text = texts.filter(decided, slot=slot).select_related("author").first()
    return text or Annotation(item_id=slot.item_id, slot=slot, author=member.user, draft=dict(start))


def _earlier(slot: Slot) -> list[Annotation]:
    """The text of the round before this one, to which this round answers."""
    authored = Annotation.objects.filter(item_id=slot.item_id, authored=True, slot__round__lt=slot.round)
    return list(authored.select_related("author", "slot").order_by("-slot__round", "-submitted_at")[:1])


def item_text(item: Item) -> dict[str, object]:
    """The item's current text, for a person who lost a race."""
    now = Item.objects.select_related("base").get(pk=item.pk)
    return dict(now.base.draft) if now.base else {}


# The adjudication desk: candidates side by side, field by field.


AGREED, DISPUTED, ADOPTED, OVERRULED = "agreed", "disputed", "adopted", "overruled"


@dataclass(frozen=True)
class Card:
    """One value of a choice with all candidates that have it. no: the first candidate's number, used to adopt it.

    compared: its fields, one after the other.
    """

    no: int
    labels: Sequence[str]
    compared: Sequence[FieldVersions]
    chosen: bool


@dataclass(frozen=True)
class FieldChoice:
    """One field, or several that one control of the form decides.

    state: agreed, disputed (nobody has decided), adopted, overruled (the text is nobody's candidate).
    own: the adjudicator's value, compared with the first card where the two differ.
    """

    fields: Group
    state: str
    cards: Sequence[Card]
    own: Sequence[FieldVersions]
    threads: Sequence[Comment]

    @property
    def name(self) -> str:
        return self.fields[0].name

    @property
    def label(self) -> str:
        return label_of(self.fields)

    @property
    def folded(self) -> bool:
        return self.state == AGREED

    @property
    def open_threads(self) -> list[Comment]:
        return [thread for thread in self.threads if thread.resolved_at is None]


@dataclass
class AdjudicationDesk(ReviewDesk):
    """A disagreement, decided by a person who had no part in it. `annotation`: the adjudicator's own text."""

    table: AdjudicationTable = field(kw_only=True)

    @property
    def adjudicates(self) -> bool:
        return True

    @property
    def candidates(self) -> Sequence[CandidateText]:
        return self.table.candidates

    @property
    def undecided(self) -> list[list[Field]]:
        return self.table.undecided(self.annotation)

    @cached_property
    def overruled(self) -> list[list[Field]]:
        return [group for group in self.table.overruled(self.draft) if group not in self.undecided]

    @cached_property
    def choices(self) -> list[FieldChoice]:
        return [self._choice(group) for group in self.table.groups]

    @property
    def open_choices(self) -> list[FieldChoice]:
        return [choice for choice in self.choices if not choice.folded]

    @property
    def agreed(self) -> list[FieldChoice]:
        return [choice for choice in self.choices if choice.folded]

    def _choice(self, group: Group) -> FieldChoice:
        names = {field.name for field in group}
        pinned = [thread for thread in self.threads if thread.field in names]
        return FieldChoice(group, self._state_of(group), self._cards(group), self._own(group), pinned)

    def _state_of(self, group: Group) -> str:
        if group in self.undecided:
            return DISPUTED
        if group in self.overruled:
            return OVERRULED
        return ADOPTED if group[0] in self.table.disputed else AGREED

    def _cards(self, fields: Group) -> list[Card]:
        """Equal values are one card."""
        groups: list[list[CandidateText]] = []
        for candidate in self.candidates:
            same = next((group for group in groups if same_in(fields, group[0].draft, candidate.draft)), None)
            if same is None:
                groups.append([candidate])
            else:
                same.append(candidate)
        decided = all(field.name in self.annotation.decided for field in fields)
        return [
            Card(
                no=group[0].no,
                labels=[member.label for member in group],
                compared=compare(self.kind, fields, [Version(group[0].draft, group[0].label)]),
                chosen=decided and same_in(fields, group[0].draft, self.draft),
            )
            for group in groups
        ]

    def _own(self, group: Group) -> list[FieldVersions]:
        first_candidate = self.candidates[0]
        own_version = Version(self.draft, str(self.annotation.by))
        return compare(self.kind, group, [Version(first_candidate.draft, first_candidate.label), own_version])

    def decided_after(self, draft: dict[str, Any]) -> list[str]:
        """The decided fields once this text is saved: a field that was written by hand is decided too."""
        changed = changed_fields(self.table.fields, self.draft, draft)
        touched = [group for group in self.table.groups if any(field.name in changed for field in group)]
        written = [field.name for group in touched for field in group]
        return [*self.annotation.decided, *(name for name in written if name not in self.annotation.decided)]

    def act(self, draft: dict[str, Any], decided: list[str], action: str) -> tuple[dict[str, Any], list[str]] | None:
        """Draft and decided fields after a candidate was adopted, or a choice taken back; None for other buttons.

        action: `take:all:2`, `take:feedback:2`, `reset:feedback`; what names no field or no candidate changes nothing.
        """
        verb, _colon, rest = action.partition(":")
        name, _colon, no = rest.partition(":")
        groups = [group for group in self.table.groups if name == "all" or any(field.name == name for field in group)]
        names = [field.name for group in groups for field in group]
        if verb == "reset":
            return self._put(draft, names, self.table.start()), [
                field_name for field_name in decided if field_name not in names
            ]
        if verb != "take":
            return None
        candidate = next((candidate for candidate in self.candidates if str(candidate.no) == no), None)
        if candidate is None:
            return draft, decided
        return self._put(draft, names, candidate.draft), [
            *decided,
            *(field_name for field_name in names if field_name not in decided),
        ]

    @staticmethod
    def _put(draft: dict[str, Any], names: Sequence[str], source: Any) -> dict[str, Any]:
        other_values = {name: value for name, value in draft.items() if name not in names}
        return other_values | {name: source[name] for name in names if name in source}


def adjudication_desk(member: Member, slot_id: int) -> AdjudicationDesk | None:
    """The adjudication in that slot of the project; None if there is none."""
    slot_query = Slot.objects.filter(pk=slot_id, project_id=member.project_id, stage=Slot.Stage.ADJUDICATE)
    slot = slot_query.select_related("item", "holder", "about__author", "about__slot", "about__suggestion").first()
    if slot is None:
        return None
    slot.item.project = slot.project = member.project
    table = table_of(slot, slot.item)
    if not table.candidates:
        return None  # taken back in this moment
    about = slot.about or table.written[0]
    text = text_in(slot, member, start=table.start())
    return AdjudicationDesk(member=member, slot=slot, item=slot.item, annotation=text, about=about, table=table)


# Either desk: a review of one text, or an adjudication between several.


def desk_of(member: Member, slot_id: int) -> ReviewDesk | None:
    """The review or adjudication in that slot of the project; None if there is none."""
    return review_desk(member, slot_id) or adjudication_desk(member, slot_id)
