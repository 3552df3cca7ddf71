"""Concurrency of the engine: graceful shutdown, the event loop and its database thread, retries, group commit.

When a process is told to end, nothing new is sent, calls in flight get a grace period, and the rest is released. The
mark lies in memory that a process shares with the children that it forks later: Celery receives the signal in the
parent, and the engine runs in its children.
"""

import asyncio
import gc
import logging
import mmap
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from queue import PriorityQueue
from threading import Thread
from typing import Any, Generic, ParamSpec, TypeVar

from django.db import InterfaceError, OperationalError, connection

GRACE = 6.0  # seconds that calls in flight may still take
CLEARING = 3.0  # seconds after the grace period for which the database is still waited for
MOMENT = struct.Struct("d")  # monotonic time, which all processes of a machine share; 0: not begun


class Mark:
    """When the process was told to end."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, MOMENT.size)

    def set(self) -> None:
        if self.moment is None:
            MOMENT.pack_into(self._shared, 0, time.monotonic())

    def renew(self) -> None:
        """Share it no longer with the process that this one was forked from, nor with the other children of that."""
        self._shared = mmap.mmap(-1, MOMENT.size)

    @property
    def moment(self) -> float | None:
        return MOMENT.unpack_from(self._shared)[0] or None


mark = Mark()


def begin() -> None:
    """Begin the shutdown. A signal handler may call it; later calls change nothing."""
    mark.set()


def has_begun() -> bool:
    return mark.moment is not None


def grace_is_over() -> bool:
    return _since_signal() > GRACE


def patience_is_over() -> bool:
    return _since_signal() > GRACE + CLEARING


def _since_signal() -> float:
    moment = mark.moment
    return 0.0 if moment is None else time.monotonic() - moment


@contextmanager
def on_sigterm() -> Iterator[None]:
    """Inside it, SIGTERM begins a graceful shutdown and kills nothing. Only the main thread receives signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    old_handler = signal.signal(signal.SIGTERM, lambda _number, _frame: begin())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, old_handler)


# The event loop and the database, each in a thread of its own: Django's ORM never runs inside the loop.


# The interpreter's switch interval in seconds. Each database statement releases the GIL, and with Python's default of
# 5 ms the database thread would spend most of its time waiting for a busy event loop to release it.
TURN = 0.0005
# As in gunicorn.conf.py: with Python's default the garbage collector runs every few requests, and finds nothing.
COLLECTED = 50_000, 20, 50
FIRST, USUAL, LAST = 0, 1, 2
Result = TypeVar("Result")
ErrandArguments = ParamSpec("ErrandArguments")


@dataclass(frozen=True)
class _Errand(Generic[Result]):
    act: Callable[[], Result]
    answer: "asyncio.Future[Result]"
    loop: asyncio.AbstractEventLoop

    def run(self) -> None:
        try:
            result = self.act()
        except Exception as fault:
            self._reply(self.answer.set_exception, fault)
        else:
            self._reply(self.answer.set_result, result)

    def _reply(self, settle: Callable[[Any], None], value: object) -> None:
        def deliver() -> None:
            if not self.answer.done():  # nobody waits for the answer to a task that was cancelled
                settle(value)

        with suppress(RuntimeError):  # the loop is closed: nobody waits at all
            self.loop.call_soon_threadsafe(deliver)


class ThreadBridge:
    """Runs a coroutine in another thread; calls that it passes to `do` run here, in the thread that called `run`.

    It uses the caller's thread and not a new one, so the caller's database connection is used and closes with its
    owner.
    """

    def __init__(self) -> None:
        self._errands: PriorityQueue[tuple[int, int, _Errand[Any] | None]] = PriorityQueue()
        self._numbers = count()
        self._main: asyncio.Task[Any] | None = None

    def run(self, main: Coroutine[Any, Any, Result]) -> Result:
        """The coroutine's result. An interruption of this thread cancels it, and waits until it has cleaned up."""
        outcome: Future[Result] = Future()
        thread = Thread(target=self._work, args=(main, outcome), name="calls", daemon=True)
        usual, thresholds = sys.getswitchinterval(), gc.get_threshold()
        sys.setswitchinterval(TURN)
        gc.set_threshold(*COLLECTED)
        try:
            thread.start()
            self._serve_to_the_end()
            thread.join()
        finally:
            sys.setswitchinterval(usual)
            gc.set_threshold(*thresholds)
        return outcome.result()

    def _serve_to_the_end(self) -> None:
        try:
            self._serve()
        except BaseException:
            self._cancel()
            self._serve()
            raise

    async def do(
        self, act: Callable[ErrandArguments, Result], /, *args: ErrandArguments.args, **kwargs: ErrandArguments.kwargs
    ) -> Result:
        """From within the coroutine: run this in the database thread, and wait for its result or exception."""
        return await self._queued(USUAL, partial(act, *args, **kwargs))

    async def do_first(
        self, act: Callable[ErrandArguments, Result], /, *args: ErrandArguments.args, **kwargs: ErrandArguments.kwargs
    ) -> Result:
        """The same as `do`, but ahead of everything that waits for the database thread."""
        return await self._queued(FIRST, partial(act, *args, **kwargs))

    async def _queued(self, turn: int, act: Callable[[], Result]) -> Result:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Result] = loop.create_future()
        self._errands.put((turn, next(self._numbers), _Errand(act, answer, loop)))
        return await answer

    def _work(self, main: Coroutine[Any, Any, Result], outcome: "Future[Result]") -> None:
        try:
            with asyncio.Runner() as runner:
                outcome.set_result(runner.run(self._remembered(main)))
        except BaseException as fault:
            outcome.set_exception(fault)
        finally:
            self._errands.put((LAST, next(self._numbers), None))

    async def _remembered(self, main: Coroutine[Any, Any, Result]) -> Result:
        self._main = asyncio.current_task()
        return await main

    def _cancel(self) -> None:
        if self._main is not None:
            with suppress(RuntimeError):
                self._main.get_loop().call_soon_threadsafe(self._main.cancel)

    def _serve(self) -> None:
        while (errand := self._errands.get()[2]) is not None:
            errand.run()


