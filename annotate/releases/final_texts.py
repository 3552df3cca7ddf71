"""The final text of each released item with its provenance, and the share of it that a model wrote."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from django.utils.translation import override

from annotate.items.authorship import authorship_as_json, lineage
from annotate.items.drafts import candidate, filled
from annotate.kinds.contract import METADATA, Kind
from annotate.kinds.values import BLANK, Field, in_groups
from annotate.models import Annotation, Item, Project, Slot
from annotate.releases.stored_values import ReleasedItem, StoredText, stored_texts
from lib.texts.authorship import inked
from lib.texts.differences import pieces_between


@override("en")  # the words of labels count, and a release is the same whatever language its lead reads
def model_share(
    kind: Kind, fields: Sequence[Field], suggested: Mapping[str, Any], final: Mapping[str, Any]
) -> float | None:
    """Share of the final draft's characters that the suggestion has too, without blanks; 0..1, three decimals.

    Fields are weighted by their length as people see them. None where the final draft has no text at all.
    """
    return _model_share(kind, fields, suggested, final)


def _model_share(
    kind: Kind, fields: Sequence[Field], suggested: Mapping[str, Any], final: Mapping[str, Any]
) -> float | None:
    names = [text_field.name for text_field in fields]
    changed = set() if final == suggested else {name for name in names if final.get(name) != suggested.get(name)}
    if not changed:
        return 1.0 if any(_length(kind, name, final.get(name)) for name in names) else None
    shared_length = total = 0
    for name in names:
        length = _length(kind, name, final.get(name))
        total += length
        if name not in changed:
            shared_length += length
        elif length:
            pieces = pieces_between(kind.shown(name, suggested.get(name)), kind.shown(name, final.get(name)))
            shared_length += sum(inked(piece.text) for piece in pieces if piece.op == "same")
    return round(shared_length / total, 3) if total else None


def _length(kind: Kind, name: str, value: Any) -> int:
    """The characters of a value as people see it, without blanks."""
    if value in BLANK:
        return 0
    if isinstance(value, str) and len(value) < LONGEST_LABEL:
        return _label_length(kind, name, value)
    if isinstance(value, list) and all(isinstance(label, str) for label in value):
        return _label_length(kind, name, tuple(value))
    return inked(kind.shown(name, value))


LONGEST_LABEL = 80


@lru_cache(maxsize=4096)
def _label_length(kind: Kind, name: str, value: str | tuple[str, ...]) -> int:
    """Labels are few, and translating one takes longer than all else that is done with it."""
    return inked(kind.shown(name, list(value) if isinstance(value, tuple) else value))


# The text that counts for each item of a chunk, and its origin.


class StandingItem(Protocol):
    @property
    def pk(self) -> int: ...
    @property
    def state(self) -> str: ...
    @property
    def round(self) -> int: ...
    @property
    def base_id(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Best:
    """text: None where nothing was written or suggested. reviewer: the person who accepted it unchanged.

    suggestion: what it began with. chain: the texts that this one was written from, oldest first, itself last.
    annotators: where several people wrote independently on the item in its round, all of them; the text is one of
    theirs, or was made from them.
    """

    text: StoredText | None
    suggestion: StoredText | None = None
    reviewer: str | None = None
    chain: Sequence[StoredText] = ()
    annotators: Sequence[str] = ()


def best_texts(items: Sequence[StandingItem]) -> dict[int, Best]:
    """item id -> the accepted text, else the last submission, else the suggestion."""
    texts_by_item = stored_texts([item.pk for item in items])
    undecided = [text for item in items if not _stands(item) for text in texts_by_item.get(item.pk, ())]
    known_to_all = in_the_open(undecided)
    return {item.pk: _best(item, texts_by_item.get(item.pk, []), known_to_all) for item in items}


def _best(item: StandingItem, texts: Sequence[StoredText], known_to_all: Collection[int]) -> Best:
    text = _counting(item, texts, known_to_all)
    if text is None:
        return Best(None)
    return Best(
        text,
        text if text.by_machine else next((other for other in texts if other.pk == text.suggestion_id), None),
        _reviewer(text, texts),
        lineage(text, [other for other in texts if other.handed_in]) if text.handed_in else [text],
        _together(item, texts),
    )


def _counting(item: StandingItem, texts: Sequence[StoredText], known_to_all: Collection[int]) -> StoredText | None:
    if _stands(item):
        counting = [text for text in texts if text.pk == item.base_id]
    else:
        counting = [text for text in texts if text.pk in known_to_all]
    counting = counting or [text for text in texts if text.by_machine]
    return counting[-1] if counting else None


def _stands(item: StandingItem) -> bool:
    return item.state == Item.State.ACCEPTED and item.base_id is not None


def in_the_open(texts: Iterable[StoredText]) -> set[int]:
    """The ids of the submissions among these texts that nobody has to be kept from."""
    submitted = [text.pk for text in texts if text.authored and not text.by_machine and text.submitted_at]
    if not submitted:
        return set()
    return set(Annotation.objects.filter(pk__in=submitted).in_the_open().values_list("pk", flat=True))


def _reviewer(text: StoredText, texts: Sequence[StoredText]) -> str | None:
    """The last person who accepted it unchanged."""
    reviews = [
        review
        for review in texts
        if review.outcome == Annotation.Outcome.ACCEPTED and review.slot and review.slot.about_id == text.pk
    ]
    return reviews[-1].by if reviews else None


def _together(item: StandingItem, texts: Sequence[StoredText]) -> list[str]:
    """All independent authors of the item's round, if it has several."""
    names = [
        text.author
        for text in texts
        if text.author and text.submitted_at and text.slot
        if text.slot.stage == Slot.Stage.ANNOTATE and text.slot.round == item.round
    ]
    return names if len(names) > 1 else []


