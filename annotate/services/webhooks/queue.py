"""Messages that wait to be sent: taken one by one under a lease, tried again at growing distances, given up in the end.

A receiver may get a message twice (its answer was lost, or the worker killed): both have the same id.
"""

import time
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from annotate.models import Delivery, Webhook
from annotate.services import rights
from annotate.services.webhooks import sending as webhook_sending
from annotate.services.webhooks.sending import LONGEST, Outcome

# After the first, second, … failed attempt; eight attempts in a day.
WAITS = [
    timedelta(seconds=10),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
    timedelta(hours=15),
]
LEASE = timedelta(seconds=3 * LONGEST)
KEPT = timedelta(days=30)
SLICE = 25.0  # seconds of one task, so that others get their turn


def due(now: datetime) -> QuerySet[Delivery]:
    """Oldest first, without what somebody is sending, and only where the maker of the webhook still leads."""
    listening = rights.holding(Webhook.objects.filter(active=True))
    return Delivery.objects.filter(_free(now), webhook__in=listening).order_by("due_at", "pk")


def _free(now: datetime) -> Q:
    return Q(due_at__lte=now) & (Q(lease_until=None) | Q(lease_until__lt=now))


def are_due() -> bool:
    return due(timezone.now()).exists()


def send_due(*, seconds: float = SLICE) -> int:
    """Send what is due, for a while; how many were tried. One that fails lets the others of its webhook wait."""
    until, tried, failing = time.monotonic() + seconds, 0, set[int]()
    while time.monotonic() < until:
        delivery_id = due(timezone.now()).exclude(webhook__in=failing).values_list("pk", flat=True).first()
        if delivery_id is None:
            break
        delivery = claim(delivery_id)
        if delivery is not None:
            tried += 1
            if not deliver(delivery):
                failing.add(delivery.webhook_id)
    return tried


def claim(pk: int) -> Delivery | None:
    """The message under a fresh lease, one attempt more; None if somebody else has it."""
    now = timezone.now()
    # Columns of this table only: PostgreSQL looks at them again after it has waited for the row, at a subquery not.
    own_delivery = Delivery.objects.filter(_free(now), pk=pk)
    if not own_delivery.update(lease_until=now + LEASE, attempts=F("attempts") + 1):
        return None
    return Delivery.objects.select_related("webhook").get(pk=pk)


def deliver(delivery: Delivery) -> bool:
    """Send a claimed message and write down what became of it; whether it has arrived."""
    outcome = webhook_sending.send(delivery)
    own_delivery = Delivery.objects.filter(pk=delivery.pk, lease_until=delivery.lease_until)
    own_delivery.update(status=outcome.status, detail=outcome.detail, lease_until=None, **_next(delivery, outcome))
    return outcome.arrived


def _next(delivery: Delivery, outcome: Outcome) -> dict[str, datetime | None]:
    now = timezone.now()
    if outcome.arrived:
        return {"delivered_at": now, "due_at": None}
    waits = WAITS[delivery.attempts - 1 :]
    return {"due_at": now + waits[0] if waits else None}


def forget_old() -> int:
    old = Delivery.objects.filter(due_at=None, created_at__lt=timezone.now() - KEPT)
    # Asked first: on SQLite even a deletion of nothing waits for its turn to write.
    return old.delete()[0] if old.exists() else 0
