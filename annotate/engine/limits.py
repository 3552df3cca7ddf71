"""Rate limits of an endpoint, kept by all workers together: concurrent calls, requests and tokens per minute."""

import asyncio
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotate.models import Endpoint, Minute, Place

LEASE = timedelta(seconds=10)  # on places: how long they stay empty after a worker was killed
RENEWED = 1.0  # seconds between renewals
FIRST_RENEWED = 0.1  # after the first one; renewing soon leaves room for workers that begin at the same time
PLACES_OF_ONE = 32  # calls in flight that one process can serve before its own CPU is the limit
FIRST_WANTED = 128  # places that a worker asks for before it knows how many it can fill
MINUTE = timedelta(minutes=1)
REMEMBERED = timedelta(hours=1)


def share(endpoint_id: int, worker: UUID, *, wanted: int, used: int) -> int:
    """How many calls this worker may have in flight until LEASE from now; 0: it has to wait for others.

    used: calls that it has in flight; these places stay its own until the calls end. All workers get equal parts. The
    sum never exceeds `max_in_flight`, because the endpoint's row is locked while it is counted.
    """
    now = timezone.now()
    with transaction.atomic():
        limit = Endpoint.objects.select_for_update().values_list("max_in_flight", flat=True).get(pk=endpoint_id)
        Place.objects.filter(endpoint_id=endpoint_id, lease_until__lt=now).exclude(worker=worker).delete()
        place, _new = Place.objects.get_or_create(
            worker=worker, defaults={"endpoint_id": endpoint_id, "count": 0, "lease_until": now + LEASE}
        )
        held = dict(Place.objects.filter(endpoint_id=endpoint_id).order_by("pk").values_list("worker", "count"))
        other_count = sum(count for who, count in held.items() if who != worker)
        part = _part(limit, len(held), list(held).index(worker))
        count = min(wanted, part, max(0, limit - other_count))
        Place.objects.filter(pk=place.pk).update(count=max(used, count), lease_until=now + LEASE)
    return count


def _part(limit: int, workers: int, rank: int) -> int:
    """Equal parts; the remainder goes to the workers that came first."""
    whole, remainder = divmod(limit, workers)
    return whole + (rank < remainder)


def leave(worker: UUID) -> None:
    Place.objects.filter(worker=worker).delete()


class Gate:
    """The places of one worker: `async with gate` waits for one. Closed if the lease was not renewed in time."""

    def __init__(self) -> None:
        self.used = 0
        self._closing = 0
        self._count = 0
        self._until = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def wanted(self) -> int:
        return self.used + len(self._waiting)

    @property
    def count(self) -> int:
        return self._count if time.monotonic() < self._until else 0

    @property
    def held(self) -> int:
        """Places that are taken: in use, or with a reply that is not written yet."""
        return max(self.used, min(self.count, self.used + self._closing))

    @contextmanager
    def closing(self) -> Iterator[None]:
        """Inside it, a reply is being written whose place is already free."""
        self._closing += 1
        try:
            yield
        finally:
            self._closing -= 1

    def opened(self, count: int, asked_at: float) -> None:
        """Open `count` places. asked_at: the monotonic time before the lease was renewed."""
        self._count, self._until = count, asked_at + LEASE.total_seconds()
        self._let_in()

    async def __aenter__(self) -> None:
        if self._waiting or self.used >= self.count:
            future = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            try:
                await future
            except asyncio.CancelledError:
                if future.done() and not future.cancelled():
                    self._leave()
                raise
        else:
            self.used += 1

    async def __aexit__(self, *_fault: object) -> None:
        self._leave()

    def _leave(self) -> None:
        self.used -= 1
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and self.used < self.count:
            future = self._waiting.popleft()
            if not future.done():
                self.used += 1
                future.set_result(None)


def is_limited(endpoint: Endpoint) -> bool:
    return endpoint.requests_a_minute is not None or endpoint.tokens_a_minute is not None


def this_minute(now: datetime) -> datetime:
    return now.replace(second=0, microsecond=0)


def admit(endpoint: Endpoint, tokens: Sequence[int], minute: datetime | None = None) -> int:
    """How many of these requests, in order, may still be sent in this minute; they are counted as sent.

    tokens: the estimated tokens of each request. A request larger than the limit is sent alone in a minute. Call it
    inside a transaction.
    """
    minute = minute or this_minute(timezone.now())
    Minute.objects.get_or_create(endpoint=endpoint, minute=minute)
    counted = Minute.objects.select_for_update().get(endpoint=endpoint, minute=minute)
    requests, sent = counted.requests, counted.tokens
    admitted = 0
    while admitted < len(tokens) and _fits(endpoint, requests, sent, tokens[admitted]):
        requests, sent, admitted = requests + 1, sent + tokens[admitted], admitted + 1
    Minute.objects.filter(pk=counted.pk).update(requests=requests, tokens=sent)
    return admitted


def _fits(endpoint: Endpoint, requests: int, sent: int, size: int) -> bool:
    if endpoint.requests_a_minute is not None and requests >= endpoint.requests_a_minute:
        return False
    return endpoint.tokens_a_minute is None or not sent or sent + size <= endpoint.tokens_a_minute


def correct(endpoint: Endpoint, minute: datetime, tokens: int) -> None:
    """Correct the minute's tokens by the difference between reply and estimate; a negative one subtracts at most the
    estimate.
    """
    Minute.objects.filter(endpoint=endpoint, minute=minute).update(tokens=F("tokens") + tokens)


def until_next_minute() -> float:
    """Seconds until the next minute begins."""
    now = timezone.now()
    return (this_minute(now) + MINUTE - now).total_seconds()


def forget_minutes() -> None:
    Minute.objects.filter(minute__lt=timezone.now() - REMEMBERED).delete()
