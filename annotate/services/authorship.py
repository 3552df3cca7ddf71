"""Whose an item's text is: along the chain of annotations from the suggestion to the text that counts. Nothing writes.

Texts are shared out by character, to whoever brought each part in first. What is chosen rather than written (choices,
flags, checklists) is whose who set the value last.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from datetime import datetime
from typing import Any

from django.db.models import Q

from annotate.kinds.agreeing import agree_in
from annotate.kinds.base import Kind
from annotate.kinds.values import Field
from annotate.models import Annotation, Item, Slot
from annotate.services.items.history import current_draft, written_from
from annotate.services.suggesting import candidate
from lib.texts.authorship import Written, attributed, characters, shares

MODEL, ANNOTATOR, REVIEWER = ORIGINS = "model", "annotator", "reviewer"
BLANK: tuple[Any, ...] = (None, "", [])


@dataclass(frozen=True)
class Share:
    """One written field: origin -> characters. parts: the text in the order in which it is read."""

    field: Field
    parts: Sequence[Written]

    @property
    def characters(self) -> dict[str, int]:
        return dict.fromkeys(ORIGINS, 0) | characters(self.parts)


@dataclass(frozen=True)
class Authorship:
    """texts: fields that are written and not empty. values: (field, who set it last) of those that are chosen."""

    texts: Sequence[Share]
    values: Sequence[tuple[Field, str]]

    @property
    def characters(self) -> dict[str, int]:
        """Over all texts; every origin is there."""
        counted = Counter[str](dict.fromkeys(ORIGINS, 0))
        for share in self.texts:
            counted.update(share.characters)
        return dict(counted)

    @property
    def shares(self) -> dict[str, float] | None:
        """Of all characters, 0..1 at three places, adding up to 1; None where nothing is written."""
        return shares(self.characters)

    def as_json(self) -> dict[str, Any]:
        values = {field.name: origin for field, origin in self.values}
        return {"shares": self.shares, "characters": self.characters, "values": values}


@dataclass
class Totals:
    """Sums over the rows of a release. rows: with a text or a value; values: field -> origin -> rows."""

    rows: int = 0
    characters: Counter[str] = dataclass_field(default_factory=Counter)
    values: dict[str, Counter[str]] = dataclass_field(default_factory=dict)

    def add(self, row_authorship: Mapping[str, Any] | None) -> None:
        """row_authorship: `authorship` of a row's provenance; None where nobody has written anything."""
        if row_authorship is None:
            return
        self.rows += 1
        self.characters.update(row_authorship["characters"])
        for name, setter in row_authorship["values"].items():
            self.values.setdefault(name, Counter())[setter] += 1

    def as_json(self) -> dict[str, Any]:
        counted = {origin: self.characters[origin] for origin in ORIGINS}
        values = {
            name: {origin: setter_counts[origin] for origin in ORIGINS}
            for name, setter_counts in sorted(self.values.items())
        }
        return {"rows": self.rows, "shares": shares(counted), "characters": counted, "values": values}


def lineage(text: Annotation, annotations: Sequence[Annotation]) -> list[Annotation]:
    """What a text was written from, and that from, as far as it goes; the oldest first, the text itself last.

    annotations: all annotations of its item, with their slots; the text is one of them.
    """
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


def _place(annotation: Annotation) -> tuple[datetime, int]:
    return annotation.submitted_at or annotation.created_at, annotation.pk


def _parents(text: Annotation, earlier: Sequence[Annotation]) -> list[Annotation]:
    """An adjudicator has all the texts of the round on the table; others begin with one."""
    if text.slot and text.slot.stage == Slot.Stage.ADJUDICATE:
        return [
            annotation
            for annotation in earlier
            if annotation.authored and annotation.slot and annotation.slot.round == text.slot.round
        ]
    parent = written_from(text, earlier)
    return [parent] if parent else []


def authorship(
    kind: Kind, facts: Any, chain: Sequence[Annotation], final: Mapping[str, Any] | None = None
) -> Authorship:
    """Who wrote and set what in the last text of a chain. facts: as their shape. final: its draft as it is released."""
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
            texts.append(Share(field, attributed(list(map(Written, origins, versions)))))
        else:
            values.append((field, _set_by(field, drafts, origins)))
    return Authorship(texts, values)


def origin(annotation: Annotation) -> str:
    """model, annotator or reviewer, which adjudicators are too; people of a file count as annotators."""
    if annotation.by_machine:
        return MODEL
    return ANNOTATOR if annotation.slot is None or annotation.slot.stage == Slot.Stage.ANNOTATE else REVIEWER


def _draft(kind: Kind, text: Annotation, chain: Iterable[Annotation]) -> Mapping[str, Any]:
    """A draft in today's shape; a suggestion with the candidate that its author picked."""
    draft = current_draft(kind, text)
    picked = [candidate(text, annotation.picked) for annotation in chain if annotation.suggestion_id == text.pk]
    return {**draft, **next((fields for fields in picked if fields), {})}


def _set_by(field: Field, drafts: Sequence[Mapping[str, Any]], origins: Sequence[str]) -> str:
    """Whoever last gave the field another value; who began with it where nobody did."""
    setter = origins[0]
    for index in range(1, len(drafts)):
        if not agree_in(field, [drafts[index - 1], drafts[index]]):
            setter = origins[index]
    return setter


def lineages(texts: Iterable[Annotation]) -> dict[int, list[Annotation]]:
    """id of each text -> what it was written from, itself last; in one query for all of them."""
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
    """Whose the text of an item is, for somebody who may see these annotations of it.

    None where the text was written from something that they may not see: whose it is would tell of it.
    """
    chain = lineages([text]).get(text.pk, [])
    if not {annotation.pk for annotation in chain} <= {annotation.pk for annotation in visible_texts} or not chain:
        return None
    kind = item.project.kind
    return authorship(kind, kind.read_facts(kind.upgrade(item.facts, item.schema)), chain)
