"""Drafts of people: opening, saving and reading them, and their relation to what models suggested.

The suggestion of a draft is fixed when the draft is opened. The person alone picks candidates and takes over newer
values, as edits; nothing here changes a text without being asked. Text that reached the server is never lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from django.db import IntegrityError
from django.db.models import F, QuerySet
from django.utils import timezone

from annotate.errors import StaleDraft
from annotate.items.compare import changed_fields
from annotate.items.flow import refuse_withdrawn
from annotate.kinds.contract import Kind
from annotate.kinds.values import Field
from annotate.models import Annotation, Item, Project, Slot, User
from annotate.prepared import prepared, prepared_change


class SuggestedText(Protocol):
    @property
    def candidates(self) -> Any: ...


@dataclass(frozen=True)
class EditRecord:
    """A draft after one of the buttons; picked: the number of the candidate in it, None if that did not change."""

    draft: dict[str, Any]
    decided: list[str]
    picked: int | None = None


def suggested_draft(annotation: Annotation) -> dict[str, Any]:
    """The model's part of this draft: the suggestion with the picked candidate; {} without a suggestion.

    Fields that it left empty belong to nobody, and so do fields with candidates as long as none is picked.
    """
    return filled(_whole(annotation))


def filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are not empty."""
    return {name: value for name, value in fields.items() if value not in (None, "", [])}


def _whole(annotation: Annotation) -> dict[str, Any]:
    suggestion = annotation.suggestion
    if suggestion is None:
        return {}
    return {**suggestion.draft, **(candidate(suggestion, annotation.picked) or {})}


def is_unchanged(annotation: Annotation, draft: Mapping[str, Any]) -> bool:
    """Whether the draft is what the model wrote; fields that only people decide, and no model writes, do not count."""
    suggestion = annotation.suggestion
    if suggestion is None or (suggestion.candidates and annotation.picked is None):
        return False
    return all(draft.get(name) == value for name, value in _whole(annotation).items())


def candidate(suggestion: SuggestedText, number: int | None) -> dict[str, Any] | None:
    """The fields of a candidate by its number from 0; None if there is none."""
    if number is None or not 0 <= number < len(suggestion.candidates):
        return None
    return dict(suggestion.candidates[number]["draft"])


def pick(annotation: Annotation, draft: Mapping[str, Any], decided: Sequence[str], number: int) -> EditRecord:
    """The draft with that candidate's fields. An unknown number changes nothing."""
    candidate_draft = candidate(annotation.suggestion, number) if annotation.suggestion else None
    if candidate_draft is None:
        return EditRecord(dict(draft), list(decided))
    return EditRecord({**draft, **candidate_draft}, [name for name in decided if name not in candidate_draft], number)


# --- a newer suggestion ---------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class SuggestionRow:
    """One field or candidate in which the newer suggestion differs. take: the value that its button posts."""

    label: str
    mine: str
    theirs: str
    take: str
    how: str = "text"


def newer_than(annotation: Annotation, newest: int | None) -> Annotation | None:
    """The newest suggestion, if it was made after the one that this draft began with. newest: the id of the item's last
    one.
    """
    if newest is None or newest <= (annotation.suggestion_id or 0):
        return None
    return Annotation.objects.select_related("run").filter(pk=newest).first()


def differing(
    kind: Kind, facts: Any, draft: Mapping[str, Any], newer: Annotation, *, shown: Annotation | None = None
) -> list[SuggestionRow]:
    """What taking over would change: fields first, then candidates that are not in the draft already.

    shown: the suggestion on screen, whose candidates can be picked there.
    """
    open_fields = {name for stored_candidate in newer.candidates for name in stored_candidate["draft"]}
    rows = [
        SuggestionRow(
            str(field.label),
            kind.shown(field.name, draft.get(field.name)),
            kind.shown(field.name, value),
            field.name,
            field.how,
        )
        for field in kind.fields(facts)
        if field.name not in open_fields
        and (value := newer.draft.get(field.name)) not in (None, "", [])
        and value != draft.get(field.name)
    ]
    for number, stored_candidate in enumerate(newer.candidates):
        if (shown is None or stored_candidate not in shown.candidates) and any(
            draft.get(name) != value for name, value in stored_candidate["draft"].items()
        ):
            rows.append(
                SuggestionRow(
                    stored_candidate["label"],
                    "",
                    text_of(kind, facts, stored_candidate["draft"]),
                    f"candidate-{number}",
                    "candidate",
                )
            )
    return rows


