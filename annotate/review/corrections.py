"""The outcomes of a person's submitted texts, as a computed column and as the list "My corrections".

Nothing is stored for it and nothing here writes.

A text is judged by its reviews or by the adjudication of its round, whichever came last. Decisions that others still
make independently are not known yet.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextChoices,
    Value,
    When,
)
from django.utils.translation import gettext_lazy as _

from annotate.items.compare import FieldVersions, compare
from annotate.items.history import version
from annotate.kinds.contract import Kind
from annotate.kinds.values import Field
from annotate.models import Annotation, Dispute, Event, Item, Member, Project, Slot, User
from annotate.prepared import prepared
from annotate.review.decisions import reasons_of
from annotate.web.pager import RowPage, row_page

Outcome, Stage = Annotation.Outcome, Slot.Stage
CHECK = Q(slot__own=True)  # nobody decides about an answer to a check: it is shown like undecided work


class Became(TextChoices):
    ACCEPTED = "accepted", _("Accepted unchanged")
    FIXED = "fixed", _("Fixed and accepted")
    RETURNED = "returned", _("Returned")
    DROPPED = "dropped", _("Dropped")
    REPLACED = "replaced", _("Another text was chosen")
    WAITING = "waiting", _("Not decided yet")


DISPUTABLE = (Became.FIXED, Became.RETURNED, Became.DROPPED, Became.REPLACED)


def texts_of(project: Project | int, person: User | int) -> Any:
    """A person's submitted texts, with `became` and `decision` (the id of the judging annotation; None if none did).

    Checks are listed with the work, as undecided: a gap or a difference would reveal them. Calibration is left out.
    """
    own_texts = Annotation.objects.filter(
        slot__project=project, slot__stage=Stage.ANNOTATE, author=person, authored=True, submitted_at__isnull=False
    )
    return judged(own_texts.exclude(item__purpose=Item.Purpose.CALIBRATION))


def judged(texts: QuerySet[Annotation]) -> Any:
    """Any texts by people, with the same two columns."""
    latest_decisions = decisions().order_by("-slot__round", "slot__stage", "submitted_at", "pk")
    decided_texts = texts.annotate(
        decision=Case(When(CHECK, then=None), default=Subquery(latest_decisions.values("pk")[:1])),
        decided_as=Subquery(latest_decisions.values("outcome")[:1]),
        decided_at_stage=Subquery(latest_decisions.values("slot__stage")[:1]),
    )
    return decided_texts.annotate(became=_became())


def decisions() -> QuerySet[Annotation]:
    """Reviews of an outer annotation, or adjudications of its round where several wrote; only what all may know."""
    between_texts = Q(slot__about=None, slot__item=OuterRef("item"), slot__round=OuterRef("slot__round"))
    about = Q(slot__about=OuterRef("pk")) | Q(slot__stage=Stage.ADJUDICATE) & between_texts
    return Annotation.objects.filter(about, submitted_at__isnull=False).in_the_open()


def _became() -> Case:
    contested = Q(about=OuterRef("pk")) | Q(about=None, item=OuterRef("item"), round=OuterRef("slot__round"))
    open_dispute = Slot.objects.unfinished().filter(contested, stage=Stage.ADJUDICATE)
    accepted_event = Exists(Event.objects.filter(item=OuterRef("item"), annotation=OuterRef("pk"), verb="accepted"))
    this_round = Q(decision=None, item__round=F("slot__round"))
    others_look = Q(slot__project__reviews__gt=0) | Q(slot__project__overlap__gt=1)
    return Case(
        When(CHECK & others_look, then=Value(Became.WAITING)),
        When(CHECK, then=Value(Became.ACCEPTED)),
        When(Exists(open_dispute), then=Value(Became.WAITING)),
        When(item__state=Item.State.DROPPED, item__base=F("pk"), then=Value(Became.DROPPED)),
        When(decided_as=Outcome.RETURNED, then=Value(Became.RETURNED)),
        When(decided_as=Outcome.DROPPED, then=Value(Became.DROPPED)),
        When(decided_as=Outcome.FIXED, then=Value(Became.FIXED)),
        When(decided_as=Outcome.ACCEPTED, decided_at_stage=Stage.REVIEW, then=Value(Became.ACCEPTED)),
        When(Q(decided_as=Outcome.ACCEPTED) & Q(accepted_event), then=Value(Became.ACCEPTED)),
        When(decided_as=Outcome.ACCEPTED, then=Value(Became.REPLACED)),
        When(this_round & Q(item__state=Item.State.ACCEPTED), then=Value(Became.ACCEPTED)),
        When(this_round & Q(item__state=Item.State.DROPPED), then=Value(Became.DROPPED)),
        When(Q(decision=None) & Q(accepted_event), then=Value(Became.ACCEPTED)),
        default=Value(Became.WAITING),
        output_field=CharField(),
    )


# My corrections: each outcome with what was changed and why.


PAGE = 20
ABOUT = "item", "slot", "author", "dispute__decided_by"


@dataclass(frozen=True)
class CorrectionReason:
    """A reason as it was given: the name of its field, empty where it is about the whole item."""

    field: str
    text: str


@dataclass(frozen=True)
class Correction:
    """One text with its outcome. decisions: the equal decisions about it, oldest first.

    dropped: the event of a drop that no review decided.
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
        """The round as the person counts: a slot that is reserved for one person is handed out once."""
        slot = self.text.slot
        return 1 if slot is None or slot.own else slot.round

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
        """The deciders' notes, apart from their reasons."""
        notes = [decision.note for decision in self.decisions if decision.note and not reasons_of(decision)]
        return notes or ([self.dropped.note] if self.dropped and self.dropped.note else [])

    @property
    def reasons(self) -> list[CorrectionReason]:
        labels = {field.name: str(field.label) for field in self._fields}
        reasons = [reason for decision in self.decisions for reason in reasons_of(decision)]
        return [CorrectionReason(reason.pin.words(labels), reason.text) for reason in reasons]

    @property
    def drop_reason(self) -> str:
        return self.text.item.get_drop_reason_display() if self.became == Became.DROPPED else ""

    @cached_property
    def changed(self) -> list[FieldVersions]:
        """The fields that the reviewer changed when fixing the text."""
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
class CorrectionPage:
    """Newest first; older: the id to go on from, None on the last page."""

    rows: Sequence[Correction]
    older: int | None


