"""Every text about one item, taken out of its table; the rows, their ids, hashes and times stay.

tests/annotate/services/withdrawing/test_tables.py walks over all tables: a new one that can hold words of an item has
to be added here, or to say there why it holds none.
"""

from typing import Any

from django.db.models import F
from django.utils import timezone

from annotate.kinds.causes import Cause
from annotate.kinds.reported import ERASED
from annotate.models import (
    Annotation,
    Call,
    Classification,
    Comment,
    Dispute,
    Event,
    Item,
    Job,
    Notification,
    Precedent,
    PrecedentEvent,
    ReportedCase,
    SetAside,
    Skip,
)

NO_TURNS: dict[str, Any] = {"turns": [], "intent": "", "service": ""}


def erase(item: Item) -> None:
    """Inside the caller's transaction, with the item locked and dropped; doing it twice changes nothing more."""
    kind = item.project.kind
    facts = kind.erased(item.facts)
    Item.objects.filter(pk=item.pk).update(facts=facts, title=ERASED, changed_at=timezone.now())
    ReportedCase.objects.filter(item=item).update(**NO_TURNS)
    _work(item, kind.empty_draft(kind.read_facts(facts)))
    _talk(item)
    _models(item)


def _work(item: Item, draft: dict[str, Any]) -> None:
    """A page that is still open saves against an older revision, and finds that it cannot."""
    annotations = Annotation.objects.filter(item=item)
    annotations.update(
        draft=draft, doubts=[], candidates=[], picked=None, decided=[], note="", said={}, revision=F("revision") + 1
    )
    SetAside.objects.filter(annotation__item=item).delete()
    Skip.objects.filter(item=item).update(note="")


def _talk(item: Item) -> None:
    Comment.objects.filter(item=item).update(text=ERASED)
    Event.objects.filter(item=item).update(note="")
    Notification.objects.filter(item=item).update(note="")
    disputes = Dispute.objects.filter(annotation__item=item)
    disputes.update(reason=ERASED)
    disputes.exclude(answer="").update(answer=ERASED)
    precedents = Precedent.objects.filter(item=item)
    PrecedentEvent.objects.filter(precedent__in=precedents).update(text=ERASED)
    precedents.exclude(ruling="").update(ruling=ERASED)
    precedents.update(question=ERASED)


def _models(item: Item) -> None:
    """Nothing more is asked about it. A call in flight counts as over: what comes back for it is not written."""
    jobs = Job.objects.filter(item=item)
    jobs.open().update(state=Job.State.CANCELLED, token=None, lease_until=None, ended_at=timezone.now())
    jobs.update(detail="")
    calls = Call.objects.filter(job__item=item)
    calls.filter(cause=None).update(cause=Cause.UNSUITABLE)
    calls.update(request={"messages": []}, reply="", reasoning="", detail="", sent=None)
    Classification.objects.filter(item=item).update(label="", group="")
