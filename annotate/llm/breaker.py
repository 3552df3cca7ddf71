"""A service that refuses job after job for what only people can mend is not asked for the jobs that still wait."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef

from annotate.kinds.causes import Cause
from annotate.llm import claims
from annotate.models import Call, Job, Run

STREAK = 10  # jobs that failed by one cause, of any worker, with none that ended well since the first of them
UNSENT = "Not sent:"  # how the details begin of jobs that failed without being tried; they prove nothing


@dataclass(frozen=True)
class Broken:
    """Why nothing more is sent; said: the service's own words."""

    cause: Cause
    said: str

    @property
    def in_words(self) -> str:
        summary = f"{UNSENT} {STREAK} jobs in a row had ended as “{self.cause.label}”, and none well."
        return f"{summary} {self.said}".strip()


def fail_waiting(run: Run, broken: Broken) -> bool:
    """Fail the waiting jobs of a run where this cause meets every job; whether it does. Those with replies may end.

    Asked for only when a failure was written, for it looks at the newest failures of the run.
    """
    pending_jobs = Job.objects.filter(run=run, state=Job.State.PENDING)
    unread = pending_jobs.filter(~Exists(Call.objects.filter(job=OuterRef("pk"), cause="")))
    while True:
        with transaction.atomic():
            if not _holds(run, broken.cause):
                return False
            keys = list(unread.order_by("pk").values_list("pk", flat=True)[: claims.TOGETHER])
            if not keys:
                return True
            claims.fail(pending_jobs.filter(pk__in=keys), broken.cause, broken.in_words)


def still(run: Run, broken: Broken | None) -> Broken | None:
    """None once somebody has taken the failed jobs up again, or one has ended well."""
    if broken is None:
        return None
    with transaction.atomic():
        return broken if _holds(run, broken.cause) else None


def _holds(run: Run, cause: Cause) -> bool:
    """In a transaction: nobody takes failed jobs up again before its end, which begins with the row of the run."""
    if not Run.objects.select_for_update(no_key=True).filter(pk=run.pk, state=Run.State.RUNNING).exists():
        return False
    # By id, which an index has, and not by time: any so many of them will do.
    failed = Job.objects.filter(run=run, state=Job.State.FAILED, cause=cause).exclude(detail__startswith=UNSENT)
    ended = list(failed.order_by("-pk").values_list("ended_at", flat=True)[:STREAK])
    if len(ended) < STREAK:
        return False
    done_jobs = Job.objects.filter(run=run, state=Job.State.DONE, ended_at__gte=min(filter(None, ended)))
    return not done_jobs.order_by("-pk")[:1]  # the newest are likely to be the last ones
