"""Writing: opening, saving and reading drafts. A word that reached the server is never lost."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError
from django.db.models import F
from django.utils import timezone

from annotate.models import Annotation, Item, Project, Slot, User
from annotate.services import suggesting
from annotate.services.errors import StaleDraft
from annotate.services.readiness.places import is_own_place
from annotate.services.withdrawn import refuse_withdrawn

IDLE_AFTER = 120  # seconds between two signs of life that still count as work


def suggestion_for(item: Item) -> Annotation | None:
    """The newest annotation that a model made of this item."""
    return Annotation.objects.filter(item=item).exclude(model="").order_by("-id").first()


def open_draft(
    slot: Slot, *, author: User, item: Item, project: Project, start: Mapping[str, Any] | None = None
) -> Annotation:
    """The author's annotation in this slot, made at first opening: from the round's base, else the suggestion.

    start: what it begins with instead.
    The suggestion on screen is fixed here; a newer one is offered, never swapped in. What the author has decided about
    it before their text came back stays decided.
    """
    annotation = slot.annotations.filter(author=author).select_related("suggestion").first()
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
    """What the author of a draft in a slot began with. item: with its project."""
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
    """`decided` and `picked` of the author's own text that came back, where the suggestion still says the same."""
    if base is None or suggestion is None or base.author_id != author.pk:
        return {}
    picked = base.picked if base.suggestion_id == suggestion.pk else None
    suggested = {**suggestion.draft, **(suggesting.candidate(suggestion, picked) or {})}
    decided = [name for name in base.decided if name in suggested and suggested[name] == draft.get(name)]
    return {"decided": decided, "picked": picked}


def _base(slot: Slot, item: Item, author: User) -> Annotation | None:
    """The text that this round starts from: the item's, or this author's own where that is newer.

    What somebody has handed in in the same round and taken back is nobody else's beginning.
    """
    if is_own_place(slot):  # the item's text is the expected answer
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
    """Keep a draft as it is, checked or not. Works with or without a lease: the text belongs to its author.

    revision: the one this page was opened or last saved with. seconds: active time since then. picked: the candidate
    of the suggestion that the draft holds now, None where that did not change.
    Raises StaleDraft with the stored text if another window saved meanwhile, or if it was submitted; WrongState if
    whoever reported the case has withdrawn it: then no word of it is kept.
    """
    draft = without_nul(draft)
    now = timezone.now()
    since = (now - annotation.saved_at).total_seconds()
    worked = max(0, min(seconds, int(since) + IDLE_AFTER))
    annotation_query = Annotation.objects.filter(
        pk=annotation.pk, revision=revision, submitted_at=None, item__erasure=None
    )
    extra_columns = {} if picked is None else {"picked": picked}
    saved = annotation_query.update(
        draft=draft,
        decided=decided,
        **extra_columns,
        revision=F("revision") + 1,
        saved_at=now,
        active_seconds=F("active_seconds") + worked,
    )
    if not saved:
        refuse_withdrawn(annotation.item_id)
        annotation.refresh_from_db()
        if annotation.draft == draft and annotation.submitted_at is None:
            return annotation  # the same request again: a retry after a lost answer
        raise StaleDraft(annotation.draft, annotation.revision)
    annotation.draft, annotation.decided = dict(draft), decided
    annotation.revision, annotation.saved_at = revision + 1, now
    annotation.active_seconds += worked
    annotation.picked = annotation.picked if picked is None else picked
    return annotation


def without_nul(value: Any) -> Any:
    """The value without NUL characters, which PostgreSQL cannot hold and nobody types."""
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, Mapping):
        return {key: without_nul(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_nul(inner) for inner in value]
    return value
