"""What several people wrote independently in one field of the same items, as ratings."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from annotate.kinds.base import Kind
from annotate.kinds.values import BadShape
from annotate.models import Annotation, Project
from judging.services.comparing_raters.subjects import COMPARED, FIELD, VOTES, overlapped
from judging.services.ratings import Found, Rater, Rating


def of_fields(project: Project) -> dict[str, Found]:
    """field -> one rating a person and item; of an item that was written on in several rounds the last one.

    In one query. In a project of votes there is one field, `votes`, with a rating of each axis. Left out are texts that
    do not read any more (`unreadable`).
    """
    count_by_reason: Counter[str] = Counter()
    ratings_by_field: dict[str, list[Rating]] = defaultdict(list)
    for text in _last_round(project):
        assert text.author is not None
        rater = Rater("person", text.author.get_username(), text.author_id)
        try:
            entries = _said(project.kind, text)
        except BadShape:
            count_by_reason["unreadable"] += 1
            continue
        for name, axis, value in entries:
            unit = f"item/{text.item_id}/{axis}" if axis else f"item/{text.item_id}"
            ratings_by_field[name].append(Rating(unit, rater, value, item=text.item_id, axis=axis, source=text.pk))
    return {name: Found(field_ratings, {"people": count_by_reason}) for name, field_ratings in ratings_by_field.items()}


def _last_round(project: Project) -> Iterator[Annotation]:
    """What was handed in, by item."""
    annotations = Annotation.objects.filter(
        slot__in=overlapped(project), submitted_at__isnull=False, author__isnull=False
    ).select_related("item", "author", "slot")
    newest: dict[int, list[Annotation]] = {}
    for text in annotations.order_by("item_id", "slot__round", "pk").iterator(chunk_size=2000):
        assert text.slot is not None
        round_texts = newest.get(text.item_id)
        if round_texts and round_texts[0].slot is not None and round_texts[0].slot.round == text.slot.round:
            round_texts.append(text)
        else:
            newest[text.item_id] = [text]
    return (text for texts in newest.values() for text in texts)


def _said(kind: Kind, text: Annotation) -> list[tuple[str, str, float | str | None]]:
    """(field, axis, value)."""
    draft = kind.upgrade(text.draft, text.schema)
    facts = kind.read_facts(kind.upgrade(text.item.facts, text.item.schema))
    if kind.voted:
        votes = kind.votes(facts, kind.read_draft(draft))
        return [(VOTES.removeprefix(FIELD), axis, value) for axis, value in votes.items()]
    compared = [field for field in kind.fields(facts) if field.how in COMPARED and not field.free]
    return [(field.name, "", kind.label(field, draft)) for field in compared]