def take(
    kind: Kind, facts: Any, newer: Annotation, draft: Mapping[str, Any], decided: Sequence[str], selection: str
) -> EditRecord:
    """The draft with the newer suggestion's value of one field, of `all` fields, or of one candidate, as an edit."""
    rows = [row for row in differing(kind, facts, draft, newer) if row.how != "candidate"]
    word, _dash, number = selection.partition("-")
    if word == "candidate" and number.isdecimal() and len(number) < 6:
        values = candidate(newer, int(number)) or {}
    else:
        names = [row.take for row in rows if selection in ("all", row.take)]
        values = {name: newer.draft[name] for name in names}
    return EditRecord({**draft, **values}, [name for name in decided if name not in values])


def text_of(kind: Kind, facts: Any, fields: Mapping[str, Any]) -> str:
    """A candidate as people read it: its texts, without the labels above it."""
    texts = [field.name for field in kind.fields(facts) if field.how == "text" and field.name in fields]
    return "\n".join(kind.shown(name, fields[name]) for name in texts or fields)


# Opening, saving and reading drafts. Text that reached the server is never lost.


IDLE_AFTER = 120  # longest pause in seconds between two signs of life that still counts as work


def suggestion_for(item: Item) -> Annotation | None:
    """The newest suggestion that a model made for this item."""
    return _suggestion_for.first(item=item.pk)


@prepared
def _suggestion_for(item: int) -> QuerySet[Annotation]:
    return Annotation.objects.filter(item=item).exclude(model="").order_by("-id")[:1]


@prepared
def _text_of(slot: int, author: int) -> QuerySet[Annotation]:
    return Annotation.objects.filter(slot=slot, author=author).select_related("suggestion")


def open_draft(
    slot: Slot, *, author: User, item: Item, project: Project, start: Mapping[str, Any] | None = None
) -> Annotation:
    """The author's annotation in this slot, created at first opening: from the round's base, else from the suggestion.

    start: what it begins with instead. The suggestion on screen is fixed here; a newer one is offered, never swapped
    in. What the author decided about it before their text was returned stays decided.
    """
    annotation = _text_of.first(slot=slot.pk, author=author.pk)
    if annotation:
        return annotation
    suggestion = None if slot.blind else suggestion_for(item)
    guideline = project.guideline
    base = None if slot.about_id or start is not None else _base(slot, item, author)
    draft = _start(slot, item, project, base, suggestion) if start is None else dict(start)
    try:
        return Annotation.objects.create(
            item=item,
            slot=slot,
            author=author,
            draft=draft,
            schema=project.kind.schema,
            suggestion=suggestion,
            **_decisions_before(base, author, suggestion, draft),
            guideline_version=guideline.version if guideline else None,
        )
    except IntegrityError:  # the same person opened the same page twice at once
        return slot.annotations.select_related("suggestion").get(author=author)


def start_of(annotation: Annotation, item: Item) -> dict[str, Any]:
    """The text that the author of a draft in a slot began with. item: with its project."""
    assert annotation.slot is not None
    assert annotation.author is not None
    slot, author = annotation.slot, annotation.author
    base = None if slot.about_id else _base(slot, item, author)
    return _start(slot, item, item.project, base, annotation.suggestion)


def _start(
    slot: Slot, item: Item, project: Project, base: Annotation | None, suggestion: Annotation | None
) -> dict[str, Any]:
    if slot.about:
        return dict(slot.about.draft)
    if base:
        return project.kind.passed_on(base.draft) if base.outcome == Annotation.Outcome.REVISED else dict(base.draft)
    if suggestion:
        return dict(suggestion.draft)
    return project.kind.empty_draft(project.kind.read_facts(item.facts))


