"""Works a run: claims jobs, asks within all limits, stores the outcomes. One event loop, one database thread."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NoReturn, Protocol
from uuid import uuid4

from annotate.engine import capabilities as engine_capabilities
from annotate.engine import concurrency, images, jobs, limits, warm_up, wire
from annotate.engine.capabilities import Capabilities
from annotate.engine.concurrency import Gathering, ThreadBridge, patiently
from annotate.engine.images import BadImage, QuestionImages
from annotate.engine.jobs import AT_ONCE, GATHERED, Ending, Endings, JobClaim, OpenBreaker
from annotate.engine.ledger import Answer, Entry, Ledger, Spent
from annotate.engine.limits import Gate
from annotate.engine.replies import ParsedReply
from annotate.engine.steps import Steps
from annotate.engine.warm_up import FirstCalls, Halt, halt
from annotate.kinds.protocol import OF_THE_ENDPOINT, Ask, CallFailed, Cause, Prompts, Question
from annotate.models import Job, Run
from lib.texts import prompt_texts

TICK = 1.0  # seconds after which the ledger is checked even if nothing is written
WINDOW = 16, 128  # jobs taken up together, at least and at most
WATCHED = 0.1  # seconds between checks whether the process is told to end
TURNS = 20  # of a worker at one run; brokers count a task as lost after half an hour without a sign of life
RESTING = 1000  # jobs that may wait for another attempt, or to be stored, while others go on
log = logging.getLogger(__name__)


class Work(Protocol):
    """The part of a purpose that the engine needs; see annotate.engine.purposes."""

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
    announce: Callable[[Run], None] = lambda _run: None,
) -> int:
    """Work at the run until there is nothing to claim, or it is stopped; returns how many jobs were claimed.

    seconds: after that nothing new is sent if somebody `gives_way` to others by then; else it is checked again after
    the same time, TURNS times at most. Calls in flight always end and are kept. Do not call it inside a transaction.
    announce: called in the transaction that pauses the run automatically.
    """
    desk = ThreadBridge()
    return desk.run(Drain(run, purpose, prompts, desk, seconds, gives_way, announce).work())


class Drain:
    """One worker at one run."""

    def __init__(
        self,
        run: Run,
        purpose: Work,
        prompts: Prompts,
        desk: ThreadBridge,
        seconds: float | None,
        gives_way: Callable[[], bool],
        announce: Callable[[Run], None],
    ) -> None:
        self.run, self.endpoint, self.purpose, self.prompts, self.desk = run, run.endpoint, purpose, prompts, desk
        self.seconds, self.gives_way, self.announce = seconds, gives_way, announce
        self.late = seconds == 0
        self.worker = uuid4()
        self.gate = Gate()
        self.ledger = Ledger(run, self.worker)
        # Calls come first: a place in flight stays empty until they are written.
        self.calls: Gathering[Entry, Answer] = Gathering(desk, self._write, most=128, tick=TICK, first=True)
        self.ends: Gathering[Ending[Any], bool] = Gathering(
            desk, Endings(self.worker, purpose.store_together).write, most=AT_ONCE, patience=GATHERED
        )
        self.stopping = asyncio.Event()
        self.moved = asyncio.Event()
        self.tasks: dict[int, asyncio.Task[None]] = {}
        self.ready: deque[tuple[JobClaim, Any]] = deque()
        self.busy = 0  # requests between their row and its completion, and jobs that are being ended
        self.resting = 0
        self.ending = 0
        self.taken = 0
        self.spent: Spent | None = None
        self.suspected: OpenBreaker | None = None
        self.broken: OpenBreaker | None = None
        self.asking: dict[str, asyncio.Event] = {}
        self.parameters = wire.parameters_of(self.endpoint, run.parameters)
        self.first_calls = FirstCalls(lambda sort: sort in self.client.capabilities.confirmed)
        self.images = QuestionImages(run.project_id, run.endpoint)

    async def work(self) -> int:
        """Work the run; returns how many jobs were claimed."""
        from annotate.engine.client import Client  # here: it brings openai and aiohttp along, which few processes need

        self.loop = asyncio.get_running_loop()
        async with Client(self.endpoint) as self.client:
            await self._renew()
            keepers = (self.calls.keep(), self.ends.keep(), self._keep_places(), self._keep_turn(), self._watch())
            keeping = [asyncio.create_task(keeper) for keeper in keepers]
            working = asyncio.create_task(self._work())
            try:
                await asyncio.wait([working, *keeping], return_when=asyncio.FIRST_COMPLETED)
                for task in keeping:
                    if task.done():
                        task.result()  # raises a database error that lasts
                await working
            finally:
                await _cancelled(working, *self.tasks.values(), *keeping)
                await self.desk.do(patiently, jobs.release, self.run, self.worker)
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
            await self._halt()
            await self._end_refused()
        self.stopping.set()
        await self._settle()

    def is_stopping(self) -> bool:
        """Whether nothing new is sent."""
        return self.stopping.is_set() or concurrency.has_begun()

    async def _watch(self) -> None:
        """Wake the jobs that wait for a retry as soon as the process is told to end."""
        while not concurrency.has_begun():
            await asyncio.sleep(WATCHED)
        self.stopping.set()
        self.moved.set()
        await asyncio.Event().wait()  # ends with the worker

    def _write(self, entries: Sequence[Entry]) -> Sequence[Answer]:
        """Runs in the database thread."""
        was_open = self.ledger.probes.is_open
        answers = self.ledger.write(entries)
        if self.ledger.probes.is_open != was_open or self.ledger.probes.refusal is not None:
            self.loop.call_soon_threadsafe(self.moved.set)
        return answers

    async def _halt(self) -> None:
        """Pause the run for all workers if the budget is used up or the first calls were refused."""
        spent, self.spent = self.spent, None
        reason = self.ledger.probes.refusal
        if reason is None and spent is not None:
            reason = Halt(Cause.BUDGET, spent.in_words, spent.budget)
        if reason is not None and await self.desk.do(patiently, halt, self.run, reason, self.announce):
            self.stopping.set()

    async def _end_refused(self) -> None:
        """End the run's waiting jobs if the service refuses one job after the other."""
        suspected, self.suspected = self.suspected, None
        if suspected is not None and self.broken is None:
            broken = await self.desk.do(patiently, jobs.fail_waiting, self.run, suspected)
            self.broken = suspected if broken else None

    def _is_over(self) -> bool:
        return self.late or self.is_stopping() or self.ledger.state != Run.State.RUNNING

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
        """How many jobs may begin: more than there are places, so that no place stays empty while a job ends."""
        capacity = self.gate.count
        if not self.ledger.probes.is_open:
            return max(0, min(capacity, warm_up.PROBES) - len(self.tasks) + self.ending)
        idle = min(self.resting + self.ending, RESTING)
        return max(0, capacity + capacity // 4 + 2 + idle - len(self.tasks))

    async def _take_up(self) -> bool:
        """Claim jobs; returns whether there were any."""
        if self.broken is not None:
            self.broken = await self.desk.do(patiently, jobs.still, self.run, self.broken)
        in_hand = {*self.tasks, *(claimed.job.pk for claimed, _case in self.ready)}
        claimed = await self.desk.do(patiently, jobs.claim, self.run, self.worker, most=self._window(), in_hand=in_hand)
        self.taken += len(claimed)
        cases = await self.desk.do(self._load, [claim.job for claim in claimed])
        self.ready.extend((claim, cases[claim.job.pk]) for claim in claimed)
        return bool(claimed)

    def _load(self, jobs: list[Job]) -> dict[int, Any]:
        """job -> its case, or the Ending of a job that has none."""
        if not jobs:
            return {}
        try:
            cases = {case.job.pk: case for case in patiently(self.purpose.load, self.run, jobs, self.prompts)}
        except Exception:
            if len(jobs) > 1:
                return {job.pk: self._load([job])[job.pk] for job in jobs}
            log.exception("job %s: could not be loaded", jobs[0].pk)
            return {jobs[0].pk: Ending(jobs[0], cause=Cause.DEFECT, detail="Could not be loaded; the log says why.")}
        detail = "What it was about is not there any more."
        return {job.pk: cases.get(job.pk) or Ending(job, cause=Cause.UNSUITABLE, detail=detail) for job in jobs}

    def _begin(self) -> None:
        for _job in range(min(self._room(), len(self.ready))):
            if self._is_over() or self.suspected is not None:  # first check whether all jobs are refused
                return
            claimed, case = self.ready.popleft()
            task = asyncio.create_task(self._job(claimed, case))
            self.tasks[claimed.job.pk] = task
            task.add_done_callback(partial(self._done, claimed.job.pk))

    def _done(self, key: int, _task: "asyncio.Task[None]") -> None:
        self.tasks.pop(key, None)
        self._begin()
        self.moved.set()

    async def _job(self, claimed: JobClaim, case: Any) -> None:
        ending = case if isinstance(case, Ending) else await self._ending(claimed, case)
        good = ending.cause is None  # of failures no more than there is room for: the service may refuse every job
        self.ending += good
        self.moved.set()
        try:
            with self.at_work():
                await self.ends.put(ending)
        finally:
            self.ending -= good
        if ending.cause in OF_THE_ENDPOINT and not ending.detail.startswith(jobs.UNSENT):
            self.suspected = OpenBreaker(ending.cause, ending.detail)

    async def _ending(self, claimed: JobClaim, case: Any) -> Ending[Any]:
        job = claimed.job
        try:
            with prompt_texts.using(self.prompts.parts):
                return Ending(job, case, await self.purpose.work(case, Steps(self, claimed)))
        except Exception as fault:
            inner = _failed(fault)
            if inner is not None:
                return Ending(job, cause=inner.cause, detail=inner.detail)
            log.exception("job %s of run %s", job.pk, self.run.pk)
            return Ending(job, cause=Cause.DEFECT, detail="A fault in this program; its log says more.")

    async def _settle(self) -> None:
        """Wait until calls in flight are written and ended jobs are stored.

        If the process has to end, calls still in flight after the grace period are abandoned.
        """
        quiet = 0
        while quiet < 20 and not concurrency.grace_is_over():
            quiet = 0 if self.busy else quiet + 1
            await asyncio.sleep(0.01 if self.busy else 0)
        if self.busy:
            await _cancelled(*self.tasks.values())
            while not (self.calls.is_empty and self.ends.is_empty) and not concurrency.patience_is_over():
                await asyncio.sleep(0.01)

    async def _keep_places(self) -> None:
        pause = limits.FIRST_RENEWED  # longer each time: it soon turns out how many places it can fill
        while True:
            await asyncio.sleep(pause)
            await self._renew()
            pause = min(2 * pause, limits.RENEWED)

    async def _keep_turn(self) -> None:
        """A worker that leaves lets its places run dry, so it only leaves if somebody waits for the worker."""
        for _turn in range(TURNS if self.seconds is not None else 0):
            await asyncio.sleep(self.seconds or 0)
            if await self.desk.do(patiently, self.gives_way):
                break
        self.late = self.seconds is not None
        self.moved.set()
        await asyncio.Event().wait()  # ends with the worker

    async def _renew(self) -> None:
        target = 2 * max(self.gate.wanted, len(self.tasks)) or limits.FIRST_WANTED  # twice: it may grow until then
        asked_at = time.monotonic()
        count = await self.desk.do(
            patiently, limits.share, self.endpoint.pk, self.worker, wanted=target, used=self.gate.held
        )
        self.gate.opened(count, asked_at)
        self.moved.set()

    async def rest(self, seconds: float) -> None:
        """Wait before another attempt; ends early when the worker stops."""
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
        """Ask nothing more: the job is put back as it is once the worker has settled."""
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Inside it, the worker does not settle."""
        self.busy += 1
        try:
            yield
        finally:
            self.busy -= 1

    def is_spent(self, spent: Spent) -> None:
        self.spent = spent
        self.moved.set()

    async def is_simulated(self) -> None:
        """The service said that it is simulated: mark its endpoint before the reply is stored, and its results from now
        on.
        """
        self.endpoint.simulated = True
        await self.desk.do_first(patiently, engine_capabilities.mark_simulated, self.endpoint)

    async def look_up_images(self, question: Question, job: Job) -> Question:
        """Raises CallFailed."""
        try:
            return await self.desk.do(patiently, self.images.looked_up, question)
        except BadImage as bad:
            raise await self.desk.do(patiently, images.failure, bad, job, question.step) from bad

    async def image_addresses(self, question: Question, job: Job) -> dict[str, str]:
        """sha256 -> data URL. Raises CallFailed."""
        try:
            return await self.images.data_urls(question)
        except BadImage as bad:
            raise await self.desk.do(patiently, images.failure, bad, job, question.step) from bad

    def sort_of(self, question: Question) -> str:
        """The sort of a question: those of one sort have requests with the same parameters."""
        return wire.sort_of(question, self.client.capabilities)

    async def learn(self, question: Question, answered: ParsedReply) -> None:
        """Store what the answer shows about the service, before the next question of this sort is sent."""
        learned = answered.learned
        if learned is None and answered.received.is_of_a_model:
            sort = self.sort_of(question)
            learned = None if sort in self.client.capabilities.confirmed else Capabilities(confirmed=(sort,))
        if learned is not None:
            refusal = answered.received.detail if answered.ask_again else ""
            capabilities = await self.desk.do_first(
                patiently, engine_capabilities.keep_learned, self.endpoint, learned, refusal
            )
            self.client.capabilities = wire.as_set(self.endpoint, capabilities)

    def lose(self, job_id: int) -> None:
        """The job belongs to another worker now."""
        task = self.tasks.get(job_id)
        if task is not None:
            task.cancel()


def _failed(fault: Exception) -> CallFailed | None:
    """The first failure of steps that were asked together; None if there is another error among them."""
    if isinstance(fault, CallFailed):
        return fault
    if not isinstance(fault, ExceptionGroup):
        return None
    inner = [_failed(inner_fault) for inner_fault in fault.exceptions]
    return inner[0] if all(inner) else None


async def _cancelled(*tasks: "asyncio.Task[Any]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
