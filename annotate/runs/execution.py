"""Execution of runs: their progress, the notification at their end, and the work on them, in this process or by
workers.
"""

import logging
import os
import time
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotate.engine import concurrency, limits
from annotate.engine import drain as engine
from annotate.engine import purposes as registry
from annotate.errors import WrongState
from annotate.kinds.protocol import OF_THE_ENDPOINT, Cause
from annotate.models import Call, Endpoint, Job, Notification, Pass, Place, Run, User
from annotate.notices import webhooks
from annotate.notices.inbox import notify
from annotate.runs import plan
from annotate.runs.plan import prompts_of, purpose_of
from lib.log_lines import bound

RATE_WINDOW = timedelta(minutes=1)
LOOKED_AT = 2000  # the newest calls of the installation: enough for a rate, without searching a large ledger


@dataclass(frozen=True)
class RunProgress:
    """Progress in a fixed number of queries. causes add up to failed. calls_a_minute: 0.0 unless running.

    seconds_left: None if it cannot be estimated. orphaned: leased jobs whose worker no longer answers; another worker
    takes them when their lease has expired.
    """

    jobs: int
    pending: int
    leased: int
    done: int
    failed: int
    cancelled: int
    causes: dict[str, int]
    calls: int
    tokens_in: int
    tokens_out: int
    cost: Decimal
    calls_a_minute: float
    seconds_left: int | None
    orphaned: int = 0

    @property
    def open(self) -> int:
        return self.pending + self.leased

    @property
    def ended(self) -> int:
        return self.done + self.failed + self.cancelled


def progress(run: Run) -> RunProgress:
    """The progress now; `run` itself is not refreshed. At most four queries, however large the run."""
    now = Run.objects.only("state", "calls", "tokens_in", "tokens_out", "cost").get(pk=run.pk)
    counts, causes, orphaned = _jobs(run)
    rate = _calls_a_minute(run) if now.state == Run.State.RUNNING else 0.0
    return RunProgress(
        jobs=sum(counts.values()),
        **counts,
        causes=causes,
        calls_a_minute=round(rate, 1),
        seconds_left=_seconds_left(counts, now.calls, rate),
        orphaned=orphaned,
        calls=now.calls,
        tokens_in=now.tokens_in,
        tokens_out=now.tokens_out,
        cost=now.cost,
    )


def _jobs(run: Run) -> tuple[dict[str, int], dict[str, int], int]:
    """Counts by state, failed jobs by cause, and the number of jobs held by no live worker.

    A live worker renews its places every second, and its jobs' leases much more rarely.
    """
    counts, causes, orphaned = dict.fromkeys(Job.State.values, 0), {}, 0
    alive = Place.objects.filter(lease_until__gte=timezone.now()).values("worker")
    held_by_nobody = Count("pk", filter=Q(state=Job.State.LEASED) & ~Q(token__in=alive))
    groups = Job.objects.filter(run_id=run.pk).order_by().values_list("state", "cause")
    for state, cause, count, lost in groups.annotate(count=Count("pk"), lost=held_by_nobody):
        counts[state] += count
        orphaned += lost
        if cause:
            causes[cause] = count
    return counts, dict(sorted(causes.items(), key=lambda entry: (-entry[1], entry[0]))), orphaned


def _calls_a_minute(run: Run) -> float:
    now = timezone.now()
    newest = Call.objects.aggregate(last=Max("pk"))["last"] or 0
    recent = Call.objects.filter(pk__gt=newest - LOOKED_AT, job__run_id=run.pk, sent_at__gte=now - RATE_WINDOW)
    figures = recent.aggregate(count=Count("pk"), first=Min("sent_at"))
    if not figures["count"]:
        return 0.0
    seconds = max(1.0, (now - figures["first"]).total_seconds())
    return figures["count"] * 60 / seconds