def decided_fields(kind: Kind, facts: Any, draft: Mapping[str, Any], options: Any) -> dict[str, Any]:
    """The draft without the fields that are still to be written, so that an import treats those as work to do.

    A field is still to be written if it is as empty as at the start and the kind's checks call it, or the field that it
    is a part of, a problem. A right value is kept even if the empty draft has the same.
    """
    empty = kind.empty_draft(facts)
    blank = {name for name, value in draft.items() if value in BLANK or value == empty.get(name)}
    if not blank:
        return dict(draft)
    named = {finding.field for finding in kind.problems(facts, kind.read_draft(draft), options)}
    groups = [{field.name for field in group} for group in in_groups(kind.fields(facts))]
    named.update(*(group for group in groups if group & named))
    return {name: value for name, value in draft.items() if name not in named & blank}


@override("en")  # as for the shares
def released_rows(
    project: Project, items: Sequence[ReleasedItem], texts: Mapping[int, Best], wanted: "RowContents"
) -> list[dict[str, Any]]:
    """The rows of a chunk, in the order of its items."""
    return [
        released_row(project, item, texts[item.pk], wanted.split_of(item.key), metadata=wanted.metadata)
        for item in items
    ]


class RowContents(Protocol):
    """What rows hold besides the published fields."""

    @property
    def metadata(self) -> bool: ...

    def split_of(self, key: str) -> str | None: ...


def released_row(
    project: Project, item: ReleasedItem, best: Best, split: str | None, *, metadata: bool = False
) -> dict[str, Any]:
    """The row of the file: key, the published fields, and everything else under `provenance`, which is the last."""
    kind, text = project.kind, best.text
    facts = kind.upgrade(item.facts, item.schema)
    shaped = kind.read_facts(facts) if text else None
    draft = kind.upgrade(text.draft, text.schema) if text else {}
    if text and not _stands(item):
        draft = decided_fields(kind, shaped, draft, project.kind_options)
    provenance = _provenance(kind, item, best, draft, shaped) | ({"split": split} if split else {})
    hidden = {METADATA: item.metadata} if metadata and item.metadata else {}
    return {"key": item.key, **kind.write_row(facts, draft), **hidden, "provenance": provenance}


def _provenance(kind: Kind, item: ReleasedItem, best: Best, draft: dict[str, Any], facts: Any) -> dict[str, Any]:
    """facts: in their shape; draft: as released."""
    text = best.text
    provenance: dict[str, Any] = {"state": item.state, "round": item.round}
    if item.file_name is not None:
        provenance["source"] = item.file_name
    if text is None:
        return provenance
    return provenance | {
        "by": None if text.by_machine else text.by,
        "at": text.at,
        **({"annotators": list(best.annotators)} if best.annotators else {}),
        "reviewed_by": best.reviewer,
        "guideline_version": text.guideline_version,
        "suggestion": _origin(best.suggestion),
        "model_share": _share(kind, facts, text, best.suggestion, draft),
        "unchanged": text.by_machine or text.unchanged,
        "authorship": authorship_as_json(kind, facts, best.chain, draft),
    }


def _origin(suggestion: StoredText | None) -> dict[str, Any] | None:
    if suggestion is None:
        return None
    simulated = {"simulated": True} if suggestion.simulated else {}
    return {"model": suggestion.model, "prompt_version": suggestion.prompt_version, **simulated}


def _share(
    kind: Kind, facts: Any, text: StoredText, suggestion: StoredText | None, draft: dict[str, Any]
) -> float | None:
    if suggestion is None:
        return None
    suggested = suggestion.draft
    if not text.by_machine:
        suggested = filled({**suggested, **(candidate(suggestion, text.picked) or {})})
    return _model_share(kind, kind.fields(facts), kind.upgrade(suggested, suggestion.schema), draft)
