"""The ledger: every request is a row before it is sent, and is completed with what came back."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from annotate.llm import budget, limits, rows, stopping
from annotate.llm.entries import LATER, LOST, STOP, Answer, Closing, Entry, Go, Opening, Shared, Spent, Wait
from annotate.llm.probing import Probes
from annotate.llm.replies import storable
from annotate.llm.tokens import tokens_in
from annotate.models import Call, Job, Place, Probing, Run

LEASE = timedelta(seconds=60)  # of a job; after that another worker takes it up
EXTENDED = 10.0  # seconds between extensions of all leases
LATE = timedelta(seconds=5)  # after its deadline a call is not in flight any more


@dataclass(frozen=True)
class Standing:
    """The run as this transaction found it, locked where it has a budget."""

    cost: Decimal
    reserved: Decimal
    budget: Decimal | None

    def used(self, completed: Sequence[Call], freed: Decimal) -> Decimal:
        """Spent and reserved, once these calls are complete."""
        return self.cost + self.reserved - freed + sum((call.cost for call in completed), Decimal(0))


class Ledger:
    """One worker's pen. `write` is called by one thread only; `state` may be read by others.

    A transaction completes calls, moves the run's sums on, extends the leases of the worker's jobs, reads what people
    have decided about the run meanwhile, and only then lets new calls in.
    """

    def __init__(self, run: Run, worker: UUID) -> None:
        self.run, self.worker, self.endpoint = run, worker, run.endpoint
        self.state = Run.State(run.state)
        self._extended = time.monotonic()
        self._tried: Sequence[Entry] | None = None
        self._before: set[int] = set()  # calls let in by this transaction whose rows an earlier try of it has written
        self._guessed: dict[int, tuple[datetime, int]] = {}  # call -> its minute, and the tokens counted for it
        self._minute = limits.this_minute(timezone.now())  # in which the last calls were counted
        self._reserved: dict[int, Decimal] = {}  # call in flight -> its worst price
        self._still_out: set[int] = set()  # calls in flight that this transaction does not complete
        self.probes = Probes(run)

    def write(self, entries: Sequence[Entry]) -> list[Answer]:
        """What becomes of each opening; None for a closing. Calling it again with the same entries changes nothing."""
        openings = [entry for entry in entries if isinstance(entry, Opening)]
        closings = [entry for entry in entries if isinstance(entry, Closing)]
        again, self._tried = entries is self._tried, entries
        with transaction.atomic(durable=True):
            now = self._look()
            self._extend_leases()
            completed = self._complete(closings)
            self._still_out = self._reserved.keys() - {closing.call.pk for closing in closings}
            freed = sum((self._freed(call) for call in completed), Decimal(0))
            opened = self._open(openings, now, now.used(completed, freed), again=again)
            let_in = {index: answer.call for index, answer in enumerate(opened) if isinstance(answer, Go)}
            new = [call for call in let_in.values() if call.pk not in self._before]
            self._move_on(completed, len(new), sum((call.reserved for call in new), Decimal(0)) - freed)
            self.probes.keep(len(new))
        self._remember(closings, [(openings[index], call) for index, call in let_in.items()])
        answers = dict(zip(map(id, openings), opened, strict=True))
        return [answers.get(id(entry)) for entry in entries]

    def _look(self) -> Standing:
        """Before any other row is locked: all workers of a run take its rows in the same order."""
        runs = Run.objects.filter(pk=self.run.pk)
        if budget.has_limit(self.run):
            runs = runs.select_for_update(no_key=True)
        probing = Exists(Probing.objects.filter(run=OuterRef("pk")))
        now = runs.annotate(probes=probing).values("state", "cost", "reserved", "budget", "probes").get()
        self.probes.look(now["probes"])
        self.state = Run.State(now["state"])
        return Standing(now["cost"], now["reserved"], now["budget"])

    def _remember(self, closings: Sequence[Closing], let_in: Sequence[tuple[Opening, Call]]) -> None:
        """Only after the commit: the transaction may be tried again."""
        for closing in closings:
            self._guessed.pop(closing.call.pk, None)
            self._reserved.pop(closing.call.pk, None)
        self._reserved |= {call.pk: call.reserved for _opening, call in let_in if call.reserved}
        if limits.is_limited(self.endpoint):
            self._guessed |= {call.pk: (self._minute, tokens_in(opening.question)) for opening, call in let_in}

    def _freed(self, call: Call) -> Decimal:
        return self._reserved.get(call.pk, Decimal(0)) - call.reserved

    def _extend_leases(self) -> None:
        if time.monotonic() - self._extended > EXTENDED:
            leased_jobs = Job.objects.filter(run=self.run, state=Job.State.LEASED, token=self.worker)
            leased_jobs.update(lease_until=timezone.now() + LEASE)
            self._extended = time.monotonic()

    def _complete(self, closings: Sequence[Closing]) -> list[Call]:
        """Those that were still open: a row that is complete is never written again, and never counted twice."""
        if not closings:
            return []
        calls = [self._completed(closing) for closing in closings]
        changed = rows.complete(calls)
        calls = [call for call in calls if call.pk in changed]
        self._correct_minutes(calls)
        self.probes.hear(calls)
        return calls

    def _move_on(self, completed: Sequence[Call], opened: int, reserved: Decimal) -> None:
        """The run's sums, by what this transaction adds to the ledger."""
        if completed or opened:
            Run.objects.filter(pk=self.run.pk).update(
                calls=F("calls") + opened,
                tokens_in=F("tokens_in") + sum(call.tokens_in for call in completed),
                tokens_out=F("tokens_out") + sum(call.tokens_out for call in completed),
                cost=F("cost") + sum((call.cost for call in completed), Decimal(0)),
                **({"reserved": F("reserved") + reserved} if reserved else {}),
            )

    def _completed(self, closing: Closing) -> Call:
        call, received = closing.call, closing.answered.received
        call.cause = received.cause or ""
        call.detail, call.reply, call.reasoning = received.detail, received.text, received.reasoning
        call.sent, call.adapted = dict(closing.answered.sent), closing.answered.ask_again
        call.finish_reason, call.model = received.finish_reason, received.model
        call.tokens_in, call.tokens_out = received.tokens_in, received.tokens_out
        call.cost = budget.cost_of(self.endpoint, received.tokens_in, received.tokens_out)
        call.reserved = self._reserved.get(call.pk, Decimal(0)) if budget.price_is_unknown(received) else Decimal(0)
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

    def _open(self, openings: Sequence[Opening], now: Standing, used: Decimal, *, again: bool) -> list[Answer]:
        """used: of the budget, the replies of this transaction counted."""
        self._before = set()
        if not openings:
            return []
        if self.state != Run.State.RUNNING or stopping.has_begun():
            return [STOP] * len(openings)
        answers: dict[int, Answer] = {}
        calls = {index: self._row(opening) for index, opening in enumerate(openings)}
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
        self, calls: dict[int, Call], now: Standing, used: Decimal, answers: dict[int, Answer]
    ) -> list[int]:
        """Those whose worst price the budget still holds, beside what is spent and reserved."""
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
                index: Spent(now.budget, calls[index].reserved if used < now.budget else Decimal(0)) for index in rest
            }
        return fitting

    def _is_in_flight(self, answers: dict[int, Answer]) -> bool:
        """Whether anything that is reserved may still be freed, by this worker or another that lives."""
        if self._still_out or any(isinstance(answer, Go) for answer in answers.values()):
            return True
        now = timezone.now()
        living = Place.objects.filter(lease_until__gte=now).exclude(worker=self.worker).values("worker")
        since = now - timedelta(seconds=self.endpoint.deadline) - LATE
        calls = Call.objects.filter(job__run=self.run, job__state=Job.State.LEASED, job__token__in=living)
        return calls.filter(cause=None, reserved__gt=0, sent_at__gte=since).exists()

    def _not_shared(self, openings: Sequence[Opening], answers: dict[int, Answer]) -> list[int]:
        """The positions of those that have to be sent."""
        sharing = {
            index: opening.digest for index, opening in enumerate(openings) if opening.shares and index not in answers
        }
        if sharing:
            calls_by_digest = {
                call.digest: call for call in _read_calls(self.run).filter(digest__in=set(sharing.values()))
            }
            answers |= {
                index: Shared(calls_by_digest[digest]) for index, digest in sharing.items() if digest in calls_by_digest
            }
        return [index for index in range(len(openings)) if index not in answers]

    def _owned(self, openings: Sequence[Opening], indexes: Sequence[int], answers: dict[int, Answer]) -> list[int]:
        """Those of jobs that are still this worker's. Locked, so that nobody takes them over before the commit."""
        keys = {openings[index].job_id for index in indexes}
        worker_jobs = Job.objects.filter(pk__in=keys, token=self.worker, state=Job.State.LEASED)
        owned = set(worker_jobs.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
        answers |= {index: LOST for index in indexes if openings[index].job_id not in owned}
        return [index for index in indexes if index not in answers]

    def _admitted(self, openings: Sequence[Opening], indexes: list[int], answers: dict[int, Answer]) -> list[int]:
        """Those that the limits a minute allow."""
        if not indexes or not limits.is_limited(self.endpoint):
            return indexes
        self._minute = limits.this_minute(timezone.now())
        count = limits.admit(self.endpoint, [tokens_in(openings[index].question) for index in indexes], self._minute)
        answers |= {index: Wait(limits.until_next_minute()) for index in indexes[count:]}
        return indexes[:count]

    def _let_in(self, calls: dict[int, Call]) -> dict[int, Answer]:
        rows.insert(list(calls.values()))
        return {index: Go(call) for index, call in calls.items()}

    def _written_before(self, calls: dict[int, Call]) -> dict[int, Answer]:
        """Rows of an earlier try of the same transaction, whose commit nobody has heard of."""
        written = Call.objects.filter(job__in={call.job_id for call in calls.values()}, cause=None)
        by_place = {_place(call): call for call in written}
        answers = {index: Go(by_place[_place(call)]) for index, call in calls.items() if _place(call) in by_place}
        self._before = {answer.call.pk for answer in answers.values()}
        return dict(answers)

    def _row(self, opening: Opening) -> Call:
        body = opening.question.body()
        body["messages"] = [{name: storable(text) for name, text in message.items()} for message in body["messages"]]
        return Call(
            job_id=opening.job_id,
            step=opening.question.step,
            attempt=opening.attempt,
            digest=opening.digest,
            request=body,
            sent_at=timezone.now(),
            reserved=budget.worst(self.endpoint, opening.question) if budget.has_limit(self.run) else Decimal(0),
        )


def _place(call: Call) -> tuple[int, str, int]:
    return call.job_id, call.step, call.attempt


def _read_calls(run: Run) -> QuerySet[Call]:
    """Those whose replies other jobs may share."""
    within = Call.objects.filter(job__run__project_id=run.project_id, job__run__endpoint_id=run.endpoint_id)
    return within.filter(cause="").defer("request").order_by("pk")


def shared(run: Run, digest: str) -> Call | None:
    """A reply that was read, to the same question of another job in this project at this endpoint."""
    return _read_calls(run).filter(digest=digest).last()
