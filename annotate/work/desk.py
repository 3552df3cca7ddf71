"""The annotator's desk: one person's work on one item, as the page shows it, and what its buttons do."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from annotate import hidden_checks
from annotate.errors import LeaseLost
from annotate.items import comments, drafts, leases, queue, slots
from annotate.items.compare import changed_fields
from annotate.items.flow import refuse_withdrawn
from annotate.kinds.contract import Kind
from annotate.kinds.shapes import Finding
from annotate.kinds.values import BadShape, Field
from annotate.models import Annotation, Comment, Item, Member, Project, SetAside, Slot
from annotate.prepared import prepared
from annotate.readiness.checks import next_slot
from annotate.work import field_states


@dataclass
class Desk:
    """An annotation slot that a person holds, has held or has submitted, with their text in it."""

    member: Member
    slot: Slot
    item: Item
    annotation: Annotation
    newest: int | None = field(default=None, kw_only=True)  # the last suggestion of the item

    @property
    def project(self) -> Project:
        return self.member.project

    @property
    def kind(self) -> Kind:
        return self.project.kind

    @cached_property
    def facts(self) -> Any:
        return self.kind.read_facts(self.item.facts)

    @property
    def draft(self) -> dict[str, Any]:
        return self.annotation.draft

    @property
    def suggested(self) -> Mapping[str, Any]:
        return drafts.suggested_draft(self.annotation)

    @cached_property
    def newer(self) -> Annotation | None:
        """A suggestion that was made after the one on screen, if this person may see it."""
        return drafts.newer_than(self.annotation, self.newest) if self.is_held and not self.slot.blind else None

    @cached_property
    def checks(self) -> tuple[list[Finding], list[Finding]]:
        """(problems, doubts) of the draft as it is now."""
        return field_states.checks(self.kind, self.facts, self.draft, self.project.kind_options)

    @property
    def is_held(self) -> bool:
        return self.slot.state == Slot.State.HELD and self.slot.holder_id == self.member.user_id

    @property
    def is_submitted(self) -> bool:
        return self.annotation.submitted_at is not None

    @property
    def seconds_left(self) -> int:
        until = self.slot.lease_until if self.is_held else None
        return max(0, int((until - timezone.now()).total_seconds())) if until else 0

    @property
    def minutes_left(self) -> int:
        return -(-self.seconds_left // 60)

    @property
    def lease_percent(self) -> int:
        return min(100, self.seconds_left * 100 // (60 * self.project.lease_minutes))

    @property
    def is_unsuitable(self) -> bool:
        try:
            return self.kind.unsuitable(self.kind.read_draft(self.draft))
        except BadShape:
            return False

    @property
    def untouched(self) -> bool:
        """The model's draft is unchanged and no field was confirmed; False if the person calls the item unsuitable."""
        if self.is_unsuitable or not drafts.is_unchanged(self.annotation, self.draft):
            return False
        return not set(self.suggested) <= set(self.annotation.decided)

    @cached_property
    def unconfirmed(self) -> list[Field]:
        """The fields that hold what the model suggested and that nobody has confirmed; none of an unsuitable item."""
        if self.is_unsuitable:
            return []
        suggested, decided = self.suggested, set(self.annotation.decided)
        return [
            field
            for field in self.kind.fields(self.facts)
            if suggested.get(field.name) is not None
            and self.draft.get(field.name) == suggested[field.name]
            and field.name not in decided
        ]

    @cached_property
    def unanswered(self) -> list[Comment]:
        """The comments with which this text was returned, until the author answers or changes something."""
        if self.slot.round == 1 or self.slot.own:
            return []
        start = drafts.start_of(self.annotation, self.item)
        if changed_fields(self.kind.fields(self.facts), start, self.draft):
            return []
        return comments.unanswered(self.item, by=self.member.user)


def desk(member: Member, slot_id: int) -> Desk | None:
    """This person's work in that slot of the project; None if they have never opened it."""
    annotation: Any = _own_text.first(slot=slot_id, project=member.project_id, author=member.user_id)
    if annotation is None:
        return None
    annotation.author, annotation.item.project, annotation.slot.project = member.user, member.project, member.project
    return Desk(
        member=member, slot=annotation.slot, item=annotation.item, annotation=annotation, newest=annotation.newest
    )


@prepared
def _own_text(slot: int, project: int, author: int) -> QuerySet[Annotation]:
    """With the number of its item's newest suggestion."""
    suggestions = Annotation.objects.filter(item=OuterRef("item")).exclude(model="").order_by("-id")
    annotations = Annotation.objects.annotate(newest=Subquery(suggestions.values("pk")[:1]))
    annotations = annotations.filter(slot__project_id=project, slot__stage=Slot.Stage.ANNOTATE)
    return annotations.select_related("slot", "item", "suggestion").filter(slot__pk=slot, author=author)


