"""One review as its page shows it: the texts in their order, and field by field what changed. Nothing here writes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from django.db.models import Q

from annotate.models import Annotation, Comment, Item, Member, Slot
from annotate.services import comments, reviewing, slots
from annotate.services.comparing import Compared, Version, changed_fields, compare
from annotate.services.items.history import current_draft, name_of, version
from annotate.services.suggesting import suggested_draft
from annotate.services.work import Desk

OPEN, MINE, THEIRS, DECIDED, SEALED, CLOSED = "open", "mine", "theirs", "decided", "sealed", "closed"


@dataclass(frozen=True)
class Point:
    """One field under review. state: fixed | changed | kept | written | empty."""

    compared: Compared
    state: str
    threads: Sequence[Comment]

    @property
    def name(self) -> str:
        return self.compared.field.name

    @property
    def to_read(self) -> bool:
        """Whether it stands open: somebody changed it, wrote it, or spoke about it."""
        return self.state in ("fixed", "changed", "written") or any(not thread.resolved_at for thread in self.threads)


@dataclass
class ReviewDesk(Desk):
    """A review that somebody holds, looks at, or has decided. `annotation` is the reviewer's own text in it.

    Before anybody takes it up that text is the annotation under review, unsaved.
    """

    about: Annotation
    earlier: Sequence[Annotation] = field(default_factory=list)

    @property
    def mode(self) -> str:
        """open (to be taken up), mine, theirs (somebody else holds it), decided, sealed, or closed (the item moved on).

        Sealed: it is decided, and this person must not know how while they may decide about the item themselves.
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
        """Whether somebody else reviews the same text, each without knowing of the other."""
        return slots.is_shared(self.slot)

    @property
    def adjudicates(self) -> bool:
        """Whether people have decided differently, and this is the last word."""
        return False

    @property
    def next_round(self) -> int:
        return self.item.round + 1

    @property
    def edited(self) -> bool:
        return bool(self.edited_fields)

    def decided_after(self, draft: dict[str, Any]) -> list[str]:
        """The fields that are decided once this text is saved; of one annotation nothing is left to decide."""
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
        return reviewing.passes_on(self.kind, self.about, self.annotation)

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
    def points(self) -> list[Point]:
        compared_fields = compare(self.kind, self.kind.fields(self.facts), self.versions)
        return [self._point(compared) for compared in compared_fields]

    def _point(self, compared: Compared) -> Point:
        pinned = [thread for thread in self.threads if thread.field == compared.field.name]
        return Point(compared, self._state(compared), pinned)

    def _state(self, compared: Compared) -> str:
        if self.edited and compared.last.changed:
            return "fixed"
        if compared.changed:
            return "changed"
        if compared.blank:
            return "empty"
        return "kept" if self.about.suggestion else "written"

    @property
    def to_read(self) -> list[Point]:
        return [point for point in self.points if point.to_read]

    @property
    def folded(self) -> list[Point]:
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
    """The text of whoever decided, if it may be seen, or this person's own draft; else `start`, unsaved."""
    decided = Q(submitted_at__isnull=False) if slot.state == Slot.State.SUBMITTED else Q(author=member.user)
    texts = Annotation.objects.shown_to(member.user)
    text = texts.filter(decided, slot=slot).select_related("author").first()
    return text or Annotation(item_id=slot.item_id, slot=slot, author=member.user, draft=dict(start))


def _earlier(slot: Slot) -> list[Annotation]:
    """The text of the round before this one, to which this round answers."""
    authored = Annotation.objects.filter(item_id=slot.item_id, authored=True, slot__round__lt=slot.round)
    return list(authored.select_related("author", "slot").order_by("-slot__round", "-submitted_at")[:1])


def item_text(item: Item) -> dict[str, object]:
    """The text the item stands on now, for somebody who lost a race."""
    now = Item.objects.select_related("base").get(pk=item.pk)
    return dict(now.base.draft) if now.base else {}
