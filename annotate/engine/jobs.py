"""Jobs of a worker: claimed under its token and a lease, stored and ended, put back when the worker stops."""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from annotate.engine.ledger import LEASE
from annotate.engine.ledger_rows import owned
from annotate.kinds.protocol import Cause
from annotate.models import Call, Job, Run

DEATHS = 3  # of workers that a job may survive; one more, and the job itself is taken to be the cause
TOGETHER = 5000  # jobs changed in one transaction: others must be able to write in between


@dataclass
class JobHistory:
    """What the ledger holds of a job from before: readable replies, and failed calls since it was last taken up."""

    replies: dict[tuple[str, str], Call] = field(default_factory=dict)  # (step, digest) -> its newest reply
    failed: dict[str, list[Call]] = field(default_factory=lambda: defaultdict(list))  # step -> the attempts that count
    attempts: dict[str, int] = field(default_factory=lambda: defaultdict(int))  # step -> the number of the last attempt

    def add(self, call: Call, job: Job) -> None:
        self.attempts[call.step] = max(self.attempts[call.step], call.attempt)
        if call.was_read:
            self.replies[call.step, call.digest] = call
        elif call.cause and not call.adapted and (job.ended_at is None or call.sent_at > job.ended_at):
            self.failed[call.step].append(call)


@dataclass(frozen=True)
class JobClaim:
    job: Job
    history: JobHistory


def claim(run: Run, worker: UUID, *, most: int, in_hand: Collection[int]) -> list[JobClaim]:
    """The next jobs, claimed for this worker; [] if there are none. in_hand: jobs that it already works at.

    Jobs on which other workers died come last. A job on which several workers died fails as `crashed`. Just after a
    leap of the clock nobody counts as dead (`LeapWatch`).
    """
    now, takes_over = timezone.now(), not watch.has_just_leapt()
    if takes_over:
        _fail_crashed(run)
    with transaction.atomic():
        keys = _free(run, now, most, in_hand, takes_over=takes_over)
        if not keys:
            return []
        free = Job.objects.claimable(now).filter(pk__in=keys, run__state=Run.State.RUNNING)
        free.update(state=Job.State.LEASED, token=worker, lease_until=now + LEASE, attempts=F("attempts") + 1)
    jobs = list(Job.objects.filter(pk__in=keys, state=Job.State.LEASED, token=worker).order_by("pk"))
    histories = _histories(jobs)
    return [JobClaim(job, histories[job.pk]) for job in jobs]


def _free(run: Run, now: datetime, most: int, in_hand: Collection[int], *, takes_over: bool) -> list[int]:
    """Free jobs, locked with SKIP LOCKED: otherwise a worker would wait for another one's jobs and find none left."""
    pending_jobs = _passing_by(Job.objects.filter(run=run, state=Job.State.PENDING))
    keys = list(pending_jobs.order_by("pk").values_list("pk", flat=True)[:most])
    if len(keys) < most and takes_over:
        abandoned = _passing_by(Job.objects.filter(run=run, state=Job.State.LEASED, lease_until__lt=now))
        oldest = abandoned.exclude(pk__in=in_hand).order_by("attempts", "pk")
        keys += oldest.values_list("pk", flat=True)[: most - len(keys)]
    return keys


def _passing_by(jobs: QuerySet[Job]) -> QuerySet[Job]:
    skips = connection.features.has_select_for_update_skip_locked
    return jobs.select_for_update(no_key=True, skip_locked=True) if skips else jobs


def _fail_crashed(run: Run) -> None:
    now = timezone.now()
    dead = Job.objects.filter(run=run, state=Job.State.LEASED, lease_until__lt=now, attempts__gt=DEATHS)
    detail = f"{DEATHS + 1} workers ended while they were at it."
    fail(dead, Cause.CRASHED, detail)


def _histories(jobs: list[Job]) -> dict[int, JobHistory]:
    by_key = {job.pk: job for job in jobs}
    histories = {job.pk: JobHistory() for job in jobs}
    for call in Call.objects.filter(job__in=jobs).defer("request").order_by("pk"):
        histories[call.job_id].add(call, by_key[call.job_id])
    return histories


def release(run: Run, worker: UUID) -> None:
    """Put back the jobs that this worker has not ended; this is no death. In a cancelled run they are cancelled."""
    worker_jobs = Job.objects.filter(run=run, state=Job.State.LEASED, token=worker)
    freed = {"token": None, "lease_until": None}
    if Run.objects.filter(pk=run.pk, state=Run.State.CANCELLED).exists():
        worker_jobs.update(state=Job.State.CANCELLED, ended_at=timezone.now(), **freed)
    else:
        worker_jobs.update(state=Job.State.PENDING, attempts=F("attempts") - 1, **freed)


def fail(jobs: QuerySet[Job], cause: Cause, detail: str) -> int:
    """End these jobs without an outcome; returns how many."""
    ended = {"token": None, "lease_until": None, "ended_at": timezone.now()}
    return jobs.update(state=Job.State.FAILED, cause=cause, detail=detail, **ended)


# Circuit breaker of a run: if a service refuses job after job for a cause that only people can mend, the jobs that
# still wait are failed without being sent.


STREAK = 10  # jobs of any worker that failed for one cause, with no success since the first of them
UNSENT = "Not sent:"  # prefix of the detail of jobs that failed without being tried; they are no evidence


@dataclass(frozen=True)
class OpenBreaker:
    """Why nothing more is sent. said: the service's own words."""

    cause: Cause
    said: str

    @property
    def in_words(self) -> str:
        summary = f"{UNSENT} {STREAK} jobs in a row had ended as “{self.cause.label}”, and none well."
        return f"{summary} {self.said}".strip()


