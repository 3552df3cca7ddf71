"""What people handed in, as figures about pace and quality read it: a project's newest texts. Nothing writes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotate.kinds.agreeing import agree_in
from annotate.models import Annotation, Item, Project, Slot
from annotate.services.items.lists import reviews
from annotate.services.readiness.places import FIRST

READ_AT_MOST = 5000
COMPARED_AT_MOST = 2000  # texts whose answers are read too
BLANK: tuple[Any, ...] = (None, "", [])


@dataclass(frozen=True)
class Handed:
    """One text. seconds: of work in view, without idle; 0 where none was recorded. returned: None: not reviewed."""

    pk: int
    item: int
    author: int
    week: date
    seconds: int
    returned: bool | None


@dataclass(frozen=True)
class Agreed:
    """How far one text agrees: of `of` fields, `same` say the same in substance."""

    item: int
    author: int
    same: int
    of: int


def handed_in(project: Project, *, checks: bool = False) -> list[Handed]:
    """Newest first, at most READ_AT_MOST; two queries."""
    rows = (
        _counted(project, checks).order_by("-pk").values_list("pk", "item", "author", "submitted_at", "active_seconds")
    )
    newest = list(rows[:READ_AT_MOST])
    back: dict[int, bool] = {}
    decided = reviews(project).filter(slot__about__isnull=False).values_list("slot__about", "outcome")
    for about, outcome in decided:
        back[about] = back.get(about, False) or outcome == Annotation.Outcome.RETURNED
    return [
        Handed(pk, item, author, week_of(submitted_at), seconds, back.get(pk))
        for pk, item, author, submitted_at, seconds in newest
    ]


def count(project: Project, *, checks: bool = False) -> int:
    return _counted(project, checks).count()


def week_of(moment: Any) -> date:
    """The Monday of a moment's week, in the reader's time zone."""
    day = timezone.localdate(moment)
    return day - timedelta(days=day.weekday())


def with_others(project: Project) -> list[Agreed]:
    """Of items that several people wrote about independently: each text against every other one of its round."""
    groups: dict[tuple[int, int], list[Annotation]] = {}
    for text in _shared(project):
        groups.setdefault((text.item_id, text.slot.round), []).append(text)  # type: ignore[union-attr]
    return [
        _agreement(project, text, other_text.draft, other_text.schema)
        for group in groups.values()
        for text in group
        for other_text in group
        if other_text.author_id != text.author_id
    ]


def with_adjudicated(project: Project) -> list[Agreed]:
    """Each text of a round that was adjudicated, against the text that the adjudicator let stand."""
    verdicts = Annotation.objects.filter(
        slot__project=project,
        slot__stage=Slot.Stage.ADJUDICATE,
        item__purpose=Item.Purpose.WORK,
        submitted_at__isnull=False,
        outcome__in=[Annotation.Outcome.ACCEPTED, Annotation.Outcome.FIXED],
    ).select_related("slot")
    truth = {(verdict.item_id, verdict.slot.round): verdict for verdict in verdicts.order_by("-pk")[:COMPARED_AT_MOST]}  # type: ignore[union-attr]
    texts = _texts(project).filter(item__in={item for item, _round in truth}).select_related("item", "slot")
    return [
        _agreement(project, text, judged.draft, judged.schema)
        for text in texts
        if (judged := truth.get((text.item_id, text.slot.round)))  # type: ignore[union-attr]
    ]


def _counted(project: Project, checks: bool) -> QuerySet[Annotation]:
    """checks: with those about checks, where work is known as soon as it is handed in."""
    if not checks or project.overlap > 1:
        return _texts(project)
    check_texts = _handed_in(Annotation.objects.all(), project).filter(slot__no__gte=FIRST)
    return _texts(project) | check_texts.exclude(item__purpose=Item.Purpose.CALIBRATION)


def _texts(project: Project) -> QuerySet[Annotation]:
    """What people wrote about work items, as far as all may know of it."""
    return _handed_in(Annotation.objects.in_the_open(), project).filter(item__purpose=Item.Purpose.WORK)


def _handed_in(annotations: QuerySet[Annotation], project: Project) -> QuerySet[Annotation]:
    return annotations.filter(
        slot__project=project,
        slot__stage=Slot.Stage.ANNOTATE,
        authored=True,
        author__isnull=False,
        submitted_at__isnull=False,
    )


def _shared(project: Project) -> Sequence[Annotation]:
    parallel_texts = Annotation.objects.filter(
        ~Q(author=OuterRef("author")),
        slot__item=OuterRef("item"),
        slot__round=OuterRef("slot__round"),
        slot__stage=Slot.Stage.ANNOTATE,
        submitted_at__isnull=False,
        authored=True,
    )
    return list(
        _texts(project).filter(Exists(parallel_texts)).select_related("item", "slot").order_by("-pk")[:COMPARED_AT_MOST]
    )


def _agreement(project: Project, text: Annotation, other_draft: Mapping[str, Any], schema: int) -> Agreed:
    """In the fields in which people should agree, those left aside that neither filled in."""
    kind = project.kind
    facts = kind.read_facts(kind.upgrade(text.item.facts, text.item.schema))
    drafts = [kind.upgrade(text.draft, text.schema), kind.upgrade(dict(other_draft), schema)]
    fields = [
        field
        for field in kind.fields(facts)
        if not field.free and any(draft.get(field.name) not in BLANK for draft in drafts)
    ]
    same = sum(agree_in(field, drafts) for field in fields)
    return Agreed(text.item_id, text.author_id or 0, same, len(fields))
