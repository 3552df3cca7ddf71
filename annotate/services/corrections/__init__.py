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
        names = [str(decision.author) for decision in self.decisions if decision.author]
        return names or ([str(self.dropped.actor)] if self.dropped and self.dropped.actor else [])

    @property
    def deciders(self) -> set[int]:
        """The ids of everybody who had a part in the decision."""
        user_ids = {decision.author_id for decision in self.decisions if decision.author_id}
        return user_ids | ({self.dropped.actor_id} if self.dropped and self.dropped.actor_id else set())

    @property
    def notes(self) -> list[str]:
        """What deciders said besides their reasons."""
        notes = [decision.note for decision in self.decisions if decision.note and not reasons_of(decision)]
        return notes or ([self.dropped.note] if self.dropped and self.dropped.note else [])

    @property
    def reasons(self) -> list[Said]:
        labels = {field.name: str(field.label) for field in self._fields}
        reasons = [reason for decision in self.decisions for reason in reasons_of(decision)]
        return [Said(labels.get(reason.field.partition("[")[0], reason.field), reason.text) for reason in reasons]

    @property
    def drop_reason(self) -> str:
        return self.text.item.get_drop_reason_display() if self.became == Became.DROPPED else ""

    @cached_property
    def changed(self) -> list[Compared]:
        """The fields that whoever fixed the text changed."""
        if self.became != Became.FIXED or not self.decisions:
            return []
        through = [version(self.kind, annotation) for annotation in (self.text, self.decisions[0])]
        return [comparison for comparison in compare(self.kind, self._fields, through) if comparison.changed]

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
    page_texts = list(texts.select_related(*ABOUT).order_by("-pk")[: PAGE + 1])
    return Page(
        told(page_texts[:PAGE], member.project.kind), page_texts[PAGE - 1].pk if len(page_texts) > PAGE else None
    )


def counts(member: Member) -> Mapping[str, int]:
    """became -> how many texts of this member; every outcome is there."""
    counted = texts_of(member.project, member.user).order_by().values_list("became").annotate(Count("pk"))
    return {outcome.value: 0 for outcome in Became} | dict(counted)


def correction_of(text: Annotation, kind: Kind) -> Correction:
    """One text of any person."""
    judged_texts = judged(Annotation.objects.filter(pk=text.pk)).select_related(*ABOUT)
    return told(list(judged_texts), kind)[0]


def told(texts: Sequence[Annotation], kind: Kind) -> list[Correction]:
    """Texts as `judged` gives them, with all that belongs to them, in two queries."""
    decisions, dropped = _decisions(texts), _drops(texts)
    return [
        Correction(
            text=text,
            became=text.became,  # type: ignore[attr-defined]  # the columns of `judged`
            kind=kind,
            decisions=_alike(text, decisions),
            dropped=dropped.get(text.item_id) if text.became == Became.DROPPED else None,  # type: ignore[attr-defined]
            dispute=getattr(text, "dispute", None),
        )
        for text in texts
    ]


def _decisions(texts: Sequence[Annotation]) -> list[Annotation]:
    decision_ids = [text.decision for text in texts if text.decision]  # type: ignore[attr-defined]
    about = Q(pk__in=decision_ids) | Q(slot__about__in=[text.pk for text in texts], submitted_at__isnull=False)
    decisions: QuerySet[Annotation] = Annotation.objects.filter(about).in_the_open()
    return list(decisions.select_related("author", "slot").order_by("submitted_at", "pk"))


def _alike(text: Annotation, decisions: Iterable[Annotation]) -> list[Annotation]:
    """The last decision about this text, and those beside it in its stage and round that say the same."""
    last_decision = next((decision for decision in decisions if decision.pk == text.decision), None)  # type: ignore[attr-defined]
    if last_decision is None or last_decision.slot is None:
        return []
    signature = last_decision.slot.about_id, last_decision.slot.stage, last_decision.slot.round, last_decision.outcome
    matches = [
        decision
        for decision in decisions
        if decision.slot
        and (decision.slot.about_id, decision.slot.stage, decision.slot.round, decision.outcome) == signature
    ]
    return matches if last_decision.slot.about_id else [last_decision]


def _drops(texts: Sequence[Annotation]) -> dict[int, Event]:
    """item -> its last drop, where it is dropped."""
    dropped = [text.item_id for text in texts if text.became == Became.DROPPED]  # type: ignore[attr-defined]
    events = Event.objects.filter(item__in=dropped, verb="dropped").select_related("actor").order_by("pk")
    return {event.item_id: event for event in events}


def may_decide(correction: Correction, person: User) -> bool:
    """Whether somebody had no part in the text or in what was decided about it."""
    return person.pk != correction.text.author_id and person.pk not in correction.deciders
