"""The final text of each released item with its provenance, and the share of it that a model wrote."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F
from django.utils.translation import override

from annotate.items.authorship import authorship, lineages
from annotate.items.drafts import suggested_draft
from annotate.kinds.contract import Kind
from annotate.kinds.values import BLANK, Field, in_groups
from annotate.models import Annotation, Item, Project, Slot
from lib.texts.authorship import inked
from lib.texts.differences import difference


@override("en")  # the words of labels count, and a release is the same whatever language its lead reads
def model_share(
    kind: Kind, fields: Sequence[Field], suggested: Mapping[str, Any], final: Mapping[str, Any]
) -> float | None:
    """Share of the final draft's characters that the suggestion has too, without blanks; 0..1, three decimals.

    Fields are weighted by their length as people see them. None where the final draft has no text at all.
    """
    shared_length = total = 0
    for text_field in fields:
        text = kind.shown(text_field.name, final.get(text_field.name))
        length = inked(text)
        total += length
        if final.get(text_field.name) == suggested.get(text_field.name):
            shared_length += length
        elif length:
            old = kind.shown(text_field.name, suggested.get(text_field.name))
            pieces = difference(old, text).pieces
            shared_length += sum(inked(piece.text) for piece in pieces if piece.op == "same")
    return round(shared_length / total, 3) if total else None


# The text that counts for each item of a chunk, and its origin.


@dataclass(frozen=True)
class Best:
    """text: None where nothing was written or suggested. reviewer: the person who accepted it unchanged.

    chain: the texts that this one was written from, oldest first, itself last. annotators: where several people wrote
    independently on the item in its round, all of them; the text is one of theirs, or was made from them.
    """

    text: Annotation | None
    reviewer: str | None = None
    chain: Sequence[Annotation] = field(default_factory=list)
    annotators: Sequence[str] = ()


def best_texts(items: Sequence[Item]) -> dict[int, Best]:
    """item id -> the accepted text, else the last submission, else the suggestion."""
    texts = _bases(items) | _submitted([item for item in items if not _stands(item)])
    texts |= _suggested([item for item in items if item.pk not in texts])
    reviewers, chains = _reviewers([text.pk for text in texts.values()]), lineages(texts.values())
    authors_by_item = _together(texts.keys())
    best_by_item = {
        pk: Best(text, reviewers.get(text.pk), chains.get(text.pk, [text]), authors_by_item.get(pk, ()))
        for pk, text in texts.items()
    }
    return {item.pk: best_by_item.get(item.pk, Best(None)) for item in items}


def _stands(item: Item) -> bool:
    return item.state == Item.State.ACCEPTED and item.base_id is not None


def _bases(items: Sequence[Item]) -> dict[int, Annotation]:
    bases = _whole().in_bulk([item.base_id for item in items if _stands(item)])
    return {base.item_id: base for base in bases.values()}


def _submitted(items: Sequence[Item]) -> dict[int, Annotation]:
    written = _whole().in_the_open().filter(model="", authored=True, submitted_at__isnull=False)
    return _last(written, items)


def _suggested(items: Sequence[Item]) -> dict[int, Annotation]:
    return _last(_whole().exclude(model=""), items)


def _last(annotations: Any, items: Sequence[Item]) -> dict[int, Annotation]:
    """The newest annotation of each item."""
    item_annotations = annotations.filter(item__in=[item.pk for item in items]).order_by("pk")
    return {annotation.item_id: annotation for annotation in item_annotations}


def _whole() -> Any:
    return Annotation.objects.select_related("author", "suggestion")


def _reviewers(texts: Sequence[int]) -> dict[int, str]:
    """annotation id -> the person who accepted it unchanged."""
    reviews = Annotation.objects.filter(slot__about__in=texts, outcome=Annotation.Outcome.ACCEPTED)
    review_rows = reviews.annotate(about=F("slot__about")).select_related("author").order_by("pk")
    return {review.about: review.by for review in review_rows}


def _together(items: Collection[int]) -> dict[int, list[str]]:
    """item id -> all independent authors of its round, for items with several authors."""
    written = Annotation.objects.filter(
        item__in=items,
        author__isnull=False,
        submitted_at__isnull=False,
        slot__stage=Slot.Stage.ANNOTATE,
        slot__round=F("item__round"),
    )
    name_columns = ("author__username", "author__display_name", "author__first_name", "author__last_name")
    names_by_item: dict[int, list[str]] = {}
    for annotation in written.select_related("author").only("item_id", *name_columns).order_by("pk"):
        names_by_item.setdefault(annotation.item_id, []).append(str(annotation.author))
    return {item: names for item, names in names_by_item.items() if len(names) > 1}


def decided_fields(kind: Kind, facts: Any, draft: Mapping[str, Any], options: Any) -> dict[str, Any]:
    """The draft without the fields that are still to be written, so that an import treats those as work to do.

    A field is still to be written if it is as empty as at the start and the kind's checks call it, or the field that it
    is a part of, a problem. A right value is kept even if the empty draft has the same.
    """
    empty = kind.empty_draft(facts)
    named = {finding.field for finding in kind.problems(facts, kind.read_draft(draft), options)}
    groups = [{field.name for field in group} for group in in_groups(kind.fields(facts))]
    named.update(*(group for group in groups if group & named))
    return {
        name: value
        for name, value in draft.items()
        if name not in named or not (value in BLANK or value == empty.get(name))
    }


def released_row(project: Project, item: Item, best: Best, split: str | None) -> dict[str, Any]:
    """The row of the file: key, the published fields, and everything else under `provenance`."""
    kind, text = project.kind, best.text
    facts = kind.upgrade(item.facts, item.schema)
    draft = kind.upgrade(text.draft, text.schema) if text else {}
    if text and not _stands(item):
        draft = decided_fields(kind, kind.read_facts(facts), draft, project.kind_options)
    provenance = _provenance(project, item, best, draft) | ({"split": split} if split else {})
    return {"key": item.key, **kind.write_row(facts, draft), "provenance": provenance}


def _provenance(project: Project, item: Item, best: Best, draft: dict[str, Any]) -> dict[str, Any]:
    text = best.text
    provenance: dict[str, Any] = {"state": item.state, "round": item.round}
    if item.batch:
        provenance["source"] = item.batch.file_name
    if text is None:
        return provenance
    suggestion = text if text.by_machine else text.suggestion
    return provenance | {
        "by": None if text.by_machine else text.by,
        "at": text.submitted_at.isoformat(timespec="seconds") if text.submitted_at else None,
        **({"annotators": list(best.annotators)} if best.annotators else {}),
        "reviewed_by": best.reviewer,
        "guideline_version": text.guideline_version,
        "suggestion": _origin(suggestion),
        "model_share": _share(project, item, text, suggestion, draft),
        "unchanged": text.by_machine or text.unchanged,
        "authorship": _authorship(project, item, best, draft),
    }


def _authorship(project: Project, item: Item, best: Best, draft: dict[str, Any]) -> dict[str, Any]:
    kind = project.kind
    facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
    return authorship(kind, facts, best.chain, draft).as_json()


def _origin(suggestion: Annotation | None) -> dict[str, Any] | None:
    if suggestion is None:
        return None
    simulated = {"simulated": True} if suggestion.simulated else {}
    return {"model": suggestion.model, "prompt_version": suggestion.prompt_version, **simulated}


def _share(
    project: Project, item: Item, text: Annotation, suggestion: Annotation | None, draft: dict[str, Any]
) -> float | None:
    if suggestion is None:
        return None
    kind = project.kind
    fields = kind.fields(kind.read_facts(kind.upgrade(item.facts, item.schema)))
    suggested = suggestion.draft if text.by_machine else suggested_draft(text)
    return model_share(kind, fields, kind.upgrade(suggested, suggestion.schema), draft)
