"""Actions on runs: started, paused, resumed, retried, cancelled; and passes over their jobs given up.

Every change of state is a conditional update: if two people press different buttons, one of them gets WrongState.
"""

import logging
from decimal import Decimal

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import bell
from annotate.audit.trail import record, recording
from annotate.engine import warm_up
from annotate.errors import Refused, WrongState
from annotate.models import Job, Pass, Run, User
from annotate.notices import webhooks
from annotate.runs import plan
from annotate.runs.execution import workers_wanted
from annotate.runs.item_selection import why_nothing
from lib.texts.sentences import paragraph

State = Run.State
TOGETHER = 5000  # jobs changed in one transaction: others must be able to write in between
log = logging.getLogger(__name__)


def start(run: Run, by: User | None, *, ring: bool = True) -> None:
    """Start a planned run. ring: wake the worker at once.

    Raises WrongState unless it is planned, and Refused, with the reason, if it has no job.
    """
    if run.state == State.PLANNED and not run.jobs.exists():
        raise Refused(paragraph([_("There is nothing to start."), *why_nothing(run)]))
    with transaction.atomic():
        _move(run, [State.PLANNED], State.RUNNING, by, started_at=timezone.now(), **_notified_user(by))
        warm_up.begin(run)
        record("run.started", run, after={"state": run.state})
    _ring(run, ring)


def pause(run: Run, by: User | None) -> None:
    """Send nothing more; calls in flight end and are kept. Raises WrongState unless it is running."""
    with transaction.atomic():
        _move(run, [State.RUNNING], State.PAUSED, by)
        record("run.paused", run, after={"state": run.state})


def resume(run: Run, by: User | None, *, ring: bool = True) -> None:
    """Continue where it stopped, first with a few calls. Raises WrongState unless it is paused.

    If it had paused automatically, the jobs that failed for that cause are retried.
    """
    with transaction.atomic():
        cause = Run.objects.values_list("cause", flat=True).get(pk=run.pk)
        _move(run, [State.PAUSED], State.RUNNING, by, cause="", detail="")
        if cause:
            _take_up(Job.objects.filter(run=run, state=Job.State.FAILED, cause=cause))
        warm_up.begin(run)
        record("run.resumed", run, before={"cause": cause}, after={"state": run.state})
    _ring(run, ring)


def cancel(run: Run, by: User | None) -> None:
    """End it for good; calls in flight end and are kept. Raises WrongState once it has ended."""
    with transaction.atomic():
        _move(
            run,
            [State.PLANNING, State.PLANNED, State.RUNNING, State.PAUSED],
            State.CANCELLED,
            by,
            ended_at=timezone.now(),
        )
        webhooks.run_finished(run)
        record("run.cancelled", run, after={"state": run.state})
    pending_jobs = Job.objects.filter(run=run, state=Job.State.PENDING)
    while keys := list(pending_jobs.order_by("pk").values_list("pk", flat=True)[:TOGETHER]):
        pending_jobs.filter(pk__in=keys).update(state=Job.State.CANCELLED, ended_at=timezone.now())


def retry_failed(run: Run, by: User | None, cause: str | None = None, *, ring: bool = True) -> int:
    """Retry the failed jobs, with new attempts in the ledger; returns how many. A finished run is running again then.

    cause: only those that failed for it; None for all. Raises WrongState if the run is not yet started or was
    cancelled.
    """
    with transaction.atomic():
        _move(run, [State.RUNNING, State.PAUSED, State.FINISHED], None, by, **_notified_user(by))
        failed = Job.objects.filter(run=run, state=Job.State.FAILED, **({} if cause is None else {"cause": cause}))
        job_count = _take_up(failed)
        finished = Run.objects.filter(pk=run.pk, state=State.FINISHED)
        if job_count and finished.update(state=State.RUNNING, ended_at=None):
            warm_up.begin(run)
        record("run.retried", run, after={"jobs": job_count, "cause": cause})
    run.refresh_from_db()
    if job_count and run.state == State.RUNNING:
        _ring(run, ring)
    return job_count


def _take_up(failed: QuerySet[Job]) -> int:
    """`ended_at` stays: earlier attempts in the ledger do not count against the new ones."""
    return failed.update(state=Job.State.PENDING, cause="", detail="", attempts=0, token=None, lease_until=None)


def raise_budget(run: Run, budget: Decimal | None, by: User | None) -> None:
    """Set a higher budget; None: without a limit. Jobs that failed at the old budget wait for `retry_failed`.

    Raises Refused unless it is more than before, WrongState once the run was cancelled.
    """
    if budget is not None and (run.budget is None or budget <= run.budget):
        raise Refused(_("The new budget must be higher than the old one."))
    open_ones = Run.objects.filter(pk=run.pk, budget=run.budget).exclude(state=State.CANCELLED)
    with recording("run.budget_raised", run, "budget"):
        if not open_ones.update(budget=budget):
            raise WrongState("The run was cancelled, or its budget was changed meanwhile.")
    log.info("run %s: budget %s -> %s by %s", run.pk, run.budget, budget, by)
    run.refresh_from_db()


def _move(run: Run, allowed_states: list[Run.State], to: Run.State | None, by: User | None, **columns: object) -> None:
    """to: the new state; None only checks the state, and keeps others from changing it within the transaction.

    It also ends the planning of the run, or the reading of its replies.
    """
    changes = columns if to is None else {"state": to, **columns}
    movable_run: QuerySet[Run] = Run.objects.filter(pk=run.pk, state__in=allowed_states)
    with transaction.atomic():
        if not movable_run.update(**(changes or {"purpose": run.purpose})):
            raise WrongState(f"Run {run.pk} is no longer {' or '.join(allowed_states)}.")
        plan.end_others(run)
    log.info("run %s: %s by %s", run.pk, to or "retried", by)
    run.refresh_from_db()


def _notified_user(by: User | None) -> dict[str, object]:
    """Who is notified of its end; a command leaves this unchanged."""
    return {} if by is None else {"started_by": by}


def _ring(run: Run, ring: bool) -> None:
    if ring:
        for _worker in range(workers_wanted(run.endpoint)):
            bell.ring("drain_run", run.pk)


def give_up(run_pass: Pass, why: str) -> None:
    """End a pass that cannot be done. A run that cannot be planned is cancelled; one that cannot be read again stays
    unchanged. Raises LeaseLost.
    """
    now = timezone.now()
    with transaction.atomic():
        if run_pass.sort == Pass.Sort.PLANNING:
            half = Run.objects.filter(pk=run_pass.run_id, state=Run.State.PLANNING)
            half.update(state=Run.State.CANCELLED, ended_at=now)
        plan.end(run_pass, why)


def why_cancelled(run: Run) -> str:
    """Why a run could not be planned, in a sentence; empty if a person cancelled it."""
    if run.state != Run.State.CANCELLED:
        return ""
    last_pass = Pass.objects.filter(run=run, sort=Pass.Sort.PLANNING).order_by("-pk").first()
    return in_words(last_pass.detail) if last_pass else ""


def in_words(detail: str) -> str:
    """Why a pass ended early; empty if it did not, or if somebody changed the run's state."""
    if detail == plan.FAULT:
        return _("A bug in Touchstone stopped it; see the worker's log.")
    if detail == plan.DIED:
        return _("The worker crashed on it several times; see its log.")
    return ""