def fail_waiting(run: Run, broken: OpenBreaker) -> bool:
    """Fail a run's waiting jobs if this cause meets every job; returns whether it does. Jobs with replies may still
    end.

    Call it only when a failure was written, because it looks at the newest failures of the run.
    """
    pending_jobs = Job.objects.filter(run=run, state=Job.State.PENDING)
    unread = pending_jobs.filter(~Exists(Call.objects.filter(job=OuterRef("pk"), cause="")))
    while True:
        with transaction.atomic():
            if not _holds(run, broken.cause):
                return False
            keys = list(unread.order_by("pk").values_list("pk", flat=True)[:TOGETHER])
            if not keys:
                return True
            fail(pending_jobs.filter(pk__in=keys), broken.cause, broken.in_words)


def still(run: Run, broken: OpenBreaker | None) -> OpenBreaker | None:
    """The breaker, or None once somebody has taken the failed jobs up again or a job has ended well."""
    if broken is None:
        return None
    with transaction.atomic():
        return broken if _holds(run, broken.cause) else None


def _holds(run: Run, cause: Cause) -> bool:
    """Whether the cause meets every job. Call it in a transaction that locked the run: no failed job is taken up
    meanwhile.
    """
    if not Run.objects.select_for_update(no_key=True).filter(pk=run.pk, state=Run.State.RUNNING).exists():
        return False
    # Ordered by id, which has an index, and not by time: any STREAK of them will do.
    failed = Job.objects.filter(run=run, state=Job.State.FAILED, cause=cause).exclude(detail__startswith=UNSENT)
    ended = list(failed.order_by("-pk").values_list("ended_at", flat=True)[:STREAK])
    if len(ended) < STREAK:
        return False
    done_jobs = Job.objects.filter(run=run, state=Job.State.DONE, ended_at__gte=min(filter(None, ended)))
    return not done_jobs.order_by("-pk")[:1]  # the newest are likely to be the last ones


# The end of jobs: the outcome is stored in the transaction that ends the job, if the job is still this worker's.


GATHERED = 0.05  # seconds that the end of a job waits for others: it is not urgent, and calls need the database thread
AT_ONCE = 50  # jobs that end in one transaction: storing outcomes takes longer than writing rows of the ledger
log = logging.getLogger(__name__)
Case = TypeVar("Case")


@dataclass(frozen=True)
class Ending(Generic[Case]):
    """The end of one job. cause: None if there is an outcome of the case to be stored."""

    job: Job
    case: Case | None = None
    outcome: Any = None
    cause: Cause | None = None
    detail: str = ""


class Endings(Generic[Case]):
    """Stores the outcomes of cases and ends their jobs.

    store: stores several outcomes; if it raises, they are stored one by one, and only the job with the error fails.
    """

    def __init__(self, worker: UUID, store: Callable[[Sequence[tuple[Case, Any]]], None]) -> None:
        self._worker, self._store = worker, store

    def write(self, endings: Sequence[Ending[Case]]) -> list[bool]:
        """For each ending, whether the job was still this worker's; for another worker's job nothing is stored."""
        if not endings:
            return []
        try:
            return self._together(endings)
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            if len(endings) == 1:
                return [self._defect(endings[0])]
            return [self.write([ending])[0] for ending in endings]

    def _together(self, endings: Sequence[Ending[Case]]) -> list[bool]:
        with transaction.atomic(durable=True):
            job_ids = owned(self._worker, [ending.job.pk for ending in endings])
            ours = [ending for ending in endings if ending.job.pk in job_ids]
            successes = [ending for ending in ours if ending.cause is None]
            self._store([(ending.case, ending.outcome) for ending in successes if ending.case is not None])
            now = timezone.now()  # one time for all: jobs that end together get the same time
            _end([ending.job.pk for ending in successes], now, state=Job.State.DONE)
            for ending in ours:
                if ending.cause is not None:
                    _end([ending.job.pk], now, state=Job.State.FAILED, cause=ending.cause, detail=ending.detail)
        return [ending.job.pk in job_ids for ending in endings]

    def _defect(self, ending: Ending[Case]) -> bool:
        log.exception("job %s: its outcome could not be stored", ending.job.pk)
        detail = "What came out could not be stored; the log says why."
        return self._together([Ending(ending.job, cause=Cause.DEFECT, detail=detail)])[0]


def _end(keys: Sequence[int], now: datetime, **columns: object) -> None:
    if keys:
        Job.objects.filter(pk__in=keys).update(token=None, lease_until=None, ended_at=now, **columns)


# Leaps of the clock, which make every lease look as if it had run out. A living worker extends its leases every few
# seconds, timed by a clock that does not leap. So a process that has just seen a leap waits that long before it takes
# over jobs whose leases have run out: their workers may still be at them, with a paid call on its way.


FAR = 5.0  # seconds that the clock may drift from the monotonic one between two looks
PATIENCE = 20.0  # seconds, longer than living workers take to extend their leases


@dataclass
class LeapWatch:
    """What this process knows of its clock."""

    offset: float | None = None
    leapt_at: float | None = None

    def has_just_leapt(self) -> bool:
        """Whether the clock has leapt within the last PATIENCE seconds, as far as this process has looked."""
        now = time.monotonic()
        offset = timezone.now().timestamp() - now
        if self.offset is not None and abs(offset - self.offset) > FAR:
            self.leapt_at = now
        self.offset = offset
        return self.leapt_at is not None and now - self.leapt_at < PATIENCE


watch = LeapWatch()
