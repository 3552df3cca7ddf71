"""Authorship of an item's text, along the chain of annotations from the suggestion to the final text. Nothing writes.

Texts are attributed by character, to whoever added each part first. Values that are chosen rather than written
(choices, flags, checklists) belong to the person who set them last.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any

from django.db.models import Q

from annotate.items.drafts import candidate
from annotate.items.history import AnyText, WrittenText, current_draft, written_from
from annotate.kinds.contract import Kind
from annotate.kinds.values import Field, agree_in
from annotate.models import Annotation, Item, Slot
from lib.texts.authorship import WrittenPart, attributed, characters, inked, shares

MODEL, ANNOTATOR, REVIEWER = ORIGINS = "model", "annotator", "reviewer"
BLANK: tuple[Any, ...] = (None, "", [])


@dataclass(frozen=True)
class FieldShare:
    """One written field: origin -> characters. parts: the text in reading order."""

    field: Field
    parts: Sequence[WrittenPart]

    @property
    def characters(self) -> dict[str, int]:
        return dict.fromkeys(ORIGINS, 0) | characters(self.parts)


@dataclass(frozen=True)
class Authorship:
    """texts: written fields that are not empty. values: (field, who set it last) for chosen values."""

    texts: Sequence[FieldShare]
    values: Sequence[tuple[Field, str]]

    @property
    def characters(self) -> dict[str, int]:
        """Characters by origin over all texts; every origin is included."""
        counted = dict.fromkeys(ORIGINS, 0)
        for share in self.texts:
            for by, count in characters(share.parts).items():
                counted[by] += count
        return counted

    @property
    def shares(self) -> dict[str, float] | None:
        """Shares of all characters, 0..1 with three decimals, adding up to 1; None if nothing is written."""
        return shares(self.characters)

    def as_json(self) -> dict[str, Any]:
        values, counted = {field.name: origin for field, origin in self.values}, self.characters
        return {"shares": shares(counted), "characters": counted, "values": values}


@dataclass
class AuthorshipTotals:
    """Sums over the rows of a release. rows: with a text or a value; values: field -> origin -> rows."""

    rows: int = 0
    characters: Counter[str] = dataclass_field(default_factory=Counter)
    values: dict[str, Counter[str]] = dataclass_field(default_factory=lambda: defaultdict(Counter))

    def add(self, row_authorship: Mapping[str, Any] | None) -> None:
        """row_authorship: `authorship` of a row's provenance; None where nobody has written anything."""
        if row_authorship is None:
            return
        self.rows += 1
        for by, count in row_authorship["characters"].items():
            self.characters[by] += count
        for name, setter in row_authorship["values"].items():
            self.values[name][setter] += 1

    def as_json(self) -> dict[str, Any]:
        counted = {origin: self.characters[origin] for origin in ORIGINS}
        values = {
            name: {origin: setter_counts[origin] for origin in ORIGINS}
            for name, setter_counts in sorted(self.values.items())
        }
        return {"rows": self.rows, "shares": shares(counted), "characters": counted, "values": values}


def lineage(text: AnyText, annotations: Sequence[AnyText]) -> list[AnyText]:
    """The text and its ancestors, each written from the one before; the oldest first, the text itself last.

    annotations: all annotations of its item, with their slots; the text is one of them.
    """
    if text.slot is None:
        return [text]  # a suggestion, or work of an imported file
    in_order = sorted(annotations, key=_place)
    texts_by_pk, stack = {text.pk: text}, [text]
    while stack:
        current = stack.pop()
        earlier = [annotation for annotation in in_order if _place(annotation) < _place(current)]
        for parent in _parents(current, earlier):
            if parent.pk not in texts_by_pk:
                texts_by_pk[parent.pk] = parent
                stack.append(parent)
    return [*sorted((ancestor for ancestor in texts_by_pk.values() if ancestor.pk != text.pk), key=_place), text]


def _place(annotation: WrittenText) -> tuple[Any, int]:
    return annotation.submitted_at or annotation.created_at, annotation.pk


def _parents(text: AnyText, earlier: Sequence[AnyText]) -> list[AnyText]:
    """An adjudicator has all texts of the round as sources; others start from one."""
    if text.slot and text.slot.stage == Slot.Stage.ADJUDICATE:
        return [
            annotation
            for annotation in earlier
            if annotation.authored and annotation.slot and annotation.slot.round == text.slot.round
        ]
    parent = written_from(text, earlier)
    return [parent] if parent else []


