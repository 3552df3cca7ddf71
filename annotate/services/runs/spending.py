"""What a run sent and paid over its time, from its ledger."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import groupby
from typing import Any

from django.db.models import Count, F, Func, IntegerField, Q, Sum
from django.utils import timezone

from annotate.models import Call, Run

# Seconds of a slice; each divides the next, so that slices can be put together.
STEPS = (1, 5, 15, 60, 300, 900, 3600, 10_800, 43_200, 86_400, 604_800, 2_419_200)
FINEST = 240  # slices that a curve is drawn of, at most
LISTED = 24  # slices that its table has, at most


@dataclass(frozen=True)
class Slice:
    """What was sent from `since` on. unread: calls that brought no readable reply. so_far: the cost up to its end."""

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
    """fine: without gaps, for a curve. listed: the same in fewer slices, those in which anything was sent."""

    fine: Sequence[Slice]
    listed: Sequence[Slice]


class _Second(Func):
    """A moment as whole seconds since 1970, in either database."""

    output_field = IntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "CAST(strftime('%%%%s', %(expressions)s) AS INTEGER)"
        return self.as_sql(compiler, connection, template=template, **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "FLOOR(EXTRACT(EPOCH FROM %(expressions)s))::bigint"
        return self.as_sql(compiler, connection, template=template, **context)


def spending(run: Run) -> Spending:
    """In one query over the run's calls, however many; empty where nothing was sent."""
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
    """The shortest slice of which so many seconds have no more than `most`."""
    return next((step for step in STEPS if seconds / step <= most), STEPS[-1])


Sums = tuple[int, int, Decimal]  # calls, of them unread, cost


def _grouped(run: Run, start: int, step: int) -> dict[int, Sums]:
    """Number of the slice -> what was sent in it; what a clock put before the start counts to the first."""
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