def _seconds_left(counts: dict[str, int], calls: int, rate: float) -> int | None:
    """Estimated from the calls per job so far; None before a job has ended."""
    open_count, ended = counts["pending"] + counts["leased"], counts["done"] + counts["failed"]
    if not (open_count and rate and ended and calls):
        return None
    return round(open_count * calls / ended * 60 / rate)


# Notifications: the person who started a run is told how it ended, once, in the transaction that ends it.


Verb = Notification.Verb


def tell(run: Run) -> None:
    """Notify of the end; nobody if only commands started it, or if it is part of a page on which somebody waits, as a
    trial is.
    """
    purpose = registry.purposes().get(run.purpose)
    if run.started_by is None or purpose is None or not purpose.offered:
        return
    run_progress = progress(run)
    verb = Verb.STOPPED if _stopped_early(run_progress) else Verb.FINISHED
    with override(_language(run.started_by)):
        note = _in_words(run, str(purpose.name), run_progress)
    notify(run.started_by, None, verb, by=None, project=run.project, run=run, note=note)


def tell_halted(run: Run) -> None:
    """Notify that it paused automatically; in the transaction that pauses it."""
    purpose = registry.purposes().get(run.purpose)
    if run.started_by is None or purpose is None or not purpose.offered:
        return
    run_progress = progress(run)
    with override(_language(run.started_by)):
        words = _("Run %(run)d, %(purpose)s: paused, %(done)d of %(jobs)d jobs done. Cause: %(cause)s.") % {
            "run": run.pk,
            "purpose": str(purpose.name),
            "done": run_progress.done,
            "jobs": run_progress.jobs,
            "cause": Cause(run.cause).label,
        }
    notify(run.started_by, None, Verb.STOPPED, by=None, project=run.project, run=run, note=words)


def _stopped_early(run_progress: RunProgress) -> bool:
    """Whether it ended because the service refused one job after the other."""
    return _main_cause(run_progress) in OF_THE_ENDPOINT


def _main_cause(run_progress: RunProgress) -> str:
    return next(iter(run_progress.causes), "")


def _in_words(run: Run, purpose: str, run_progress: RunProgress) -> str:
    values = {
        "run": run.pk,
        "purpose": purpose,
        "done": run_progress.done,
        "jobs": run_progress.jobs,
        "failed": run_progress.failed,
    }
    if not run_progress.failed:
        return _("Run %(run)d, %(purpose)s: %(done)d of %(jobs)d jobs done.") % values
    values["cause"] = Cause(_main_cause(run_progress)).label
    words = _("Run %(run)d, %(purpose)s: %(done)d of %(jobs)d jobs done, %(failed)d failed, mostly: %(cause)s.")
    return words % values


def _language(user: User) -> str:
    return user.language or settings.LANGUAGE_CODE


# Working a run: in this process until no job is open, or for a while as a task of the worker.


SLICE = 30.0  # seconds that a task works at a run before it checks whether another run waits
MOST_WORKERS = 4
MOST_ON_SQLITE = 2
POLL = 0.05  # seconds between checks of jobs that another worker holds
PATIENCE = 300.0  # seconds without a database before work is given up
CANCELLED_RECENTLY = timedelta(hours=2)  # since a run was cancelled; so long may a worker still hold some of its jobs
log = logging.getLogger(__name__)


def work(run: Run) -> None:
    """Work until no job is open, somebody pauses or cancels, or the process is told to end.

    Waits for jobs that other workers hold. No broker and no worker are needed. Raises WrongState unless the run is
    running.
    """
    run.refresh_from_db()
    if run.state != Run.State.RUNNING:
        raise WrongState(f"Run {run.pk} is {run.state}.")
    while not _ended(run) and not concurrency.has_begun():
        if not _drain(run):
            time.sleep(POLL)
    run.refresh_from_db()


def _ended(run: Run) -> bool:
    finish(Run.objects.filter(pk=run.pk))
    return not Run.objects.running().filter(pk=run.pk).exists()


