"""Queries for a run's pages: its jobs page by page, all calls of a job, and its calls and cost over time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import groupby
from typing import Any

from django.db.models import Count, F, Func, IntegerField, Q, QuerySet, Sum
from django.utils import timezone

from annotate.models import Call, Job, Run
from annotate.web.pager import row_page

PAGE = 50


@dataclass(frozen=True)
class JobRow:
    """A job with the sums over its ledger. milliseconds: time spent waiting for replies; None without any."""

    job: Job
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal = Decimal(0)
    milliseconds: int | None = None


@dataclass(frozen=True)
class JobPage:
    """previous, next: the id before or after which the next page begins; None if there is none."""

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
    """One page of a run's jobs in planning order, in two queries however many there are."""
    jobs = matching(run, state=state, cause=cause).select_related("item").defer("item__facts").order_by("pk")
    if before is not None:
        page = row_page(jobs.filter(pk__lt=before).reverse(), size, before=True)
    elif after is not None:
        page = row_page(jobs.filter(pk__gt=after), size, after=True)
    else:
        page = row_page(jobs, size)
    return JobPage(
        with_sums(page.rows), page.previous.pk if page.previous else None, page.next.pk if page.next else None
    )


def matching(run: Run, *, state: str = "", cause: str = "") -> QuerySet[Job]:
    """cause: only failed jobs have one, so it filters those."""
    jobs = Job.objects.filter(run=run)
    if cause:
        return jobs.filter(state=Job.State.FAILED, cause=cause)
    return jobs.filter(state=state) if state else jobs


def with_sums(jobs: Sequence[Job]) -> list[JobRow]:
    """Rows with the sums of their calls."""
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


# Calls and cost of a run over time, from its ledger.


# Lengths of a time slice in seconds; each divides the next, so that slices can be merged.
STEPS = (1, 5, 15, 60, 300, 900, 3600, 10_800, 43_200, 86_400, 604_800, 2_419_200)
FINEST = 240  # the most slices of a curve
LISTED = 24  # the most slices of its table


@dataclass(frozen=True)
class Slice:
    """The calls sent from `since` on. unread: calls without a readable reply. so_far: the cost up to its end."""

    since: datetime
    seconds: int
    calls: int
    unread: int
    cost: Decimal
    calls_so_far: int
    cost_so_far: Decimal

    @property
    def until(self) -> datetime:
        return self.since + timedelta(seconds=self.seconds)


@dataclass(frozen=True)
class Spending:
    """fine: without gaps, for a curve. listed: fewer and longer slices, only those in which anything was sent."""

    fine: Sequence[Slice]
    listed: Sequence[Slice]


class _Second(Func):
    """A time as whole seconds since 1970, in either database."""

    output_field = IntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "CAST(strftime('%%%%s', %(expressions)s) AS INTEGER)"
        return self.as_sql(compiler, connection, template=template, **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "FLOOR(EXTRACT(EPOCH FROM %(expressions)s))::bigint"
        return self.as_sql(compiler, connection, template=template, **context)


def spending(run: Run) -> Spending:
    """One query over the run's calls, however many; empty if nothing was sent."""
    if run.started_at is None:
        return Spending([], [])
    start = int(run.started_at.timestamp())
    step = _step(timezone.now().timestamp() - start, FINEST)
    sums_by_number = _grouped(run, start, step)
    if not sums_by_number:
        return Spending([], [])
    numbers = range(max(sums_by_number) + 1)
    coarse = max(_step(len(numbers) * step, LISTED), step)
    listed = _slices(
        start, coarse, _merged(sums_by_number, coarse // step), range(max(sums_by_number) * step // coarse + 1)
    )
    return Spending(
        _slices(start, step, sums_by_number, numbers), [time_slice for time_slice in listed if time_slice.calls]
    )


def _step(seconds: float, most: int) -> int:
    """The shortest slice length that divides these seconds into at most `most` slices."""
    return next((step for step in STEPS if seconds / step <= most), STEPS[-1])


Sums = tuple[int, int, Decimal]  # calls, of them unread, cost


def _grouped(run: Run, start: int, step: int) -> dict[int, Sums]:
    """Number of the slice -> its sums; calls that a wrong clock puts before the start count in the first slice."""
    calls = Call.objects.filter(job__run=run).order_by()
    slices = calls.annotate(slice=(_Second("sent_at") - start) / step).values("slice")
    rows = slices.annotate(n=Count("pk"), unread=Count("pk", filter=Q(cause__gt="")), usd=Sum(F("cost")))
    return _merged({row["slice"]: (row["n"], row["unread"], row["usd"]) for row in rows}, 1)


def _merged(sums_by_number: Mapping[int, Sums], factor: int) -> dict[int, Sums]:
    ordered = sorted(sums_by_number.items())
    groups = groupby(ordered, key=lambda entry: max(entry[0] // factor, 0))
    return {number: _sum(sums for _number, sums in group) for number, group in groups}


def _sum(many: Iterable[Sums]) -> Sums:
    calls, unread, cost = zip(*many, strict=True)
    return sum(calls), sum(unread), sum(cost, Decimal(0))


def _slices(start: int, step: int, sums_by_number: Mapping[int, Sums], numbers: range) -> list[Slice]:
    slices, calls_so_far, cost_so_far = [], 0, Decimal(0)
    for number in numbers:
        calls, unread, cost = sums_by_number.get(number, (0, 0, Decimal(0)))
        calls_so_far, cost_so_far = calls_so_far + calls, cost_so_far + cost
        since = datetime.fromtimestamp(start + number * step, tz=timezone.get_current_timezone())
        slices.append(Slice(since, step, calls, unread, cost, calls_so_far, cost_so_far))
    return slices
