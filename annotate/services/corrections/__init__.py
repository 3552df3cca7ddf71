"""My corrections: what became of what I handed in, with what was changed and why. Nothing in here writes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Count, Q, QuerySet

from annotate.kinds.base import Kind
from annotate.kinds.values import Field
from annotate.models import Annotation, Dispute, Event, Member, User
from annotate.services.comparing import Compared, compare
from annotate.services.corrections.outcomes import DISPUTABLE, Became, judged, texts_of
from annotate.services.items.history import version
from annotate.services.readiness.places import is_own_place
from annotate.services.reviewing.decisions import reasons_of

PAGE = 20
ABOUT = "item", "slot", "author", "dispute__decided_by"


@dataclass(frozen=True)
class Said:
    """A reason as it was given: the name of its field, empty where it is about the whole item."""

    field: str
    text: str


@dataclass(frozen=True)
class Correction:
    """One text with what became of it. decisions: those that judged it alike, the first first.

    dropped: the event of a drop that no review decided. own: whether whoever wrote the text reads this.
    """

    text: Annotation
    became: str
    kind: Kind
    decisions: Sequence[Annotation]
    dropped: Event | None
    dispute: Dispute | None

    @property
    def label(self) -> str:
        return str(Became(self.became).label)

    @property
    def round(self) -> int:
        """As the person counts: what is kept for one person alone is handed out once."""
        slot = self.text.slot
        return 1 if slot is None or is_own_place(slot) else slot.round

    @property
    def by(self) -> list[str]:
        """Who decided."""
        found = [str(one.author) for one in self.decisions if one.author]
        return found or ([str(self.dropped.actor)] if self.dropped and self.dropped.actor else [])

    @property
    def deciders(self) -> set[int]:
        """The ids of everybody who had a part in the decision."""
        found = {one.author_id for one in self.decisions if one.author_id}
        return found | ({self.dropped.actor_id} if self.dropped and self.dropped.actor_id else set())

    @property
    def notes(self) -> list[str]:
        """What deciders said besides their reasons."""
        said = [one.note for one in self.decisions if one.note and not reasons_of(one)]
        return said or ([self.dropped.note] if self.dropped and self.dropped.note else [])

    @property
    def reasons(self) -> list[Said]:
        labels = {one.name: str(one.label) for one in self._fields}
        given = [reason for one in self.decisions for reason in reasons_of(one)]
        return [Said(labels.get(one.field.partition("[")[0], one.field), one.text) for one in given]

    @property
    def drop_reason(self) -> str:
        return self.text.item.get_drop_reason_display() if self.became == Became.DROPPED else ""

    @cached_property
    def changed(self) -> list[Compared]:
        """The fields that whoever fixed the text changed."""
        if self.became != Became.FIXED or not self.decisions:
            return []
        through = [version(self.kind, one) for one in (self.text, self.decisions[0])]
        return [one for one in compare(self.kind, self._fields, through) if one.changed]

    @property
    def may_be_disputed(self) -> bool:
        return self.became in DISPUTABLE and self.dispute is None

    @cached_property
    def _fields(self) -> Sequence[Field]:
        item = self.text.item
        return self.kind.fields(self.kind.read_facts(self.kind.upgrade(item.facts, item.schema)))


@dataclass(frozen=True)
class Page:
    """Newest first; older: the id to go on from, None on the last page."""

    rows: Sequence[Correction]
    older: int | None


def corrections(member: Member, *, became: str = "", disputed: str = "", before: int | None = None) -> Page:
    """A page of what a member handed in. became: as in Became; disputed: `open`, `decided` or "" for all."""
    texts = texts_of(member.project, member.user)
    if became:
        texts = texts.filter(became=became)
    if disputed:
        texts = texts.filter(dispute__isnull=False, **{"dispute__decision": ""} if disputed == "open" else {})
    if disputed == "decided":
        texts = texts.exclude(dispute__decision="")
    if before is not None:
        texts = texts.filter(pk__lt=before)
    found = list(texts.select_related(*ABOUT).order_by("-pk")[: PAGE + 1])
    return Page(told(found[:PAGE], member.project.kind), found[PAGE - 1].pk if len(found) > PAGE else None)


def counts(member: Member) -> Mapping[str, int]:
    """became -> how many texts of this member; every outcome is there."""
    counted = texts_of(member.project, member.user).order_by().values_list("became").annotate(Count("pk"))
    return {one.value: 0 for one in Became} | dict(counted)


def correction_of(text: Annotation, kind: Kind) -> Correction:
    """One text of any person."""
    found = judged(Annotation.objects.filter(pk=text.pk)).select_related(*ABOUT)
    return told(list(found), kind)[0]


def told(texts: Sequence[Annotation], kind: Kind) -> list[Correction]:
    """Texts as `judged` gives them, with all that belongs to them, in two queries."""
    beside, dropped = _decisions(texts), _drops(texts)
    return [
        Correction(
            text=one,
            became=one.became,  # type: ignore[attr-defined]  # the columns of `judged`
            kind=kind,
            decisions=_alike(one, beside),
            dropped=dropped.get(one.item_id) if one.became == Became.DROPPED else None,  # type: ignore[attr-defined]
            dispute=getattr(one, "dispute", None),
        )
        for one in texts
    ]


def _decisions(texts: Sequence[Annotation]) -> list[Annotation]:
    last = [one.decision for one in texts if one.decision]  # type: ignore[attr-defined]
    about = Q(pk__in=last) | Q(slot__about__in=[one.pk for one in texts], submitted_at__isnull=False)
    known: QuerySet[Annotation] = Annotation.objects.filter(about).in_the_open()
    return list(known.select_related("author", "slot").order_by("submitted_at", "pk"))


def _alike(text: Annotation, decisions: Iterable[Annotation]) -> list[Annotation]:
    """The last decision about this text, and those beside it in its stage and round that say the same."""
    last = next((one for one in decisions if one.pk == text.decision), None)  # type: ignore[attr-defined]
    if last is None or last.slot is None:
        return []
    place = last.slot.about_id, last.slot.stage, last.slot.round, last.outcome
    beside = [
        one
        for one in decisions
        if one.slot and (one.slot.about_id, one.slot.stage, one.slot.round, one.outcome) == place
    ]
    return beside if last.slot.about_id else [last]


def _drops(texts: Sequence[Annotation]) -> dict[int, Event]:
    """item -> its last drop, where it is dropped."""
    dropped = [one.item_id for one in texts if one.became == Became.DROPPED]  # type: ignore[attr-defined]
    events = Event.objects.filter(item__in=dropped, verb="dropped").select_related("actor").order_by("pk")
    return {event.item_id: event for event in events}


def may_decide(correction: Correction, person: User) -> bool:
    """Whether somebody had no part in the text or in what was decided about it."""
    return person.pk != correction.text.author_id and person.pk not in correction.deciders
