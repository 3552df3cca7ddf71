"""The jobs of a run, page by page, and everything that was sent for one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, QuerySet, Sum

from annotate.models import Call, Job, Run

PAGE = 50
CALLS_SHOWN = 200


@dataclass(frozen=True)
class JobRow:
    """A job with the sums over its ledger. milliseconds: spent waiting for replies; None where nothing came back."""

    job: Job
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal = Decimal(0)
    milliseconds: int | None = None


@dataclass(frozen=True)
class JobPage:
    """previous, next: the id before or after which the next page lies; None where there is none."""

    rows: Sequence[JobRow]
    previous: int | None
    next: int | None


def jobs_page(
    run: Run,
    *,
    state: str = "",
    cause: str = "",
    after: int | None = None,
    before: int | None = None,
    size: int = PAGE,
) -> JobPage:
    """One page of a run's jobs in the order of their planning, in two queries however many there are."""
    rows = matching(run, state=state, cause=cause).select_related("item").defer("item__facts")
    if before is not None:
        jobs = list(rows.filter(pk__lt=before).order_by("-pk")[: size + 1])
        more, jobs = len(jobs) > size, jobs[:size][::-1]
        return JobPage(with_sums(jobs), jobs[0].pk if jobs and more else None, jobs[-1].pk if jobs else None)
    if after is not None:
        rows = rows.filter(pk__gt=after)
    jobs = list(rows.order_by("pk")[: size + 1])
    more, jobs = len(jobs) > size, jobs[:size]
    return JobPage(
        with_sums(jobs), jobs[0].pk if jobs and after is not None else None, jobs[-1].pk if jobs and more else None
    )


def matching(run: Run, *, state: str = "", cause: str = "") -> QuerySet[Job]:
    """cause: only failed jobs have one, so it filters those."""
    jobs = Job.objects.filter(run=run)
    if cause:
        return jobs.filter(state=Job.State.FAILED, cause=cause)
    return jobs.filter(state=state) if state else jobs


def with_sums(jobs: Sequence[Job]) -> list[JobRow]:
    """Rows with what their calls add up to."""
    calls = Call.objects.filter(job__in=[job.pk for job in jobs]).order_by()
    sums = calls.values("job").annotate(
        n=Count("pk"), t_in=Sum("tokens_in"), t_out=Sum("tokens_out"), usd=Sum("cost"), ms=Sum("milliseconds")
    )
    by_job: dict[int, Mapping[str, Any]] = {row["job"]: row for row in sums}
    return [_row(job, by_job.get(job.pk)) for job in jobs]


def _row(job: Job, sums: Mapping[str, Any] | None) -> JobRow:
    if sums is None:
        return JobRow(job)
    return JobRow(job, sums["n"], sums["t_in"], sums["t_out"], sums["usd"], sums["ms"])


def jobs_about(run: Run, items: Sequence[int]) -> list[Job]:
    """The run's jobs about these items."""
    jobs = Job.objects.filter(run=run, item__in=items)
    return list(jobs.select_related("item").defer("item__facts").order_by("pk"))


@dataclass(frozen=True)
class Ledger:
    """Every call of a job in the order of sending; more: how many beyond those shown."""

    calls: Sequence[Call]
    more: int


def ledger(job: Job, most: int = CALLS_SHOWN) -> Ledger:
    stored_calls = Call.objects.filter(job=job).order_by("sent_at", "pk")
    calls = list(stored_calls[: most + 1])
    return Ledger(calls[:most], stored_calls.count() - most if len(calls) > most else 0)