def open_next(member: Member) -> Slot | None:
    """Claim the next slot and open the draft in it; None when there is nothing (see progress.why_empty)."""
    slot = next_slot(member)
    if slot is None and _may_go_on(member) and queue.add(member.project):
        slot = next_slot(member)
    if slot:
        _open(slot, member)
    return slot


def _may_go_on(member: Member) -> bool:
    if member.project.paused or member.paused_at is not None or hidden_checks.must_calibrate(member):
        return False
    return not queue.reached_limit(member)


def take_up(member: Member, slot_id: int) -> Slot | None:
    """Claim this same slot again to continue a draft; None if it is not available."""
    if member.project.paused or member.paused_at is not None or queue.reached_limit(member):
        return None
    stage = Slot.objects.filter(pk=slot_id, project_id=member.project_id, stage=Slot.Stage.ANNOTATE)
    if hidden_checks.must_calibrate(member):
        stage = stage.filter(item__purpose=Item.Purpose.CALIBRATION)
    slot = stage.held_by(member.user).first() or (queue.claim(slot_id, member) if stage.exists() else None)
    if slot:
        _open(slot, member)
    return slot


def _open(slot: Slot, member: Member) -> Annotation:
    return drafts.open_draft(slot, author=member.user, item=slot.item, project=member.project)


def keep_lease(desk: Desk, token: uuid.UUID) -> bool:
    """Heartbeat: the lease is renewed once a fifth of it is over. Returns False if the lease is lost."""
    if not desk.is_held or desk.slot.token != token:
        return False
    if desk.seconds_left > 48 * desk.project.lease_minutes:
        return True
    try:
        desk.slot.lease_until = leases.extend(desk.slot, token)
    except LeaseLost:
        return False
    return True


def back_from_skip(member: Member, slot_id: int) -> Slot | None:
    """Undo a skip: the item is this person's again, if nobody has taken it meanwhile."""
    return leases.unskip(slot_id, member, lambda: take_up(member, slot_id))


def last_submitted(member: Member, before: Annotation | None = None) -> Annotation | None:
    """This person's last submission, or the last one before `before`; calibration answers are left out."""
    annotations = Annotation.objects.exclude(item__purpose=Item.Purpose.CALIBRATION).filter(
        author=member.user,
        slot__project_id=member.project_id,
        slot__stage=Slot.Stage.ANNOTATE,
        submitted_at__isnull=False,
    )
    if before is not None and before.submitted_at is not None:
        annotations = annotations.filter(submitted_at__lt=before.submitted_at)
    return annotations.order_by("-submitted_at").first()


def correctable(desk: Desk) -> bool:
    """Submitted, and nobody has taken it up: its author may still take it back."""
    if not desk.is_submitted or desk.slot.round != desk.item.round:
        return False
    if desk.slot.own:
        return desk.item.purpose != Item.Purpose.CALIBRATION
    return not slots.begun(slots.next_stage(desk.slot))


def loose_drafts(member: Member) -> list[Annotation]:
    """Texts this person wrote and never submitted, in slots they no longer hold; newest first."""
    annotations = Annotation.objects.filter(
        author=member.user, slot__project_id=member.project_id, submitted_at=None, revision__gt=0
    )
    elsewhere = ~Q(slot__state=Slot.State.HELD) | ~Q(slot__holder=member.user)
    return list(annotations.filter(elsewhere).select_related("slot", "item").order_by("-saved_at")[:200])


def texts_set_aside(member: Member) -> list[SetAside]:
    """Texts that lost against another window's, newest first."""
    set_aside_texts = SetAside.objects.filter(
        annotation__author=member.user, annotation__slot__project_id=member.project_id
    )
    return list(set_aside_texts.select_related("annotation__slot", "annotation__item")[:100])


def set_aside(annotation: Annotation, draft: dict[str, Any]) -> SetAside:
    """Keep a text that could not be saved over another one; the same text is kept once. Raises WrongState."""
    refuse_withdrawn(annotation.item_id)
    draft = drafts.without_nul(draft)
    for aside in annotation.set_aside.all()[:5]:
        if aside.draft == draft:
            return aside
    return SetAside.objects.create(annotation=annotation, draft=draft)


def swap(annotation: Annotation, aside: SetAside) -> Annotation:
    """Put the text that was set aside into the draft, and the draft's text aside. Raises StaleDraft."""
    new_draft, stored = aside.draft, annotation.draft
    with transaction.atomic():
        saved = drafts.save(annotation, new_draft, revision=annotation.revision, decided=annotation.decided)
        SetAside.objects.filter(pk=aside.pk).update(draft=stored)
    return saved
