"""Working a run: in this process until nothing is open, or for a while as a task of the worker."""

import logging
import time
from datetime import timedelta
from typing import Any

from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotate.llm import drain as engine
from annotate.llm import limits, stopping
from annotate.models import Endpoint, Job, Pass, Place, Run
from annotate.services import webhooks
from annotate.services.errors import WrongState
from annotate.services.runs import passes, telling
from annotate.services.runs.planning import prompts_of, purpose_of

SLICE = 30.0  # seconds that a task works at a run before it looks whether another run waits for its turn
MOST_WORKERS = 4
MOST_ON_SQLITE = 2
POLL = 0.05  # seconds between looks at jobs that another worker holds
PATIENCE = 300.0  # seconds without a database before work is given up
RECENT = timedelta(hours=2)  # since a run was cancelled: so long may a worker have something of it in hand
log = logging.getLogger(__name__)


def work(run: Run) -> None:
    """Work until no job is open, somebody pauses or cancels, or the process is told to end.

    Waits for jobs that other workers hold.

    No broker and no worker are needed. Raises WrongState unless the run is running.
    """
    run.refresh_from_db()
    if run.state != Run.State.RUNNING:
        raise WrongState(f"Run {run.pk} is {run.state}.")
    while not _ended(run) and not stopping.has_begun():
        if not _drain(run):
            time.sleep(POLL)
    run.refresh_from_db()


def _ended(run: Run) -> bool:
    finish(Run.objects.filter(pk=run.pk))
    return not Run.objects.running().filter(pk=run.pk).exists()


def drain(pk: int) -> bool:
    """For the worker: work at the run until another waits; True if there is more to do. Only if it is running."""
    run = Run.objects.running().select_related("project", "endpoint").filter(pk=pk).first()
    if run is None or stopping.has_begun():
        return False
    _drain(run, seconds=SLICE, gives_way=lambda: any(other_pk != pk for other_pk in claimable()))
    finish(Run.objects.filter(pk=pk))
    return pk in claimable()


def _drain(run: Run, **turn: Any) -> int:
    """How many jobs were taken up. A database that went away is waited for."""
    since = time.monotonic()
    while True:
        try:
            fresh = Run.objects.select_related("project", "endpoint").get(pk=run.pk)
            purpose, prompts = purpose_of(fresh), prompts_of(fresh)
            return engine.drain(fresh, purpose, prompts, announce=telling.tell_halted, **turn)
        except (OperationalError, InterfaceError):
            if connection.in_atomic_block or time.monotonic() - since > PATIENCE or stopping.has_begun():
                raise
            log.warning("run %s: the database is away", run.pk, exc_info=True)
            connection.close()
            time.sleep(POLL)


def finish(runs: QuerySet[Run]) -> int:
    """Finish those that are running and have no open job; how many."""
    ended = runs.running().filter(~Exists(Job.objects.open().filter(run=OuterRef("pk"))))  # type: ignore[attr-defined]
    finished = 0
    for run in list(ended.select_related("project", "started_by")):
        with transaction.atomic():
            if ended.filter(pk=run.pk).update(state=Run.State.FINISHED, ended_at=timezone.now()):
                run.state = Run.State.FINISHED
                webhooks.run_finished(run)
                telling.tell(run)
                finished += 1
    return finished


def workers_wanted(endpoint: Endpoint) -> int:
    """How many workers a run needs to fill the endpoint's places. More than two would wait for each other on SQLite."""
    most = MOST_ON_SQLITE if connection.vendor == "sqlite" else MOST_WORKERS
    return min(most, -(-endpoint.max_in_flight // limits.PLACES_OF_ONE))


def claimable() -> list[int]:
    """Running runs with jobs for the taking, each as often as living workers are missing at it."""
    now = timezone.now()
    living = Place.objects.filter(lease_until__gte=now).values("worker")
    open_jobs = Job.objects.claimable(now).filter(run=OuterRef("pk"))
    attending = Count("jobs__token", filter=Q(jobs__state=Job.State.LEASED, jobs__token__in=living), distinct=True)
    runs = Run.objects.running().filter(Exists(open_jobs)).annotate(attending=attending).select_related("endpoint")
    missing = ((run.pk, workers_wanted(run.endpoint) - run.attending) for run in runs.order_by("pk"))
    return [pk for pk, count in missing for _worker in range(count)]


def tidy_up() -> None:
    """End what lost workers left behind: runs without open jobs, jobs of cancelled runs, runs that nobody plans."""
    now = timezone.now()
    finish(Run.objects.all())
    is_unfinished = Q(state=Job.State.PENDING) | Q(state=Job.State.LEASED, lease_until__lt=now)
    recently = {"run__state": Run.State.CANCELLED, "run__ended_at__gte": now - RECENT}
    of_cancelled = Job.objects.filter(is_unfinished, **recently)
    of_cancelled.update(state=Job.State.CANCELLED, token=None, lease_until=None, ended_at=now)
    planned = Pass.objects.filter(run=OuterRef("pk"), ended_at=None)  # a worker goes on with these
    half = Run.objects.filter(~Exists(planned), state=Run.State.PLANNING, created_at__lt=now - passes.LEASE)
    half.update(state=Run.State.CANCELLED, ended_at=now)
    limits.forget_minutes()
