"""Leases after a leap of the clock: none lasts longer than its length, counted from now.

A lease is a time of its end. Taken while the clock ran ahead, it would hold its item until that time comes again.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone

from annotate.llm import ledger, limits
from annotate.models import AlikeSearch, Batch, Delivery, Job, Pass, Place, Release, Reopening, Run, Slot, Withdrawal
from annotate.services import near_duplicates, releasing, withdrawing
from annotate.services.guidelines import reopening
from annotate.services.runs import passes
from annotate.services.webhooks import queue as webhook_queue

SKEW = timedelta(minutes=1)  # by so much may the clocks of several machines differ
LONGEST_BATCH = timedelta(minutes=10)  # files of judgements, which another app reads
Leases = tuple[QuerySet, timedelta]  # of any model with a lease, and their length


def shorten() -> int:
    """End leases that lie further ahead than their length at their length from now; returns how many."""
    now, shortened = timezone.now(), 0
    for rows, length in _all_leases(now):
        too_far = rows.filter(lease_until__gt=now + length + SKEW)
        if too_far.exists():  # a read: an UPDATE of no rows would lock SQLite for writers
            shortened += too_far.update(lease_until=now + length)
    return shortened


def _all_leases(now: datetime) -> Iterator[Leases]:
    yield from _of_slots(now)
    yield Job.objects.filter(run__in=Run.objects.filter(state=Run.State.RUNNING), state=Job.State.LEASED), ledger.LEASE
    yield Place.objects.all(), limits.LEASE
    yield Pass.objects.all(), passes.LEASE
    yield Batch.objects.all(), LONGEST_BATCH
    yield Release.objects.all(), releasing.LEASE
    yield Delivery.objects.all(), webhook_queue.LEASE
    yield Reopening.objects.all(), reopening.LEASE
    yield Withdrawal.objects.all(), withdrawing.LEASE
    yield AlikeSearch.objects.all(), near_duplicates.LEASE


def _of_slots(now: datetime) -> Iterator[Leases]:
    """Held slots by the length that their project gives a lease."""
    held = Slot.objects.held().filter(lease_until__gt=now + SKEW)
    for minutes in held.order_by().values_list("project__lease_minutes", flat=True).distinct():
        yield Slot.objects.held().filter(project__lease_minutes=minutes), timedelta(minutes=minutes)
