"""An event loop and the database, each in a thread of its own: Django's ORM never runs inside the loop."""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from queue import PriorityQueue
from threading import Thread
from typing import Any, Generic, ParamSpec, TypeVar

# Seconds that a thread may compute while another waits to. Each statement to the database gives the turn away, and with
# Python's 5 ms the desk would spend most of its time waiting for a busy loop to give it back.
TURN = 0.0005
FIRST, USUAL, LAST = 0, 1, 2
Result = TypeVar("Result")
Given = ParamSpec("Given")


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


class Desk:
    """Runs a coroutine in another thread; what it hands in with `do` is done here, in the thread that called `run`.

    The caller's thread and not a new one: its database connection is used, and it closes with its owner.
    """

    def __init__(self) -> None:
        self._errands: PriorityQueue[tuple[int, int, _Errand[Any] | None]] = PriorityQueue()
        self._numbers = count()
        self._main: asyncio.Task[Any] | None = None

    def run(self, main: Coroutine[Any, Any, Result]) -> Result:
        """The coroutine's result. An interruption of this thread cancels it, and waits until it has cleaned up."""
        outcome: Future[Result] = Future()
        thread = Thread(target=self._work, args=(main, outcome), name="calls", daemon=True)
        usual = sys.getswitchinterval()
        sys.setswitchinterval(TURN)
        try:
            thread.start()
            self._serve_to_the_end()
            thread.join()
        finally:
            sys.setswitchinterval(usual)
        return outcome.result()

    def _serve_to_the_end(self) -> None:
        try:
            self._serve()
        except BaseException:
            self._cancel()
            self._serve()
            raise

    async def do(self, act: Callable[Given, Result], /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        """From within the coroutine: let this be done at the desk, and wait for what it gives or raises."""
        return await self._queued(USUAL, partial(act, *args, **kwargs))

    async def do_first(self, act: Callable[Given, Result], /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        """The same, before whatever else is waiting at the desk."""
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


def beside(main: Coroutine[Any, Any, Result]) -> Result:
    """A coroutine's result, from code that may itself run inside an event loop."""
    return Desk().run(main)
