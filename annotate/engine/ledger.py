"""The ledger: every request is a row before it is sent, and is completed with the result.

The statements that every request needs are in ledger_rows.py, or prepared (see annotate/prepared.py).
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from annotate.engine import budget, concurrency, limits
from annotate.engine.budget import NOTHING, tokens_in
from annotate.engine.ledger_rows import add, complete, insert, owned
from annotate.engine.replies import ParsedReply, storable
from annotate.engine.warm_up import Probes
from annotate.kinds.protocol import Question
from annotate.models import Call, Job, Place, Probing, Run
from annotate.prepared import prepared


@prepared
def _standing(run: int) -> "QuerySet[Run, tuple[str, Decimal, Decimal, Decimal | None, bool]]":
    """State, sums and budget of a run, and whether its service has still to answer."""
    probing = Exists(Probing.objects.filter(run=OuterRef("pk")))
    columns = "state", "cost", "reserved", "budget", "probes"
    return Run.objects.filter(pk=run).annotate(probes=probing).values_list(*columns)


# Entries for the ledger, and its answers to a request that somebody wants to send.


@dataclass(frozen=True)
class Opening:
    """A request that somebody wants to send, the nth attempt at a step."""

    job_id: int
    question: Question
    digest: str
    attempt: int
    shares: bool = False  # another job's reply to an equal question may be used


@dataclass(frozen=True)
class Closing:
    """The result of a call that was opened."""

    call: Call
    answered: ParsedReply


@dataclass(frozen=True)
class Go:
    """Send the request: its row is committed."""

    call: Call


@dataclass(frozen=True)
class SharedReply:
    """Another job has a reply to the same question: nothing needs to be sent."""

    call: Call


@dataclass(frozen=True)
class Wait:
    """The minute's requests or tokens are used up."""

    seconds: float


@dataclass(frozen=True)
class Spent:
    """The budget is used up, or its rest is less than the worst price of the next call, and nothing is in flight."""

    budget: Decimal
    worst: Decimal = NOTHING

    @property
    def in_words(self) -> str:
        budget, worst = f"{self.budget.normalize():f}", f"{self.worst.normalize():f}"
        if self.worst:
            return f"The budget of {budget} USD is used up. The next call may cost {worst} USD."
        return f"The budget of {budget} USD is used up."


@dataclass(frozen=True)
class Later:
    """Wait for calls in flight: for the result of the first calls, or for budget that the others may free."""


@dataclass(frozen=True)
class Stop:
    """The run is no longer running."""


@dataclass(frozen=True)
class Lost:
    """The job is no longer this worker's."""


Entry = Opening | Closing
Answer = Go | SharedReply | Wait | Later | Spent | Stop | Lost | None
STOP, LOST, LATER = Stop(), Lost(), Later()


LEASE = timedelta(seconds=60)  # of a job; after that another worker takes it up
EXTENDED = 10.0  # seconds between extensions of all leases
LATE = timedelta(seconds=5)  # after its deadline, from when on a call no longer counts as in flight


@dataclass(frozen=True)
class RunStanding:
    """The run as this transaction read it; the row is locked if the run has a budget."""

    cost: Decimal
    reserved: Decimal
    budget: Decimal | None

    def used(self, completed: Sequence[Call], freed: Decimal) -> Decimal:
        """The part of the budget that is spent or reserved, once these calls are complete."""
        return self.cost + self.reserved - freed + sum((call.cost for call in completed), NOTHING)


