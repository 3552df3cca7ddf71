"""Group commit: what many coroutines want written goes into one transaction, and each waits for its commit."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Generic, TypeVar

from annotate.llm.patience import patiently
from annotate.llm.threads import Desk

Entry = TypeVar("Entry")
Answer = TypeVar("Answer")

GATHERED = 0.001  # seconds: a tenth of them costs a tenth


class Gathering(Generic[Entry, Answer]):
    """`put` hands an entry in; `keep`, which somebody must run, has all of them written by the desk.

    write: entries -> their answers in the same order, within one transaction; must bear to be called again with the
    same entries. most: entries in one transaction. tick: seconds after which it is called with no entries, if given.
    first: before whatever else the desk has to do. patience: seconds that a transaction waits for company, GATHERED
    unless said.
    """

    def __init__(
        self,
        desk: Desk,
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
        """Whatever was handed in is committed."""
        return not self._waiting and not self._writing

    def hand_in(self, entry: Entry) -> "asyncio.Future[Answer]":
        """The answer, once the transaction is committed: never before those handed in earlier.

        Once handed in, an entry is written whoever stops waiting.
        """
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[answer] = entry
        self._something.set()
        return answer

    async def put(self, entry: Entry) -> Answer:
        return await self.hand_in(entry)

    async def keep(self) -> None:
        """Until it is cancelled. A fault of the database that lasts ends it."""
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
