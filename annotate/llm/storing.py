"""The end of jobs: what came out is stored in the transaction that ends the job, if it is still this worker's."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from annotate.kinds.causes import Cause
from annotate.models import Job

GATHERED = 0.05  # seconds that the end of a job waits for others: nobody waits for it, and calls need the desk
AT_ONCE = 50  # jobs that end in one transaction: stores of purposes take longer than rows of the ledger
log = logging.getLogger(__name__)
Case = TypeVar("Case")


@dataclass(frozen=True)
class Ending(Generic[Case]):
    """cause: None where there is an outcome to be stored of the case."""

    job: Job
    case: Case | None = None
    outcome: Any = None
    cause: Cause | None = None
    detail: str = ""


class Endings(Generic[Case]):
    """store: keeps the outcomes of cases; a fault has them stored one by one, and fails that job which has it."""

    def __init__(self, worker: UUID, store: Callable[[Sequence[tuple[Case, Any]]], None]) -> None:
        self._worker, self._store = worker, store

    def write(self, endings: Sequence[Ending[Case]]) -> list[bool]:
        """For each whether the job was still this worker's; of another's job nothing is stored."""
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
            job_ids = self._mine([ending.job.pk for ending in endings])
            ours = [ending for ending in endings if ending.job.pk in job_ids]
            successes = [ending for ending in ours if ending.cause is None]
            self._store([(ending.case, ending.outcome) for ending in successes if ending.case is not None])
            now = timezone.now()  # one for all: none of them is later than what ended beside it
            _end([ending.job.pk for ending in successes], now, state=Job.State.DONE)
            for ending in ours:
                if ending.cause is not None:
                    _end([ending.job.pk], now, state=Job.State.FAILED, cause=ending.cause, detail=ending.detail)
        return [ending.job.pk in job_ids for ending in endings]

    def _mine(self, keys: list[int]) -> set[int]:
        """Locked, so that nobody takes them over while their outcomes are stored."""
        jobs = Job.objects.filter(pk__in=keys, token=self._worker, state=Job.State.LEASED)
        return set(jobs.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))

    def _defect(self, ending: Ending[Case]) -> bool:
        log.exception("job %s: its outcome could not be stored", ending.job.pk)
        detail = "What came out could not be stored; the log says why."
        return self._together([Ending(ending.job, cause=Cause.DEFECT, detail=detail)])[0]


def _end(keys: Sequence[int], now: datetime, **columns: object) -> None:
    if keys:
        Job.objects.filter(pk__in=keys).update(token=None, lease_until=None, ended_at=now, **columns)
