"""The questions of one job: answered from the ledger, by another job's reply, or by the model in several attempts."""

import asyncio
import random
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from annotate.engine import budget, replies, wire
from annotate.engine.concurrency import Gathering
from annotate.engine.jobs import JobClaim, OpenBreaker
from annotate.engine.ledger import Answer, Closing, Entry, Go, Later, Lost, Opening, SharedReply, Spent, Wait
from annotate.engine.limits import Gate
from annotate.engine.replies import ParsedReply
from annotate.engine.warm_up import FirstCalls
from annotate.engine.wire import NoKey, key_of
from annotate.kinds.protocol import WORTH_ANOTHER_ATTEMPT, CallFailed, Cause, Question, Reply
from annotate.models import Call, Endpoint, Job, Run

if TYPE_CHECKING:
    from annotate.engine.client import Client

FIRST_REST = 0.5  # seconds before the second attempt; twice as long before each further one
LONGEST_REST = 30.0
AGAIN = 0.05  # seconds, at least, before the worker checks again whether a call may be sent
LONGEST_WAIT = 300.0  # seconds, however long a service asks for


class Worker(Protocol):
    """What the questions of a job need of the worker that has claimed it."""

    run: Run
    endpoint: Endpoint
    parameters: dict[str, Any]
    client: "Client"
    calls: Gathering[Entry, Answer]
    gate: Gate
    first_calls: FirstCalls
    asking: dict[str, asyncio.Event]  # digest of a question that all jobs share -> set when its reply is there
    broken: OpenBreaker | None

    def is_stopping(self) -> bool: ...
    def at_work(self) -> AbstractContextManager[None]: ...
    def sort_of(self, question: Question) -> str: ...
    def is_spent(self, spent: Spent) -> None: ...
    def lose(self, job_id: int) -> None: ...
    async def rest(self, seconds: float) -> None: ...
    async def stand_still(self) -> NoReturn: ...
    async def learn(self, question: Question, answered: ParsedReply) -> None: ...
    async def is_simulated(self) -> None: ...
    async def look_up_images(self, question: Question, job: Job) -> Question: ...
    async def image_addresses(self, question: Question, job: Job) -> dict[str, str]: ...