def corrections(member: Member, *, became: str = "", disputed: str = "", before: int | None = None) -> CorrectionPage:
    """A page of a member's submitted texts. became: as in Became; disputed: `open`, `decided` or "" for all."""
    texts = texts_of(member.project, member.user)
    if became:
        texts = texts.filter(became=became)
    if disputed:
        texts = texts.filter(dispute__isnull=False, **{"dispute__decision": ""} if disputed == "open" else {})
    if disputed == "decided":
        texts = texts.exclude(dispute__decision="")
    if before is not None:
        texts = texts.filter(pk__lt=before)
    page: RowPage[Any]
    if became or disputed or before is not None:
        page = row_page(texts.select_related(*ABOUT).order_by("-pk"), PAGE)
    else:
        page = row_page(_newest.rows(project=member.project_id, person=member.user_id), PAGE)
    return CorrectionPage(load_corrections(page.rows, member.project.kind), page.next.pk if page.next else None)


def counts(member: Member) -> Mapping[str, int]:
    """became -> how many texts of this member; every outcome is there."""
    counted = _counted.rows(project=member.project_id, person=member.user_id)
    return {outcome.value: 0 for outcome in Became} | dict(counted)


@prepared
def _newest(project: int, person: int) -> Any:
    return texts_of(project, person).select_related(*ABOUT).order_by("-pk")[: PAGE + 1]


@prepared
def _counted(project: int, person: int) -> Any:
    counted = texts_of(project, person).order_by().values_list("became").annotate(Count("pk"))
    return counted[: len(Became)]


def correction_of(text: Annotation, kind: Kind) -> Correction:
    """One text of any person."""
    judged_texts = judged(Annotation.objects.filter(pk=text.pk)).select_related(*ABOUT)
    return load_corrections(list(judged_texts), kind)[0]


def load_corrections(texts: Sequence[Annotation], kind: Kind) -> list[Correction]:
    """Corrections of texts that `judged` returned, with all related data, in two queries."""
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
    """The last decision about this text, and the equal decisions of the same stage and round."""
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
    """Whether this person had no part in the text or in the decision about it."""
    return person.pk != correction.text.author_id and person.pk not in correction.deciders
