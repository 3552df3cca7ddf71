"""Reconciliation: recovers work that a lost worker or a lost message left lying, and shortens leases in the future.

A lease is stored as the time of its end. A lease taken while the clock ran ahead would hold its item until that time
comes again. So no lease may last longer than its length, counted from now.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from annotate.api import idempotency
from annotate.engine import chores, ledger, limits
from annotate.intake import batches as intake_batches
from annotate.intake import previews
from annotate.items import leases, slots
from annotate.models import Job, Place, Run, Slot
from annotate.notices import deliveries as webhook_queue
from annotate.notices import digests
from annotate.runs import execution
from annotate.runs.execution import claimable, drain
from annotate.survey import withdrawal
from annotate.web import rate_limits

SKEW = timedelta(minutes=1)  # the allowed difference between the clocks of several machines
RowsWithLeases = tuple[QuerySet, timedelta]  # of any model with a lease, and the length of their leases


def shorten() -> int:
    """Correct what a clock ahead of its time has dated into the future; returns how many rows.

    Leases end at their length from now, and what opens or is due at a time is open or due now.
    """
    now = timezone.now()
    shortened = withdrawal.correct_times(now)
    shortened += slots.correct_times(now, SKEW) + webhook_queue.correct_times(now, SKEW)
    shortened += digests.correct_times(now, SKEW)
    for rows, length in _all_leases(now):
        too_far = rows.filter(lease_until__gt=now + length + SKEW)
        if too_far.exists():  # a read: an UPDATE of no rows would lock SQLite for writers
            shortened += too_far.update(lease_until=now + length)
    return shortened


def _all_leases(now: datetime) -> Iterator[RowsWithLeases]:
    yield from _of_slots(now)
    yield Job.objects.filter(run__in=Run.objects.filter(state=Run.State.RUNNING), state=Job.State.LEASED), ledger.LEASE
    yield Place.objects.all(), limits.LEASE
    for held in [webhook_queue.leases, *(chore.leases for chore in chores.all_chores().values())]:
        yield held.model._default_manager.all(), held.longest or held.length


def _of_slots(now: datetime) -> Iterator[RowsWithLeases]:
    """Held slots by the lease length of their project."""
    held = Slot.objects.held().filter(lease_until__gt=now + SKEW)
    for minutes in held.order_by().values_list("project__lease_minutes", flat=True).distinct():
        yield Slot.objects.held().filter(project__lease_minutes=minutes), timedelta(minutes=minutes)


# One pass over everything that a lost worker or a lost message may have left lying.


def reconcile() -> dict[str, int]:
    """Put expired leases back, work all background jobs that wait, and continue runs that nobody is working on.

    All in this process; returns how many of each.
    """
    tidy_up()
    counts = {"leases": leases.sweep()}
    counts |= {chore.key: _worked(chore) for chore in chores.all_chores().values()}
    open_runs = set(claimable())
    for run in open_runs:
        drain(run)
    return {**counts, "runs": len(open_runs), "messages": webhook_queue.send_due()}


def _worked(chore: chores.Chore[Any]) -> int:
    """Work all rows of a background job that wait; returns how many."""
    waiting = chore.leases.claimable()
    for pk in waiting:
        chore.work(pk, whole=True)
    return len(waiting)


def tidy_up() -> None:
    shorten()
    intake_batches.fail_abandoned_commands()
    previews.forget_old()
    rate_limits.forget_old()
    idempotency.forget_old()
    webhook_queue.forget_old()
    digests.forget_old()
    digests.plan()
    execution.tidy_up()
