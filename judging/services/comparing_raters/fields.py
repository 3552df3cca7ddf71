"""What several people wrote independently in one field of the same items, as ratings."""

from collections import Counter
from collections.abc import Iterator, Mapping

from annotate.kinds.base import BadShape, Kind
from annotate.models import Annotation, Project
from judging.services.comparing_raters.subjects import Subject, overlapped
from judging.services.ratings import Found, Rater, Rating


def of_field(project: Project, subject: Subject) -> Found:
    """One rating a person and item; of an item that was written on in several rounds the last one.

    Votes of a project of votes are ratings of each axis. Left out are texts that do not read any more (`unreadable`).
    """
    left_out: Counter[str] = Counter()
    return Found(_ratings(project, subject, left_out), {"people": left_out})


def _ratings(project: Project, subject: Subject, left_out: Counter[str]) -> Iterator[Rating]:
    kind = project.kind
    for text in _last_round(project):
        assert text.author is not None
        rater = Rater("person", text.author.get_username(), text.author_id)
        try:
            said = _said(kind, subject, text)
        except BadShape:
            left_out["unreadable"] += 1
            continue
        for axis, value in said.items():
            unit = f"item/{text.item_id}/{axis}" if axis else f"item/{text.item_id}"
            yield Rating(unit, rater, value, item=text.item_id, axis=axis, source=text.pk)


def _last_round(project: Project) -> Iterator[Annotation]:
    """What was handed in, by item."""
    found = Annotation.objects.filter(
        slot__in=overlapped(project), submitted_at__isnull=False, author__isnull=False
    ).select_related("item", "author", "slot")
    newest: dict[int, list[Annotation]] = {}
    for text in found.order_by("item_id", "slot__round", "pk").iterator(chunk_size=2000):
        assert text.slot is not None
        before = newest.get(text.item_id)
        if before and before[0].slot is not None and before[0].slot.round == text.slot.round:
            before.append(text)
        else:
            newest[text.item_id] = [text]
    return (text for texts in newest.values() for text in texts)


def _said(kind: Kind, subject: Subject, text: Annotation) -> Mapping[str, float | str | None]:
    draft = kind.upgrade(text.draft, text.schema)
    facts = kind.read_facts(kind.upgrade(text.item.facts, text.item.schema))
    if kind.voted:
        return kind.votes(facts, kind.read_draft(draft))
    wanted = next((field for field in kind.fields(facts) if field.name == subject.field), None)
    return {} if wanted is None else {"": kind.label(wanted, draft)}
