"""Runs of model work: planned, started, paused, resumed, cancelled, repaired; and worked until no job is open.

Every change of state is a conditional update: of two people who press different buttons, one gets WrongState.
"""

import logging
from decimal import Decimal

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import bell
from annotate.llm import probing
from annotate.models import Job, Run, User
from annotate.services import webhooks
from annotate.services.errors import Refused, WrongState
from annotate.services.runs import passes
from annotate.services.runs.comparing import Compared, Comparison, compare
from annotate.services.runs.figures import Progress, progress
from annotate.services.runs.halted import Halted, why_halted
from annotate.services.runs.items import why_nothing
from annotate.services.runs.passes import waiting as passes_waiting
from annotate.services.runs.passing import go_over, why_cancelled
from annotate.services.runs.planning import Estimate, estimate, plan, purpose_of
from annotate.services.runs.rereading import Reread, last_reread, reread
from annotate.services.runs.working import claimable, drain, finish, tidy_up, work, workers_wanted

__all__ = [
    "Compared",
    "Comparison",
    "Estimate",
    "Halted",
    "Progress",
    "Reread",
    "cancel",
    "claimable",
    "compare",
    "drain",
    "estimate",
    "finish",
    "go_over",
    "last_reread",
    "passes_waiting",
    "pause",
    "plan",
    "progress",
    "purpose_of",
    "raise_budget",
    "reread",
    "resume",
    "retry_failed",
    "start",
    "tidy_up",
    "why_cancelled",
    "why_halted",
    "why_nothing",
    "work",
    "workers_wanted",
]

State = Run.State
TOGETHER = 5000  # jobs changed in one transaction: others must be able to write in between
log = logging.getLogger(__name__)


def start(run: Run, by: User | None, *, ring: bool = True) -> None:
    """Let a planned run be worked. ring: tell the worker at once. Raises WrongState unless it is planned,
    Refused where it has no job; that says why.
    """
    if run.state == State.PLANNED and not run.jobs.exists():
        raise Refused(" ".join([_("There is nothing to start."), *why_nothing(run)]))
    with transaction.atomic():
        _move(run, [State.PLANNED], State.RUNNING, by, started_at=timezone.now(), **_told_to(by))
        probing.begin(run)
    _ring(run, ring)


def pause(run: Run, by: User | None) -> None:
    """Send nothing more; what is in flight ends and is kept. Raises WrongState unless it is running."""
    _move(run, [State.RUNNING], State.PAUSED, by)


def resume(run: Run, by: User | None, *, ring: bool = True) -> None:
    """Go on where it stood, with a few calls first. Raises WrongState unless it is paused.

    Where it had paused by itself, the jobs that failed for that cause are taken up again.
    """
    with transaction.atomic():
        cause = Run.objects.values_list("cause", flat=True).get(pk=run.pk)
        _move(run, [State.PAUSED], State.RUNNING, by, cause="", detail="")
        if cause:
            _take_up(Job.objects.filter(run=run, state=Job.State.FAILED, cause=cause))
        probing.begin(run)
    _ring(run, ring)


def cancel(run: Run, by: User | None) -> None:
    """End it for good; what is in flight ends and is kept. Raises WrongState once it is over."""
    with transaction.atomic():
        _move(
            run,
            [State.PLANNING, State.PLANNED, State.RUNNING, State.PAUSED],
            State.CANCELLED,
            by,
            ended_at=timezone.now(),
        )
        webhooks.run_finished(run)
    pending_jobs = Job.objects.filter(run=run, state=Job.State.PENDING)
    while keys := list(pending_jobs.order_by("pk").values_list("pk", flat=True)[:TOGETHER]):
        pending_jobs.filter(pk__in=keys).update(state=Job.State.CANCELLED, ended_at=timezone.now())


def retry_failed(run: Run, by: User | None, cause: str | None = None, *, ring: bool = True) -> int:
    """Take the failed jobs up again, with new attempts in the ledger; how many. A finished run is running then.

    cause: only those that failed for it; None for all.
    Raises WrongState where the run is not yet started or was cancelled.
    """
    with transaction.atomic():
        _move(run, [State.RUNNING, State.PAUSED, State.FINISHED], None, by, **_told_to(by))
        failed = Job.objects.filter(run=run, state=Job.State.FAILED, **({} if cause is None else {"cause": cause}))
        job_count = _take_up(failed)
        finished = Run.objects.filter(pk=run.pk, state=State.FINISHED)
        if job_count and finished.update(state=State.RUNNING, ended_at=None):
            probing.begin(run)
    run.refresh_from_db()
    if job_count and run.state == State.RUNNING:
        _ring(run, ring)
    return job_count


def _take_up(failed: QuerySet[Job]) -> int:
    """`ended_at` stays: attempts of the ledger before it do not count against the new ones."""
    return failed.update(state=Job.State.PENDING, cause="", detail="", attempts=0, token=None, lease_until=None)


def raise_budget(run: Run, budget: Decimal | None, by: User | None) -> None:
    """None: without a limit. Jobs that failed at the old budget wait for `retry_failed`.

    Raises Refused unless it is more than before, WrongState once the run was cancelled.
    """
    if budget is not None and (run.budget is None or budget <= run.budget):
        raise Refused(_("The new budget must be higher than the one before."))
    open_ones = Run.objects.filter(pk=run.pk, budget=run.budget).exclude(state=State.CANCELLED)
    if not open_ones.update(budget=budget):
        raise WrongState("The run was cancelled, or its budget was changed meanwhile.")
    log.info("run %s: budget %s -> %s by %s", run.pk, run.budget, budget, by)
    run.refresh_from_db()


def _move(run: Run, allowed_states: list[Run.State], to: Run.State | None, by: User | None, **columns: object) -> None:
    """to: None only makes sure of the state before, and keeps others from changing it within the transaction.

    Planning it, or reading its replies again, ends with it.
    """
    changes = columns if to is None else {"state": to, **columns}
    movable_run: QuerySet[Run] = Run.objects.filter(pk=run.pk, state__in=allowed_states)
    with transaction.atomic():
        if not movable_run.update(**(changes or {"purpose": run.purpose})):
            raise WrongState(f"Run {run.pk} is no longer {' or '.join(allowed_states)}.")
        passes.end_others(run)
    log.info("run %s: %s by %s", run.pk, to or "retried", by)
    run.refresh_from_db()


def _told_to(by: User | None) -> dict[str, object]:
    """Who hears how it ends; a command leaves it to whom it was before."""
    return {} if by is None else {"started_by": by}


def _ring(run: Run, ring: bool) -> None:
    if ring:
        for _worker in range(workers_wanted(run.endpoint)):
            bell.ring("drain_run", run.pk)