class Steps:
    """The `ask` of one job. See annotate.kinds.protocol.Ask."""

    def __init__(self, drain: Worker, claimed: JobClaim) -> None:
        self.drain, self.job, self.history = drain, claimed.job, claimed.history
        # digest -> the reply to a shared question. Another worker may get a second reply to it meanwhile.
        self.shared = {digest: call for (_step, digest), call in claimed.history.replies.items()}
        self.replies: dict[str, Reply] = {}

    async def __call__(self, question: Question, /) -> Reply:
        question = wire.with_parameters(question, self.drain.parameters)
        if question.images:
            question = await self.drain.look_up_images(question, self.job)
        digest = question.digest(self.drain.endpoint.model)
        stored = self.history.replies.get((question.step, digest))
        reply = _replayed(question, stored) if stored is not None else None
        if reply is not None:
            return reply
        if question.shared:
            return await self._asked_once_by_job(question, digest)
        if self.drain.run.shares_replies and question.temperature == 0:
            return await self._asked_once_by_all(question, digest)
        return await self._asked(question, digest, shares=False)

    async def _asked_once_by_job(self, question: Question, digest: str) -> Reply:
        """The reply that this job already has, also from another step; else the one that all jobs share."""
        reply = self.replies.get(digest)
        if reply is None and digest in self.shared:
            reply = _replayed(question, self.shared[digest])
        if reply is None:
            reply = await self._asked_once_by_all(question, digest)
        self.replies[digest] = reply
        return reply

    async def _asked_once_by_all(self, question: Question, digest: str) -> Reply:
        """Equal questions wait for the first of them; after that the ledger has its reply."""
        asking = self.drain.asking
        while digest in asking:
            await asking[digest].wait()
        asking[digest] = asyncio.Event()
        try:
            return await self._asked(question, digest, shares=True)
        finally:
            asking.pop(digest).set()

    async def _asked(self, question: Question, digest: str, *, shares: bool) -> Reply:
        earlier = self.history.failed.get(question.step, [])
        failed = [(Cause(call.cause or ""), call.detail, replies.without_thoughts(call.reply)) for call in earlier]
        while True:
            if failed and (failed[-1][0] not in WORTH_ANOTHER_ATTEMPT or len(failed) >= self.drain.endpoint.attempts):
                raise CallFailed(*failed[-1], step=question.step)
            got = await self._attempt(question, digest, shares)
            if isinstance(got, Reply):
                return got
            if got.ask_again:
                continue
            received = got.received
            if received.cause is None:
                return Reply(replies.without_thoughts(received.text), got.read, received.model)
            failed.append((received.cause, received.detail, replies.without_thoughts(received.text)))
            if received.cause in WORTH_ANOTHER_ATTEMPT and len(failed) < self.drain.endpoint.attempts:
                await self.drain.rest(_pause(len(failed), received.wait))

    async def _attempt(self, question: Question, digest: str, shares: bool) -> ParsedReply | Reply:
        """One request, as soon as one may be sent. Raises CallFailed if no more may be sent."""
        while True:
            answer, answered = await self._send(question, digest, shares)
            match answer:
                case Go():
                    assert answered is not None
                    return answered
                case SharedReply(call):
                    reply, shares = _replayed(question, call), False
                    if reply is not None:
                        return reply
                case Wait(seconds):
                    await self.drain.rest(seconds + random.random())  # noqa: S311 - so that not all come at once
                case Spent():
                    self.drain.is_spent(answer)
                    await _briefly()
                case Later():
                    await _briefly()
                case Lost():
                    self.drain.lose(self.job.pk)
                    await self.drain.stand_still()
                case _:
                    await self.drain.stand_still()

    async def _send(self, question: Question, digest: str, shares: bool) -> tuple[Answer, ParsedReply | None]:
        """The ledger's answer, and the outcome once it is written.

        The place is free as soon as the reply is handed in: the next call has a row of its own, which is written after
        the reply, so that a kill never loses more replies than there are places.
        """
        drain = self.drain
        try:
            key_of(drain.endpoint)
        except NoKey as missing:
            raise CallFailed(Cause.NO_KEY, str(missing), step=question.step) from missing
        question = budget.capped(drain.run, question)
        async with drain.first_calls.turn(drain.sort_of(question)), drain.gate:
            answer, answered, closed = await self._sent_in_a_place(question, digest, shares)
            if answered is not None:
                await drain.learn(question, answered)
        if closed is not None:
            with drain.at_work(), drain.gate.closing():
                await closed
        return answer, answered

    async def _sent_in_a_place(
        self, question: Question, digest: str, shares: bool
    ) -> tuple[Answer, ParsedReply | None, asyncio.Future[Answer] | None]:
        """As `_send`; the third value is done when the outcome is written."""
        drain = self.drain
        if drain.is_stopping():
            return None, None, None
        if drain.broken is not None:
            raise CallFailed(drain.broken.cause, drain.broken.in_words, step=question.step)
        addresses = await drain.image_addresses(question, self.job)  # before the row: no call without its files
        self.history.attempts[question.step] += 1
        opening = Opening(self.job.pk, question, digest, self.history.attempts[question.step], shares)
        with drain.at_work():
            answer = await drain.calls.put(opening)
            if not isinstance(answer, Go):
                self.history.attempts[question.step] -= 1
                return answer, None, None
            answered = await drain.client.ask_once(question, addresses)
            if answered.received.simulated and not drain.endpoint.simulated:
                await drain.is_simulated()
            return answer, answered, drain.calls.hand_in(Closing(answer.call, answered))


async def _briefly() -> None:
    await asyncio.sleep(AGAIN * (1 + random.random()))  # noqa: S311 - so that not all come at once


def _replayed(question: Question, call: Call) -> Reply | None:
    """The reply of a stored call; None if it can no longer be read: then the question is asked again."""
    try:
        answer = replies.parse_reply(question, call.reply)
    except replies.Unread:
        return None
    return Reply(replies.without_thoughts(call.reply), answer, call.model, replayed=True)


def _pause(failed: int, wait: float | None) -> float:
    """Exponential backoff with jitter, and at least as long as the service asks for."""
    pause = min(LONGEST_REST, FIRST_REST * 2 ** (failed - 1)) * (0.5 + random.random() / 2)  # noqa: S311 - no secret
    return max(pause, min(wait or 0.0, LONGEST_WAIT))
