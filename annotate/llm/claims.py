"""Which jobs a worker has: taken under its token and a lease, and put back when it stops."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from annotate.kinds.causes import Cause
from annotate.llm.ledger import LEASE
from annotate.models import Call, Job, Run

DEATHS = 3  # of workers on one job that are bad luck; one more, and it is the job
TOGETHER = 5000  # jobs changed in one transaction: others must be able to write in between


@dataclass
class History:
    """What the ledger holds of a job from before: readable replies, and what has failed since it was last taken up."""

    replies: dict[tuple[str, str], Call] = field(default_factory=dict)  # (step, digest) -> its newest reply
    failed: dict[str, list[Call]] = field(default_factory=lambda: defaultdict(list))  # step -> attempts that count
    attempts: dict[str, int] = field(default_factory=lambda: defaultdict(int))  # step -> the last number given

    def add(self, call: Call, job: Job) -> None:
        self.attempts[call.step] = max(self.attempts[call.step], call.attempt)
        if call.was_read:
            self.replies[call.step, call.digest] = call
        elif call.cause and not call.adapted and (job.ended_at is None or call.sent_at > job.ended_at):
            self.failed[call.step].append(call)


@dataclass(frozen=True)
class Claimed:
    job: Job
    history: History


def claim(run: Run, worker: UUID, *, most: int, in_hand: Collection[int]) -> list[Claimed]:
    """The next jobs, now this worker's; [] where there are none. in_hand: those that it works at already.

    What others died on comes last. A job that did not survive several workers fails as `crashed`.
    """
    now = timezone.now()
    _fail_crashed(run)
    with transaction.atomic():
        keys = _free(run, now, most, in_hand)
        if not keys:
            return []
        free = Job.objects.claimable(now).filter(pk__in=keys, run__state=Run.State.RUNNING)
        free.update(state=Job.State.LEASED, token=worker, lease_until=now + LEASE, attempts=F("attempts") + 1)
    jobs = list(Job.objects.filter(pk__in=keys, state=Job.State.LEASED, token=worker).order_by("pk"))
    histories = _histories(jobs)
    return [Claimed(job, histories[job.pk]) for job in jobs]


def _free(run: Run, now: datetime, most: int, in_hand: Collection[int]) -> list[int]:
    """Locked, past those that another worker is about to take: it would take them all, and leave this one idle."""
    pending_jobs = _passing_by(Job.objects.filter(run=run, state=Job.State.PENDING))
    keys = list(pending_jobs.order_by("pk").values_list("pk", flat=True)[:most])
    if len(keys) < most:
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


def _histories(jobs: list[Job]) -> dict[int, History]:
    by_key = {job.pk: job for job in jobs}
    histories = {job.pk: History() for job in jobs}
    for call in Call.objects.filter(job__in=jobs).defer("request").order_by("pk"):
        histories[call.job_id].add(call, by_key[call.job_id])
    return histories


def release(run: Run, worker: UUID) -> None:
    """Put back what this worker has not ended; it was no death. In a cancelled run these jobs are cancelled."""
    worker_jobs = Job.objects.filter(run=run, state=Job.State.LEASED, token=worker)
    freed = {"token": None, "lease_until": None}
    if Run.objects.filter(pk=run.pk, state=Run.State.CANCELLED).exists():
        worker_jobs.update(state=Job.State.CANCELLED, ended_at=timezone.now(), **freed)
    else:
        worker_jobs.update(state=Job.State.PENDING, attempts=F("attempts") - 1, **freed)


def fail(jobs: QuerySet[Job], cause: Cause, detail: str) -> int:
    """End these jobs without an outcome; how many."""
    ended = {"token": None, "lease_until": None, "ended_at": timezone.now()}
    return jobs.update(state=Job.State.FAILED, cause=cause, detail=detail, **ended)