def run_beside_loop(main: Coroutine[Any, Any, Result]) -> Result:
    """The result of a coroutine, for code that may itself run inside an event loop."""
    return ThreadBridge().run(main)


# Database work that outlives a restart of the database.


PATIENCE = 300.0  # seconds of retries before the error is raised
PAUSE = 0.5
PatientResult = TypeVar("PatientResult")
Arguments = ParamSpec("Arguments")
log = logging.getLogger(__name__)


def patiently(
    act: Callable[Arguments, PatientResult], /, *args: Arguments.args, **kwargs: Arguments.kwargs
) -> PatientResult:
    """Run it, and retry while the database is away. It must be safe to run twice.

    A connection may break after the commit was made, but before the client has received the confirmation.
    """
    since = time.monotonic()
    while True:
        try:
            return act(*args, **kwargs)
        except (OperationalError, InterfaceError):
            if connection.in_atomic_block or time.monotonic() - since > PATIENCE or patience_is_over():
                raise
            log.warning("The database is away or busy; trying again.", exc_info=True)
            connection.close()
            time.sleep(PAUSE)


# Group commit: the writes of many coroutines go into one transaction, and each coroutine waits for its commit.


Entry = TypeVar("Entry")
Answer = TypeVar("Answer")

GATHERED = 0.001  # seconds that a transaction waits for more entries: a tenth as many transactions cost a tenth


class Gathering(Generic[Entry, Answer]):
    """Group commit: `hand_in` takes an entry; `keep`, which somebody must run, has the database thread write the
    entries.

    write: entries -> their answers in the same order, within one transaction; it must be safe to call it again with the
    same entries. most: entries in one transaction. tick: seconds after which it is called without entries, if set.
    first: run before other calls to the database thread. patience: seconds that a transaction waits for more entries;
    the default is GATHERED.
    """

    def __init__(
        self,
        desk: ThreadBridge,
        write: Callable[[Sequence[Entry]], Sequence[Answer]],
        *,
        most: int,
        tick: float | None = None,
        first: bool = False,
        patience: float | None = None,
    ) -> None:
        self._do = desk.do_first if first else desk.do
        self._write, self._most, self._tick = write, most, tick
        self._patience = GATHERED if patience is None else patience
        self._waiting: dict[asyncio.Future[Answer], Entry] = {}
        self._writing = 0
        self._something = asyncio.Event()

    @property
    def is_empty(self) -> bool:
        """Whether everything that was handed in is committed."""
        return not self._waiting and not self._writing

    def hand_in(self, entry: Entry) -> "asyncio.Future[Answer]":
        """The answer, once the transaction is committed: never before those handed in earlier.

        An entry that was handed in is written even if its caller stops waiting.
        """
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[answer] = entry
        self._something.set()
        return answer

    async def put(self, entry: Entry) -> Answer:
        return await self.hand_in(entry)

    async def keep(self) -> None:
        """Write entries until it is cancelled. A database error that lasts ends it."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._tick):
                    await self._something.wait()
            await asyncio.sleep(self._patience)
            await self._flush()

    async def _flush(self) -> None:
        batch = dict(islice(self._waiting.items(), self._most))
        for future in batch:
            del self._waiting[future]
        if not self._waiting:
            self._something.clear()
        self._writing = len(batch)
        answers = await self._do(patiently, self._write, list(batch.values()))
        self._writing = 0
        for future, answer in zip(batch, answers, strict=True):
            if not future.done():
                future.set_result(answer)
