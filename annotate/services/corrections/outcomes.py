"""What became of the texts that somebody handed in, as a column: lists filter by it. Nothing is kept beside.

A text is judged by the reviews of it or by the adjudication of its round, whichever came last; what others still
decide independently is not known yet.
"""

from typing import Any

from django.db.models import Case, CharField, Exists, F, OuterRef, Q, QuerySet, Subquery, TextChoices, Value, When
from django.utils.translation import gettext_lazy as _

from annotate.models import Annotation, Event, Item, Project, Slot, User
from annotate.services.readiness.places import FIRST

Outcome, Stage = Annotation.Outcome, Slot.Stage
CHECK = Q(slot__no__gte=FIRST)  # nobody decides about an answer to a check: it looks as undecided work does


class Became(TextChoices):
    ACCEPTED = "accepted", _("Accepted as it was")
    FIXED = "fixed", _("Fixed and accepted")
    RETURNED = "returned", _("Sent back")
    DROPPED = "dropped", _("Dropped")
    REPLACED = "replaced", _("Another text was taken")
    WAITING = "waiting", _("Not decided yet")


DISPUTABLE = (Became.FIXED, Became.RETURNED, Became.DROPPED, Became.REPLACED)


def texts_of(project: Project, person: User) -> Any:
    """What a person handed in, with `became` and `decision` (the id of who judged it; None where nobody did).

    Checks stand among the work, undecided: what is missing or differs here would tell them. The calibration is no work.
    """
    own_texts = Annotation.objects.filter(
        slot__project=project, slot__stage=Stage.ANNOTATE, author=person, authored=True, submitted_at__isnull=False
    )
    return judged(own_texts.exclude(item__purpose=Item.Purpose.CALIBRATION))


def judged(texts: QuerySet[Annotation]) -> Any:
    """Any texts of people, with the same two columns."""
    latest_decisions = decisions().order_by("-slot__round", "slot__stage", "submitted_at", "pk")
    decided_texts = texts.annotate(
        decision=Case(When(CHECK, then=None), default=Subquery(latest_decisions.values("pk")[:1])),
        decided_as=Subquery(latest_decisions.values("outcome")[:1]),
        decided_at_stage=Subquery(latest_decisions.values("slot__stage")[:1]),
    )
    return decided_texts.annotate(became=_became())


def decisions() -> QuerySet[Annotation]:
    """Of an outer annotation: reviews of it, adjudications of its round where several wrote; as far as all know."""
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