def drain(pk: int) -> bool:
    """For the worker: work at the run, if it is running, until another one waits; True if there is more to do."""
    run = Run.objects.running().select_related("project", "endpoint").filter(pk=pk).first()
    if run is None or concurrency.has_begun():
        return False
    _drain(run, seconds=SLICE, gives_way=lambda: any(other_pk != pk for other_pk in claimable()))
    finish(Run.objects.filter(pk=pk))
    return pk in claimable()


def _drain(run: Run, **turn: Any) -> int:
    """How many jobs were claimed. It retries while the database is away."""
    since = time.monotonic()
    while True:
        try:
            fresh = Run.objects.select_related("project", "endpoint").get(pk=run.pk)
            purpose, prompts = purpose_of(fresh), prompts_of(fresh)
            with bound(run=run.pk):
                return engine.drain(fresh, purpose, prompts, announce=tell_halted, **turn)
        except (OperationalError, InterfaceError):
            if connection.in_atomic_block or time.monotonic() - since > PATIENCE or concurrency.has_begun():
                raise
            log.warning("run %s: the database is away", run.pk, exc_info=True)
            connection.close()
            time.sleep(POLL)


def finish(runs: QuerySet[Run]) -> int:
    """Finish the runs that are running and have no open job; returns how many."""
    ended = runs.running().filter(~Exists(Job.objects.open().filter(run=OuterRef("pk"))))  # type: ignore[attr-defined]
    finished = 0
    for run in list(ended.select_related("project", "started_by")):
        with transaction.atomic():
            if ended.filter(pk=run.pk).update(state=Run.State.FINISHED, ended_at=timezone.now()):
                run.state = Run.State.FINISHED
                webhooks.run_finished(run)
                tell(run)
                finished += 1
    return finished


def workers_wanted(endpoint: Endpoint) -> int:
    """How many workers a run needs to fill the endpoint's places. On SQLite more than two would block each other;
    elsewhere more than there are cores would only write more and smaller transactions.
    """
    cores = max(MOST_ON_SQLITE, os.cpu_count() or 1)
    most = MOST_ON_SQLITE if connection.vendor == "sqlite" else min(MOST_WORKERS, cores)
    return min(most, -(-endpoint.max_in_flight // limits.PLACES_OF_ONE))


def claimable() -> list[int]:
    """Running runs with free jobs, each as often as it lacks live workers."""
    now = timezone.now()
    living = Place.objects.filter(lease_until__gte=now).values("worker")
    open_jobs = Job.objects.claimable(now).filter(run=OuterRef("pk"))
    attending = Count("jobs__token", filter=Q(jobs__state=Job.State.LEASED, jobs__token__in=living), distinct=True)
    runs = Run.objects.running().filter(Exists(open_jobs)).annotate(attending=attending).select_related("endpoint")
    missing = ((run.pk, workers_wanted(run.endpoint) - run.attending) for run in runs.order_by("pk"))
    return [pk for pk, count in missing for _worker in range(count)]


def tidy_up() -> None:
    """Clean up after lost workers: runs without open jobs, jobs of cancelled runs, runs that nobody plans any more."""
    now = timezone.now()
    finish(Run.objects.all())
    is_unfinished = Q(state=Job.State.PENDING) | Q(state=Job.State.LEASED, lease_until__lt=now)
    recently = {"run__state": Run.State.CANCELLED, "run__ended_at__gte": now - CANCELLED_RECENTLY}
    of_cancelled = Job.objects.filter(is_unfinished, **recently)
    of_cancelled.update(state=Job.State.CANCELLED, token=None, lease_until=None, ended_at=now)
    planned = Pass.objects.filter(run=OuterRef("pk"), ended_at=None)  # a worker will continue these
    half = Run.objects.filter(~Exists(planned), state=Run.State.PLANNING, created_at__lt=now - plan.leases.length)
    half.update(state=Run.State.CANCELLED, ended_at=now)
    limits.forget_minutes()
