"""Works a run: takes jobs up, asks within all limits, keeps what comes out. One event loop, one database thread."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NoReturn, Protocol
from uuid import uuid4

from annotate.llm import breaker, claims, limits, marking
from annotate.llm.asking import Ask, CallFailed, Prompts
from annotate.llm.breaker import Broken
from annotate.llm.causes import OF_THE_ENDPOINT, Cause
from annotate.llm.claims import Claimed
from annotate.llm.client import Client
from annotate.llm.entries import Answer, Entry, Spent
from annotate.llm.gathering import Gathering
from annotate.llm.ledger import Ledger
from annotate.llm.limits import Gate
from annotate.llm.patience import patiently
from annotate.llm.steps import Steps
from annotate.llm.storing import AT_ONCE, GATHERED, Ending, Endings
from annotate.llm.threads import Desk
from annotate.models import Job, Run

TICK = 1.0  # seconds after which the ledger is looked into even if nothing is written
WINDOW = 16, 128  # jobs taken up together, at least and at most
TURNS = 20  # of a worker at one run; brokers call a task lost that they have not heard of for half an hour
RESTING = 1000  # jobs that may wait for another attempt, or to be stored, while others go on
log = logging.getLogger(__name__)


class Work(Protocol):
    """What a purpose says to the engine; see annotate.purposes.base."""

    def load(self, run: Run, jobs: list[Job], prompts: Prompts) -> Sequence[Any]: ...
    async def work(self, case: Any, ask: Ask) -> Any: ...
    def store_together(self, stored: Sequence[tuple[Any, Any]]) -> None: ...


def drain(
    run: Run,
    purpose: Work,
    prompts: Prompts,
    *,
    seconds: float | None = None,
    gives_way: Callable[[], bool] = lambda: True,
) -> int:
    """Work at the run until there is nothing for the taking, or it is stopped; how many jobs were taken up.

    seconds: after that nothing new is sent, if by then somebody `gives_way` to others; else it is asked again as long
    after, TURNS times at most. What is in flight always ends and is kept. Not inside a transaction.
    """
    desk = Desk()
    return desk.run(Drain(run, purpose, prompts, desk, seconds, gives_way).work())


class Drain:
    """One worker at one run."""

    def __init__(
        self,
        run: Run,
        purpose: Work,
        prompts: Prompts,
        desk: Desk,
        seconds: float | None,
        gives_way: Callable[[], bool],
    ) -> None:
        self.run, self.endpoint, self.purpose, self.prompts, self.desk = run, run.endpoint, purpose, prompts, desk
        self.seconds, self.gives_way = seconds, gives_way
        self.late = seconds == 0
        self.worker = uuid4()
        self.gate = Gate()
        self.ledger = Ledger(run, self.worker)
        # Calls before all else: a place in flight stands empty until they are written.
        self.calls: Gathering[Entry, Answer] = Gathering(desk, self.ledger.write, most=128, tick=TICK, first=True)
        self.ends: Gathering[Ending[Any], bool] = Gathering(
            desk, Endings(self.worker, purpose.store_together).write, most=AT_ONCE, patience=GATHERED
        )
        self.stopping = asyncio.Event()
        self.moved = asyncio.Event()
        self.tasks: dict[int, asyncio.Task[None]] = {}
        self.ready: deque[tuple[Claimed, Any]] = deque()
        self.busy = 0  # requests between their row and its completion, and jobs that are being ended
        self.resting = 0
        self.ending = 0
        self.taken = 0
        self.spent: Spent | None = None
        self.ended_at: Spent | None = None
        self.suspected: Broken | None = None
        self.broken: Broken | None = None
        self.asking: dict[str, asyncio.Event] = {}

    async def work(self) -> int:
        """How many jobs were taken up."""
        async with Client(self.endpoint) as self.client:
            await self._renew()
            keepers = (self.calls.keep(), self.ends.keep(), self._keep_places(), self._keep_turn())
            keeping = [asyncio.create_task(each) for each in keepers]
            working = asyncio.create_task(self._work())
            try:
                await asyncio.wait([working, *keeping], return_when=asyncio.FIRST_COMPLETED)
                for task in keeping:
                    if task.done():
                        task.result()  # a fault of the database that lasts
                await working
            finally:
                await _cancelled(working, *self.tasks.values(), *keeping)
                await self.desk.do(patiently, claims.release, self.run, self.worker)
                await self.desk.do(patiently, limits.leave, self.worker)
        return self.taken

    async def _work(self) -> None:
        more = True
        while not self._is_over():
            while more and self._has_room():
                more = await self._take_up()
                self._begin()
            self._begin()
            if not self.tasks and not more:
                break
            await self._something_moves()
            more = more or not self.tasks
            await self._end_unsent()
            await self._end_refused()
        self.stopping.set()
        await self._settle()

    async def _end_unsent(self) -> None:
        """At the budget, jobs that wait are failed together and not one by one."""
        if self.spent is not None and self.spent != self.ended_at:
            self.ended_at = self.spent
            await self.desk.do(patiently, claims.fail_unsent, self.run, self.spent.in_words)

    async def _end_refused(self) -> None:
        """Likewise where the service refuses one after the other."""
        suspected, self.suspected = self.suspected, None
        if suspected is not None and self.broken is None:
            broken = await self.desk.do(patiently, breaker.fail_waiting, self.run, suspected)
            self.broken = suspected if broken else None

    def _is_over(self) -> bool:
        return self.late or self.stopping.is_set() or self.ledger.state != Run.State.RUNNING

    async def _something_moves(self) -> None:
        try:
            async with asyncio.timeout(TICK):
                await self.moved.wait()
        except TimeoutError:
            return
        self.moved.clear()

    def _has_room(self) -> bool:
        return self.gate.count > 0 and not self._is_over() and len(self.ready) < self._room() + self._window() // 2

    def _window(self) -> int:
        least, most = WINDOW
        return min(most, max(least, self.gate.count))

    def _room(self) -> int:
        """Jobs that may begin: more than there are places, so that none stands empty while a job ends."""
        places = self.gate.count
        idle = min(self.resting + self.ending, RESTING)
        return max(0, places + places // 4 + 2 + idle - len(self.tasks))

    async def _take_up(self) -> bool:
        """Whether there were jobs for the taking."""
        if self.broken is not None:
            self.broken = await self.desk.do(patiently, breaker.still, self.run, self.broken)
        in_hand = {*self.tasks, *(claimed.job.pk for claimed, _case in self.ready)}
        claimed = await self.desk.do(
            patiently, claims.claim, self.run, self.worker, most=self._window(), in_hand=in_hand
        )
        self.taken += len(claimed)
        cases = await self.desk.do(self._load, [each.job for each in claimed])
        self.ready.extend((each, cases[each.job.pk]) for each in claimed)
        return bool(claimed)

    def _load(self, jobs: list[Job]) -> dict[int, Any]:
        """job -> its case; or the Ending of one that has none."""
        if not jobs:
            return {}
        try:
            cases = {case.job.pk: case for case in patiently(self.purpose.load, self.run, jobs, self.prompts)}
        except Exception:
            if len(jobs) > 1:
                return {job.pk: self._load([job])[job.pk] for job in jobs}
            log.exception("job %s: could not be loaded", jobs[0].pk)
            return {jobs[0].pk: Ending(jobs[0], cause=Cause.DEFECT, detail="Could not be loaded; the log says why.")}
        gone = "What it was about is not there any more."
        return {job.pk: cases.get(job.pk) or Ending(job, cause=Cause.UNSUITABLE, detail=gone) for job in jobs}

    def _begin(self) -> None:
        for _job in range(min(self._room(), len(self.ready))):
            if self._is_over():
                return
            claimed, case = self.ready.popleft()
            task = asyncio.create_task(self._job(claimed, case))
            self.tasks[claimed.job.pk] = task
            task.add_done_callback(partial(self._done, claimed.job.pk))

    def _done(self, key: int, _task: "asyncio.Task[None]") -> None:
        self.tasks.pop(key, None)
        self._begin()
        self.moved.set()

    async def _job(self, claimed: Claimed, case: Any) -> None:
        ending = case if isinstance(case, Ending) else await self._ending(claimed, case)
        good = ending.cause is None  # of failures no more than there is room for: the service may refuse every job
        self.ending += good
        self.moved.set()
        try:
            with self.at_work():
                await self.ends.put(ending)
        finally:
            self.ending -= good
        if ending.cause in OF_THE_ENDPOINT and not ending.detail.startswith(breaker.UNSENT):
            self.suspected = Broken(ending.cause, ending.detail)

    async def _ending(self, claimed: Claimed, case: Any) -> Ending[Any]:
        job = claimed.job
        try:
            return Ending(job, case, await self.purpose.work(case, Steps(self, claimed)))
        except Exception as fault:
            inner = _failed(fault)
            if inner is not None:
                return Ending(job, cause=inner.cause, detail=inner.detail)
            log.exception("job %s of run %s", job.pk, self.run.pk)
            return Ending(job, cause=Cause.DEFECT, detail="A fault in this program; its log says more.")

    async def _settle(self) -> None:
        """Until what is in flight has been written down, and what has ended is stored."""
        quiet = 0
        while quiet < 20:
            quiet = 0 if self.busy else quiet + 1
            await asyncio.sleep(0.01 if self.busy else 0)

    async def _keep_places(self) -> None:
        pause = limits.FIRST_RENEWED  # longer each time: it soon turns out how many places it can fill
        while True:
            await asyncio.sleep(pause)
            await self._renew()
            pause = min(2 * pause, limits.RENEWED)

    async def _keep_turn(self) -> None:
        """Whoever leaves lets its places run dry, so it only leaves where somebody waits for the worker."""
        for _turn in range(TURNS if self.seconds is not None else 0):
            await asyncio.sleep(self.seconds or 0)
            if await self.desk.do(patiently, self.gives_way):
                break
        self.late = self.seconds is not None
        self.moved.set()
        await asyncio.Event().wait()  # ends with the worker

    async def _renew(self) -> None:
        wanted = 2 * max(self.gate.wanted, len(self.tasks)) or limits.FIRST_WANTED  # twice: it may grow until then
        asked_at = time.monotonic()
        count = await self.desk.do(
            patiently, limits.share, self.endpoint.pk, self.worker, wanted=wanted, used=self.gate.held
        )
        self.gate.opened(count, asked_at)
        self.moved.set()

    async def rest(self, seconds: float) -> None:
        """Before another attempt; ends early when the worker stops."""
        self.resting += 1
        self.moved.set()
        try:
            async with asyncio.timeout(seconds):
                await self.stopping.wait()
        except TimeoutError:
            pass
        finally:
            self.resting -= 1

    async def stand_still(self) -> NoReturn:
        """Nothing more is asked: the job is put back as it is once the worker has settled."""
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Within, the worker does not settle."""
        self.busy += 1
        try:
            yield
        finally:
            self.busy -= 1

    def is_spent(self, spent: Spent) -> None:
        self.spent = spent
        self.moved.set()

    async def is_simulated(self) -> None:
        """The service has said so: what it makes is marked from now on, and the endpoint before its reply is kept."""
        self.endpoint.simulated = True
        await self.desk.do_first(patiently, marking.mark_simulated, self.endpoint)

    def lose(self, job_id: int) -> None:
        """The job belongs to another worker now."""
        task = self.tasks.get(job_id)
        if task is not None:
            task.cancel()


def _failed(fault: Exception) -> CallFailed | None:
    """The first failure of steps that were asked together; None where there is another fault among them."""
    if isinstance(fault, CallFailed):
        return fault
    if not isinstance(fault, ExceptionGroup):
        return None
    inner = [_failed(each) for each in fault.exceptions]
    return inner[0] if all(inner) else None


async def _cancelled(*tasks: "asyncio.Task[Any]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
