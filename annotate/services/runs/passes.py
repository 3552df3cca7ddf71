"""Passes over a run's jobs, under a lease and in parts: whoever comes next goes on where the last worker stood.

Each part is written in one transaction with `keep`. So two workers never write the same part, and a pass that somebody
has ended, by cancelling its run or otherwise, writes nothing more.
"""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from annotate import bell
from annotate.models import Pass, Run, User
from annotate.services.errors import LeaseLost, WrongState

LEASE = timedelta(seconds=45)  # a plan is read to its end before the first part is written
AT_ONCE = 2000  # jobs that whoever asks for a pass may do on the spot; the worker does what is left
DEATHS = 4  # of workers at one pass; then it is the pass

# Why a pass ended before it was through, as `Pass.detail` has it.
FAULT, DIED, MOVED = "fault", "died", "moved"


def begin(run: Run, sort: Pass.Sort, by: User | None, **columns: Any) -> Pass:
    """A new pass, this worker's. Inside a transaction. Raises WrongState where another is under way."""
    try:
        with transaction.atomic():
            return Pass.objects.create(
                run=run, sort=sort, created_by=by, token=uuid4(), lease_until=_lease(), attempts=1, **columns
            )
    except IntegrityError as conflict:
        raise WrongState(f"Another pass over run {run.pk} is under way.") from conflict


def claim(pk: int) -> Pass | None:
    """A pass that waits or whose worker is gone, this worker's from now on; None if there is nothing to do."""
    token = uuid4()
    free = Pass.objects.filter(_free(), pk=pk)
    if not free.update(token=token, lease_until=_lease(), attempts=F("attempts") + 1):
        return None
    return Pass.objects.select_related("run__project", "run__endpoint").get(pk=pk)


def waiting() -> list[int]:
    """Passes that nobody works at."""
    return list(Pass.objects.filter(_free()).order_by("pk").values_list("pk", flat=True))


def keep(run_pass: Pass, **columns: Any) -> None:
    """In the transaction of a part: how far it is now, and the lease for longer. Raises LeaseLost."""
    if not _mine(run_pass).update(lease_until=_lease(), **columns):
        raise LeaseLost
    for name, value in columns.items():
        setattr(run_pass, name, value)


def leave(run_pass: Pass) -> None:
    """Somebody else may go on with it; that was no death."""
    _mine(run_pass).update(token=None, lease_until=None, attempts=F("attempts") - 1)


def leave_to_worker(run_pass: Pass) -> None:
    """The same, and tell it at once."""
    leave(run_pass)
    bell.ring("go_over", run_pass.pk)


def end(run_pass: Pass, detail: str = "") -> None:
    """detail: why it is not through, if it is not. Raises LeaseLost."""
    keep(run_pass, ended_at=timezone.now(), detail=detail)


def end_others(run: Run) -> None:
    """Whatever moves a run ends what goes over it. In the transaction that moves it, and after its row."""
    Pass.objects.filter(run=run, ended_at=None).update(ended_at=timezone.now(), detail=MOVED)


def _mine(run_pass: Pass) -> Any:
    return Pass.objects.filter(pk=run_pass.pk, token=run_pass.token, ended_at=None)


def _free() -> Q:
    return Q(ended_at=None) & (Q(lease_until=None) | Q(lease_until__lt=timezone.now()))


def _lease() -> Any:
    return timezone.now() + LEASE