class Ledger:
    """The ledger of one worker. Only one thread calls `write`; others may read `state`.

    A transaction completes calls, updates the run's sums, extends the leases of the worker's jobs, reads changes that
    people have made to the run, and only then lets new calls in.
    """

    def __init__(self, run: Run, worker: UUID) -> None:
        self.run, self.worker, self.endpoint = run, worker, run.endpoint
        self.state = Run.State(run.state)
        self._extended = time.monotonic()
        self._tried: Sequence[Entry] | None = None
        self._before: set[int] = set()  # calls let in whose rows an earlier attempt of this transaction wrote
        self._guessed: dict[int, tuple[datetime, int]] = {}  # call -> its minute, and the tokens counted for it
        self._minute = limits.this_minute(timezone.now())  # in which the last calls were counted
        self._reserved: dict[int, Decimal] = {}  # call in flight -> its worst price
        self._still_out: set[int] = set()  # calls in flight that this transaction does not complete
        self.probes = Probes(run)

    def write(self, entries: Sequence[Entry]) -> list[Answer]:
        """The answer to each opening; None for a closing. Calling it again with the same entries changes nothing."""
        openings = [entry for entry in entries if isinstance(entry, Opening)]
        closings = [entry for entry in entries if isinstance(entry, Closing)]
        again, self._tried = entries is self._tried, entries
        with transaction.atomic(durable=True):
            now = self._look()
            self._extend_leases()
            completed = self._complete(closings)
            self._still_out = self._reserved.keys() - {closing.call.pk for closing in closings}
            freed = sum((self._freed(call) for call in completed), NOTHING)
            opened = self._open(openings, now, now.used(completed, freed), again=again)
            let_in = {index: answer.call for index, answer in enumerate(opened) if isinstance(answer, Go)}
            new = [call for call in let_in.values() if call.pk not in self._before]
            self._move_on(completed, len(new), sum((call.reserved for call in new), NOTHING) - freed)
            self.probes.keep(len(new))
        self._remember(closings, [(openings[index], call) for index, call in let_in.items()])
        answers = dict(zip(map(id, openings), opened, strict=True))
        return [answers.get(id(entry)) for entry in entries]

    def _look(self) -> RunStanding:
        """Read the run before any other row is locked, so that all workers lock the rows of a run in the same order."""
        if budget.has_limit(self.run):
            Run.objects.select_for_update(no_key=True).values_list("pk").get(pk=self.run.pk)
        standing = _standing.first(run=self.run.pk)
        if standing is None:
            raise Run.DoesNotExist(f"Run {self.run.pk} was deleted.")
        state, cost, reserved, limit, is_probed = standing
        self.probes.look(is_probed)
        self.state = Run.State(state)
        return RunStanding(cost, reserved, limit)

    def _remember(self, closings: Sequence[Closing], let_in: Sequence[tuple[Opening, Call]]) -> None:
        """Update this object only after the commit: the transaction may be repeated."""
        for closing in closings:
            self._guessed.pop(closing.call.pk, None)
            self._reserved.pop(closing.call.pk, None)
        self._reserved |= {call.pk: call.reserved for _opening, call in let_in if call.reserved}
        if limits.is_limited(self.endpoint):
            self._guessed |= {call.pk: (self._minute, tokens_in(opening.question)) for opening, call in let_in}

    def _freed(self, call: Call) -> Decimal:
        return self._reserved.get(call.pk, NOTHING) - call.reserved

    def _extend_leases(self) -> None:
        if time.monotonic() - self._extended > EXTENDED:
            leased_jobs = Job.objects.filter(run=self.run, state=Job.State.LEASED, token=self.worker)
            leased_jobs.update(lease_until=timezone.now() + LEASE)
            self._extended = time.monotonic()

    def _complete(self, closings: Sequence[Closing]) -> list[Call]:
        """The closed calls that were still open: a complete row is never written or counted twice."""
        if not closings:
            return []
        calls = [self._completed(closing) for closing in closings]
        changed = complete(calls)
        calls = [call for call in calls if call.pk in changed]
        self._correct_minutes(calls)
        self.probes.hear(calls)
        return calls

    def _move_on(self, completed: Sequence[Call], opened: int, reserved: Decimal) -> None:
        """Update the run's sums by what this transaction adds to the ledger."""
        if completed or opened:
            tokens_in = sum(call.tokens_in for call in completed)
            tokens_out = sum(call.tokens_out for call in completed)
            add(self.run, opened, tokens_in, tokens_out, sum((call.cost for call in completed), NOTHING), reserved)

    def _completed(self, closing: Closing) -> Call:
        call, received = closing.call, closing.answered.received
        call.cause = received.cause or ""
        call.detail, call.reply, call.reasoning = received.detail, received.text, received.reasoning
        call.sent, call.adapted = dict(closing.answered.sent), closing.answered.ask_again
        call.finish_reason, call.model = received.finish_reason, received.model
        call.tokens_in, call.tokens_out = received.tokens_in, received.tokens_out
        call.cost = budget.cost_of(self.endpoint, received.tokens_in, received.tokens_out)
        call.reserved = self._reserved.get(call.pk, NOTHING) if budget.price_is_unknown(received) else NOTHING
        call.milliseconds = closing.answered.milliseconds
        return call

    def _correct_minutes(self, calls: Sequence[Call]) -> None:
        wrong: Counter[datetime] = Counter()
        for call in calls:
            if call.pk in self._guessed:
                minute, guessed = self._guessed[call.pk]
                wrong[minute] += call.tokens_in + call.tokens_out - guessed
        for minute, tokens in wrong.items():
            limits.correct(self.endpoint, minute, tokens)

    def _open(self, openings: Sequence[Opening], now: RunStanding, used: Decimal, *, again: bool) -> list[Answer]:
        """Answer the openings. used: the used part of the budget, including the replies of this transaction."""
        self._before = set()
        if not openings:
            return []
        if self.state != Run.State.RUNNING or concurrency.has_begun():
            return [STOP] * len(openings)
        answers: dict[int, Answer] = {}
        sent_at = timezone.now()
        calls = {index: self._row(opening, sent_at) for index, opening in enumerate(openings)}
        if again:
            answers |= self._written_before(calls)
        indexes = self._not_shared(openings, answers)
        room = self.probes.room(len(indexes))
        answers |= dict.fromkeys(indexes[room:], LATER)
        affordable = self._affordable({index: calls[index] for index in indexes[:room]}, now, used, answers)
        owned = self._owned(openings, affordable, answers)
        admitted = self._admitted(openings, owned, answers)
        answers |= self._let_in({index: calls[index] for index in admitted})
        return [answers[index] for index in range(len(openings))]

    def _affordable(
        self, calls: dict[int, Call], now: RunStanding, used: Decimal, answers: dict[int, Answer]
    ) -> list[int]:
        """The calls whose worst price still fits into the budget, after what is spent and reserved."""
        if now.budget is None:
            return list(calls)
        fitting = []
        for index, call in calls.items():
            if used < now.budget and used + call.reserved <= now.budget:
                used += call.reserved
                fitting.append(index)
        rest = [index for index in calls if index not in fitting]
        if rest and (fitting or self._is_in_flight(answers)):
            answers |= dict.fromkeys(rest, LATER)
        else:
            answers |= {
                index: Spent(now.budget, calls[index].reserved if used < now.budget else NOTHING) for index in rest
            }
        return fitting

    def _is_in_flight(self, answers: dict[int, Answer]) -> bool:
        """Whether a reservation may still be freed, by this worker or by another live one."""
        if self._still_out or any(isinstance(answer, Go) for answer in answers.values()):
            return True
        now = timezone.now()
        living = Place.objects.filter(lease_until__gte=now).exclude(worker=self.worker).values("worker")
        since = now - timedelta(seconds=self.endpoint.deadline) - LATE
        calls = Call.objects.filter(job__run=self.run, job__state=Job.State.LEASED, job__token__in=living)
        return calls.filter(cause=None, reserved__gt=0, sent_at__gte=since).exists()

    def _not_shared(self, openings: Sequence[Opening], answers: dict[int, Answer]) -> list[int]:
        """The indexes of openings that have to be sent."""
        sharing = {
            index: opening.digest for index, opening in enumerate(openings) if opening.shares and index not in answers
        }
        if sharing:
            calls_by_digest = {
                call.digest: call for call in _read_calls(self.run).filter(digest__in=set(sharing.values()))
            }
            answers |= {
                index: SharedReply(calls_by_digest[digest])
                for index, digest in sharing.items()
                if digest in calls_by_digest
            }
        return [index for index in range(len(openings)) if index not in answers]

    def _owned(self, openings: Sequence[Opening], indexes: Sequence[int], answers: dict[int, Answer]) -> list[int]:
        """The indexes of jobs that are still this worker's, locked so that nobody takes them over before the commit."""
        owned_jobs = owned(self.worker, {openings[index].job_id for index in indexes})
        answers |= {index: LOST for index in indexes if openings[index].job_id not in owned_jobs}
        return [index for index in indexes if index not in answers]

    def _admitted(self, openings: Sequence[Opening], indexes: list[int], answers: dict[int, Answer]) -> list[int]:
        """The indexes that the limits per minute allow."""
        if not indexes or not limits.is_limited(self.endpoint):
            return indexes
        self._minute = limits.this_minute(timezone.now())
        count = limits.admit(self.endpoint, [tokens_in(openings[index].question) for index in indexes], self._minute)
        answers |= {index: Wait(limits.until_next_minute()) for index in indexes[count:]}
        return indexes[:count]

    def _let_in(self, calls: dict[int, Call]) -> dict[int, Answer]:
        insert(list(calls.values()))
        return {index: Go(call) for index, call in calls.items()}

    def _written_before(self, calls: dict[int, Call]) -> dict[int, Answer]:
        """Rows of an earlier attempt of the same transaction, whose commit was never confirmed."""
        written = Call.objects.filter(job__in={call.job_id for call in calls.values()}, cause=None)
        by_place = {_place(call): call for call in written}
        answers = {index: Go(by_place[_place(call)]) for index, call in calls.items() if _place(call) in by_place}
        self._before = {answer.call.pk for answer in answers.values()}
        return dict(answers)

    def _row(self, opening: Opening, sent_at: datetime) -> Call:
        body = opening.question.body()
        body["messages"] = [{name: storable(text) for name, text in message.items()} for message in body["messages"]]
        return Call(
            job_id=opening.job_id,
            step=opening.question.step,
            attempt=opening.attempt,
            digest=opening.digest,
            request=body,
            sent_at=sent_at,
            reserved=budget.worst(self.endpoint, opening.question) if budget.has_limit(self.run) else NOTHING,
        )


def _place(call: Call) -> tuple[int, str, int]:
    return call.job_id, call.step, call.attempt


def _read_calls(run: Run) -> QuerySet[Call]:
    """Calls whose replies other jobs may share."""
    within = Call.objects.filter(job__run__project_id=run.project_id, job__run__endpoint_id=run.endpoint_id)
    return within.filter(cause="").defer("request").order_by("pk")


def shared(run: Run, digest: str) -> Call | None:
    """A readable reply to the same question of another job in this project at this endpoint."""
    return _read_calls(run).filter(digest=digest).last()