def authorship(
    kind: Kind, facts: Any, chain: Sequence[WrittenText], final: Mapping[str, Any] | None = None
) -> Authorship:
    """Who wrote and set what in the last text of a chain. facts: in their shape. final: its draft as released."""
    drafts = [_draft(kind, text, chain) for text in chain]
    if final is not None:
        drafts[-1] = final
    origins = [origin(text) for text in chain]
    texts, values = [], []
    for field in kind.fields(facts):
        if drafts[-1].get(field.name) in BLANK:
            continue
        if field.how == "text":
            versions = [kind.shown(field.name, draft.get(field.name)) for draft in drafts]
            texts.append(FieldShare(field, attributed(list(map(WrittenPart, origins, versions)))))
        else:
            values.append((field, _set_by(field, drafts, origins)))
    return Authorship(texts, values)


def authorship_as_json(
    kind: Kind, facts: Any, chain: Sequence[WrittenText], final: Mapping[str, Any]
) -> dict[str, Any]:
    """`Authorship.as_json` of a chain; of a single text, as most are in a release, without cutting it into parts."""
    if len(chain) > 1:
        return authorship(kind, facts, chain, final).as_json()
    by, counted, values = origin(chain[0]), dict.fromkeys(ORIGINS, 0), {}
    for field in kind.fields(facts):
        value = final.get(field.name)
        if value in BLANK:
            continue
        if field.how == "text":
            counted[by] += inked(kind.shown(field.name, value))
        else:
            values[field.name] = by
    return {"shares": shares(counted), "characters": counted, "values": values}


def origin(annotation: WrittenText) -> str:
    """model, annotator or reviewer (including adjudicators); people of an imported file count as annotators."""
    if annotation.by_machine:
        return MODEL
    return ANNOTATOR if annotation.slot is None or annotation.slot.stage == Slot.Stage.ANNOTATE else REVIEWER


def _draft(kind: Kind, text: WrittenText, chain: Iterable[WrittenText]) -> Mapping[str, Any]:
    """A draft in the current shape; for a suggestion, with the candidate that its author picked."""
    draft = current_draft(kind, text)
    picked = [candidate(text, annotation.picked) for annotation in chain if annotation.suggestion_id == text.pk]
    return {**draft, **next((fields for fields in picked if fields), {})}


def _set_by(field: Field, drafts: Sequence[Mapping[str, Any]], origins: Sequence[str]) -> str:
    """The origin that last changed the field's value; the first one if nobody changed it."""
    setter = origins[0]
    for index in range(1, len(drafts)):
        pair = drafts[index - 1], drafts[index]
        if pair[0].get(field.name) != pair[1].get(field.name) and not agree_in(field, pair):
            setter = origins[index]
    return setter


def lineages(texts: Iterable[Annotation]) -> dict[int, list[Annotation]]:
    """id of each text -> its lineage, itself last; in one query for all of them."""
    item_by_text = {text.pk: text.item_id for text in texts}
    handed_in = Q(author=None) | Q(submitted_at__isnull=False)
    annotations_by_item: dict[int, list[Annotation]] = {}
    for annotation in Annotation.objects.filter(handed_in, item__in=set(item_by_text.values())).select_related("slot"):
        annotations_by_item.setdefault(annotation.item_id, []).append(annotation)
    annotation_by_pk = {
        annotation.pk: annotation for annotations in annotations_by_item.values() for annotation in annotations
    }
    return {
        pk: lineage(annotation_by_pk[pk], annotations_by_item[item])
        for pk, item in item_by_text.items()
        if pk in annotation_by_pk
    }


def authorship_shown(item: Item, text: Annotation, visible_texts: Iterable[Annotation]) -> Authorship | None:
    """The authorship of an item's text, for somebody who may see these annotations of it.

    None if the text was written from one that they may not see, because the authorship would reveal it.
    """
    chain = lineages([text]).get(text.pk, [])
    if not {annotation.pk for annotation in chain} <= {annotation.pk for annotation in visible_texts} or not chain:
        return None
    kind = item.project.kind
    return authorship(kind, kind.read_facts(kind.upgrade(item.facts, item.schema)), chain)
