"""An item's history: who wrote which text from which, and what happened to it. Nothing here writes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol, TypeVar

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from annotate import hidden_checks
from annotate.hidden_checks import SeenEvent, SeenSlot
from annotate.items.compare import FieldVersions, Version, compare
from annotate.items.drafts import candidate, text_of
from annotate.kinds.contract import Kind
from annotate.kinds.values import Field
from annotate.models import Annotation, Item, Member, Skip, Slot

EVENTS_PER_PAGE = 50


class WorkSlot(Protocol):
    @property
    def stage(self) -> str: ...
    @property
    def round(self) -> int: ...
    @property
    def about_id(self) -> int | None: ...


class WrittenText(Protocol):
    """An annotation as far as it says who wrote what from what: an instance, or values that were read for many."""

    @property
    def pk(self) -> int: ...
    @property
    def slot(self) -> WorkSlot | None: ...
    @property
    def draft(self) -> Any: ...
    @property
    def schema(self) -> int: ...
    @property
    def candidates(self) -> Any: ...
    @property
    def picked(self) -> int | None: ...
    @property
    def authored(self) -> bool: ...
    @property
    def suggestion_id(self) -> int | None: ...
    @property
    def by_machine(self) -> bool: ...
    @property
    def created_at(self) -> Any: ...
    @property
    def submitted_at(self) -> Any: ...


AnyText = TypeVar("AnyText", bound=WrittenText)


@dataclass(frozen=True)
class Chapter:
    """One annotation compared with the one it was written from: `fields` through both, oldest first.

    candidates: label and text of the suggestion's candidates.
    """

    annotation: Annotation
    before: Annotation | None
    fields: Sequence[FieldVersions]
    candidates: Sequence[tuple[str, str]] = ()

    @property
    def changed(self) -> list[FieldVersions]:
        return [field for field in self.fields if field.changed]

    @property
    def filled(self) -> list[FieldVersions]:
        return [field for field in self.fields if not field.blank]

    @property
    def round(self) -> int | None:
        return self.annotation.slot.round if self.annotation.slot else None


@dataclass(frozen=True)
class ItemHistory:
    """All that a person may know about an item's past."""

    chapters: Sequence[Chapter]
    events: Sequence[SeenEvent]
    slots: Sequence[SeenSlot]
    skips: Sequence[Skip]


def history_of(item: Item, *, kind: Kind, seen_by: Member) -> ItemHistory:
    """The part of the history that this member may see: no other person's drafts, and for annotators no other person's
    work.

    Nobody sees work of others that somebody still has to do independently. Machine suggestions are hidden from people
    who work on the item blind.
    """
    slots = list(Slot.objects.filter(item_id=item.pk).select_related("holder", "reserved_for").order_by("id"))
    annotations = [annotation for annotation in _annotations(item, seen_by) if not _veiled(annotation, slots, seen_by)]
    readers = seen_by.role != Member.Role.ANNOTATOR
    return ItemHistory(
        chapters=chapters(item, annotations, kind),
        events=hidden_checks.events(item.events.shown_to(seen_by.user).select_related("actor"), item, seen_by),
        slots=hidden_checks.slots(slots, item, seen_by),
        skips=list(item.skips.select_related("person")) if readers else [],
    )


def standing(base_id: int | None, history: ItemHistory) -> Chapter | None:
    """The item's current text, if it is in this history; else the last suggestion.

    base_id: the annotation on which the item stands, as this person sees it.
    """
    based = [chapter for chapter in history.chapters if chapter.annotation.pk == base_id]
    suggested = [chapter for chapter in history.chapters if chapter.annotation.by_machine]
    candidates = based or ([] if base_id else suggested)
    return candidates[-1] if candidates else None


def _annotations(item: Item, member: Member) -> QuerySet[Annotation]:
    annotations = Annotation.objects.filter(item_id=item.pk).shown_to(member.user).select_related("author", "slot")
    is_author = Q(author=member.user)
    if member.role != Member.Role.ANNOTATOR:
        return annotations.filter(is_author | Q(author=None) | Q(submitted_at__isnull=False))
    shown_to_me = Annotation.objects.filter(item_id=item.pk, author=member.user).values("suggestion")
    about_mine = Q(slot__about__author=member.user, submitted_at__isnull=False)
    return annotations.filter(is_author | about_mine | Q(pk__in=shown_to_me))


def _veiled(annotation: Annotation, slots: Sequence[Slot], member: Member) -> bool:
    blind = any(slot.blind and slot.state == "held" and slot.holder_id == member.user_id for slot in slots)
    return blind and annotation.by_machine


def chapters(item: Item, annotations: Sequence[Annotation], kind: Kind) -> list[Chapter]:
    """Each annotation with what it changed, in the order of submission (drafts last)."""
    facts = kind.read_facts(item.facts)
    fields = kind.fields(facts)
    in_order = sorted(annotations, key=_place)
    chapter_list = []
    for index, annotation in enumerate(in_order):
        origin = written_from(annotation, in_order[:index])
        candidates = [
            (stored_candidate["label"], text_of(kind, facts, stored_candidate["draft"]))
            for stored_candidate in annotation.candidates
        ]
        chapter_list.append(Chapter(annotation, origin, _compared(kind, fields, origin, annotation), candidates))
    return chapter_list


def _place(annotation: Annotation) -> tuple[bool, datetime, int]:
    unfinished = annotation.submitted_at is None and annotation.author_id is not None
    return unfinished, annotation.submitted_at or annotation.created_at, annotation.pk


def _compared(kind: Kind, fields: Sequence[Field], origin: Annotation | None, now: Annotation) -> list[FieldVersions]:
    versions = [version(kind, annotation, with_round=origin is not None) for annotation in (origin, now) if annotation]
    if origin and origin.pk == now.suggestion_id:
        picked = candidate(origin, now.picked) or {}
        versions[0] = replace(versions[0], draft={**versions[0].draft, **picked})
    return compare(kind, fields, versions)


def written_from(annotation: AnyText, earlier: Sequence[AnyText]) -> AnyText | None:
    """The text that an annotation started from: the reviewed one, the text of the last round, or the suggestion."""
    if annotation.slot is None:
        return None
    annotation_by_id = {predecessor.pk: predecessor for predecessor in earlier}
    if annotation.slot.about_id:
        return annotation_by_id.get(annotation.slot.about_id)
    if annotation.slot.round > 1:
        texts = [
            predecessor
            for predecessor in earlier
            if predecessor.authored and predecessor.slot and predecessor.slot.round < annotation.slot.round
        ]
        if texts:
            return texts[-1]
    return annotation_by_id.get(annotation.suggestion_id or 0)


def version(kind: Kind, annotation: Annotation, *, with_round: bool = False) -> Version:
    """An annotation as the comparison needs it, in the current shape."""
    return Version(
        draft=current_draft(kind, annotation),
        label=name_of(annotation, with_round=with_round),
        who="machine" if annotation.by_machine else "person",
    )


def current_draft(kind: Kind, annotation: WrittenText) -> Mapping[str, Any]:
    return kind.upgrade(annotation.draft, annotation.schema)


def name_of(annotation: Annotation, *, with_round: bool = False) -> str:
    """The author of this text: the person (with the round, if requested), or the model with its prompt version."""
    if annotation.by_machine and annotation.prompt_version:
        return _("%(model)s, prompt %(version)s") % {
            "model": annotation.model,
            "version": annotation.prompt_version,
        }
    if with_round and annotation.slot:
        return _("%(name)s, round %(round)s") % {"name": annotation.by, "round": annotation.slot.round}
    return annotation.by
