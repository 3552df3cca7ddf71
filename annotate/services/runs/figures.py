"""How far a run is, in a fixed number of queries."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from django.db.models import Count, Max, Min, Q
from django.utils import timezone

from annotate.models import Call, Job, Place, Run

RECENT = timedelta(minutes=1)
LOOKED_AT = 2000  # the newest calls of the installation: a rate needs no more, and a large ledger is not searched


@dataclass(frozen=True)
class Progress:
    """causes sum to failed. calls_a_minute: 0.0 unless running. seconds_left: None where nothing can be said.

    orphaned: of the leased, those whose worker no longer answers; another takes them up when their lease is over.
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


def progress(run: Run) -> Progress:
    """Read now; `run` itself is not refreshed. At most four queries, however large the run."""
    now = Run.objects.only("state", "calls", "tokens_in", "tokens_out", "cost").get(pk=run.pk)
    counts, causes, orphaned = _jobs(run)
    rate = _calls_a_minute(run) if now.state == Run.State.RUNNING else 0.0
    return Progress(
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
    """Counts by state, of the failed by cause, and how many are held by nobody who is alive.

    A worker that is alive renews its places every second, and its jobs' leases much more rarely.
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
    recent = Call.objects.filter(pk__gt=newest - LOOKED_AT, job__run_id=run.pk, sent_at__gte=now - RECENT)
    figures = recent.aggregate(count=Count("pk"), first=Min("sent_at"))
    if not figures["count"]:
        return 0.0
    seconds = max(1.0, (now - figures["first"]).total_seconds())
    return figures["count"] * 60 / seconds


def _seconds_left(counts: dict[str, int], calls: int, rate: float) -> int | None:
    """By the calls that each job took so far; nothing can be said before one has ended."""
    open_count, ended = counts["pending"] + counts["leased"], counts["done"] + counts["failed"]
    if not (open_count and rate and ended and calls):
        return None
    return round(open_count * calls / ended * 60 / rate)