def _decisions_before(
    base: Annotation | None, author: User, suggestion: Annotation | None, draft: Mapping[str, Any]
) -> dict[str, Any]:
    """`decided` and `picked` of the author's own returned text, as far as the suggestion still says the same."""
    if base is None or suggestion is None or base.author_id != author.pk:
        return {}
    picked = base.picked if base.suggestion_id == suggestion.pk else None
    suggested = {**suggestion.draft, **(candidate(suggestion, picked) or {})}
    decided = [name for name in base.decided if name in suggested and suggested[name] == draft.get(name)]
    return {"decided": decided, "picked": picked}


def _base(slot: Slot, item: Item, author: User) -> Annotation | None:
    """The text that this round starts from: the item's, or this author's own if that is newer.

    A text that somebody submitted in the same round and took back is never the start of another person's work.
    """
    if slot.own:  # the item's text is the expected answer
        return None
    base, base_round = item.base, 0
    if base is not None and base.slot is not None:
        base, base_round = (base, base.slot.round) if base.slot.round < slot.round else (None, 0)
    if slot.round - 1 <= base_round:
        return base
    own_texts = slot.item.annotations.filter(author=author, authored=True, submitted_at__isnull=False)
    return (
        own_texts.filter(slot__round__gt=base_round, slot__round__lt=slot.round).order_by("-slot__round").first()
        or base
    )


def save(
    annotation: Annotation,
    draft: Mapping[str, Any],
    *,
    revision: int,
    decided: list[str],
    seconds: int = 0,
    picked: int | None = None,
) -> Annotation:
    """Store a draft unchanged, checked or not. Works with or without a lease: the text belongs to its author.

    revision: the one with which this page was opened or last saved (optimistic lock). seconds: active time since then.
    picked: the candidate of the suggestion that the draft holds now, None if that did not change. Raises StaleDraft
    with the stored text if another window saved meanwhile, or if it was submitted; WrongState if the person who
    reported the case has withdrawn it: then none of the text is kept.
    """
    draft = without_nul(draft)
    now = timezone.now()
    since = (now - annotation.saved_at).total_seconds()
    worked = max(0, min(seconds, int(since) + IDLE_AFTER))
    picked = annotation.picked if picked is None else picked
    place = {"annotation": annotation.pk, "revision": revision}
    if not _saved(**place, draft=draft, decided=decided, picked=picked, now=now, worked=worked):
        refuse_withdrawn(annotation.item_id)
        annotation.refresh_from_db()
        if annotation.draft == draft and annotation.submitted_at is None:
            return annotation  # the same request again: a retry after a lost answer
        raise StaleDraft(annotation.draft, annotation.revision)
    annotation.draft, annotation.decided = dict(draft), decided
    annotation.revision, annotation.saved_at = revision + 1, now
    annotation.active_seconds += worked
    annotation.picked = picked
    return annotation


def forget_untouched(annotation: Annotation, item: Item, fields: Sequence[Field]) -> None:
    """A text that its author put back as it began is no draft of theirs: it counts as never saved."""
    if not annotation.decided and not changed_fields(fields, start_of(annotation, item), annotation.draft):
        Annotation.objects.filter(pk=annotation.pk, submitted_at=None).update(revision=0)


@prepared_change
def _saved(
    annotation: int, revision: int, draft: dict[str, Any], decided: list[str], picked: int, now: datetime, worked: int
) -> tuple[QuerySet[Annotation], dict[str, Any]]:
    texts = Annotation.objects.filter(pk=annotation, revision=revision, submitted_at=None, item__erasure=None)
    return texts, {
        "draft": draft,
        "decided": decided,
        "picked": picked,
        "revision": F("revision") + 1,
        "saved_at": now,
        "active_seconds": F("active_seconds") + worked,
    }


def without_nul(value: Any) -> Any:
    """The value without NUL characters, which PostgreSQL cannot hold and nobody types."""
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, Mapping):
        return {key: without_nul(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_nul(inner) for inner in value]
    return value
