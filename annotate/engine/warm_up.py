"""The start of a run: a few probe calls first, one first call for each sort of question, and the automatic pause."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from django.db import transaction
from django.utils import timezone

from annotate.kinds.protocol import OF_THE_ENDPOINT, Cause
from annotate.models import Call, Probing, Run


@dataclass(frozen=True)
class Halt:
    """Why nothing more is sent. budget: the budget that was checked, if that is the cause."""

    cause: Cause
    detail: str
    budget: Decimal | None = None


def halt(run: Run, reason: Halt, announce: Callable[[Run], None]) -> bool:
    """Pause the run for all workers; returns whether it changed anything. announce: called in the same transaction."""
    running = Run.objects.filter(pk=run.pk, state=Run.State.RUNNING)
    if reason.cause == Cause.BUDGET:
        running = running.filter(budget=reason.budget)  # otherwise somebody has raised it meanwhile
    with transaction.atomic():
        halted = running.update(state=Run.State.PAUSED, cause=reason.cause, detail=reason.detail)
        if halted:
            announce(Run.objects.select_related("project", "started_by").get(pk=run.pk))
    return bool(halted)


# Probe calls: a run begins with a few calls. All its places are filled once one of them has brought a reply, or none
# was answered in time.
#
# So a service that refuses everything for a cause that only people can mend costs a few calls, and not one for each
# place.


PROBES = 5  # calls that all workers together may send before one succeeds
SLOW_AFTER = timedelta(seconds=5)  # without an answer; after that a service counts as slow and not as broken
PERMANENT = OF_THE_ENDPOINT | {Cause.BAD_REQUEST}


class Probes:
    """What one worker knows of a run's start. Call each method except `refusal` inside a transaction."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.is_open = False
        self.refusal: Halt | None = None
        self._row: Probing | None = None

    def look(self, exists: bool) -> None:
        """Lock the row, so that all workers count together; if there is no row, the run is open."""
        self._row = Probing.objects.select_for_update().filter(run=self.run).first() if exists else None
        row = self._row
        if (
            row is not None
            and row.since is not None
            and row.refused < PROBES
            and timezone.now() - row.since > SLOW_AFTER
        ):
            self._open()

    def hear(self, calls: Sequence[Call]) -> None:
        """Take the results: a reply opens the run, a temporary failure counts for nothing."""
        for call in calls:
            if self._row is None:
                return
            if call.was_read:
                self._open()
            elif call.cause in PERMANENT and not call.adapted:
                self._refused(self._row, call)
            else:
                self._row.sent = max(0, self._row.sent - 1)

    def _refused(self, row: Probing, call: Call) -> None:
        if row.refused and row.cause != call.cause:  # then it is not the endpoint, or not only the endpoint
            self._open()
            return
        row.refused, row.cause, row.detail, row.since = row.refused + 1, call.cause or "", call.detail, timezone.now()

    def _open(self) -> None:
        Probing.objects.filter(run=self.run).delete()
        self._row = None

    def room(self, most: int) -> int:
        """How many calls may be sent now, at most `most`."""
        return most if self._row is None else max(0, min(most, PROBES - self._row.sent))

    def keep(self, sent: int) -> None:
        """Store the counts at the end of the transaction. sent: the calls that it lets in."""
        row = self._row
        if row is not None:
            row.sent += sent
            row.since = row.since or (timezone.now() if sent else None)
            row.save()
        self.is_open = row is None
        if row is not None and row.refused >= PROBES:
            self.refusal = Halt(Cause(row.cause), row.detail)


def begin(run: Run) -> None:
    """The next calls of the run are probes. Inside the transaction that lets it run."""
    Probing.objects.update_or_create(run=run, defaults={"sent": 0, "refused": 0, "cause": "", "since": None})


# First calls: the first question of each sort is sent alone, so that a refusal that teaches something is paid for once.


FIRST_CALL_TIMEOUT = 5.0  # seconds that others wait for the first answer; a service that hangs must not block them
LEADERS = 5  # failed calls in sequence, after which all others may be sent


class FirstCalls:
    """The first calls of one worker. is_confirmed: whether the service has ever answered a question of this sort."""

    def __init__(self, is_confirmed: Callable[[str], bool]) -> None:
        self.is_confirmed = is_confirmed
        self.leading: dict[str, asyncio.Event] = {}
        self.leaders: dict[str, int] = {}

    @asynccontextmanager
    async def turn(self, sort: str) -> AsyncIterator[None]:
        """Inside it, a question of this sort may be asked."""
        while not self._is_open(sort) and sort in self.leading:
            await self._wait(sort)
        if self._is_open(sort):
            yield
            return
        self.leaders[sort] = self.leaders.get(sort, 0) + 1
        ended = self.leading[sort] = asyncio.Event()
        try:
            yield
        finally:
            self.leading.pop(sort, None)
            ended.set()

    def _is_open(self, sort: str) -> bool:
        return self.leaders.get(sort, 0) >= LEADERS or self.is_confirmed(sort)

    async def _wait(self, sort: str) -> None:
        try:
            async with asyncio.timeout(FIRST_CALL_TIMEOUT):
                await self.leading[sort].wait()
        except TimeoutError:
            self.leaders[sort] = LEADERS
