"""The ledger: every request is a row before it is sent, and is completed with what came back."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from annotate.llm import budget, limits, rows
from annotate.llm.entries import LOST, STOP, Answer, Closing, Entry, Go, Opening, Shared, Spent, Wait
from annotate.llm.replies import storable
from annotate.llm.tokens import tokens_in
from annotate.models import Call, Job, Run

LEASE = timedelta(seconds=60)  # of a job; after that another worker takes it up
EXTENDED = 10.0  # seconds between extensions of all leases


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
        self._before = 0  # calls let in by this transaction whose rows an earlier try of it has written
        self._guessed: dict[int, tuple[datetime, int]] = {}  # call -> its minute, and the tokens counted for it

    def write(self, entries: Sequence[Entry]) -> list[Answer]:
        """What becomes of each opening; None for a closing. Calling it again with the same entries changes nothing."""
        openings = [entry for entry in entries if isinstance(entry, Opening)]
        closings = [entry for entry in entries if isinstance(entry, Closing)]
        again, self._tried = entries is self._tried, entries
        with transaction.atomic(durable=True):
            self._extend_leases()
            completed = self._complete(closings)
            opened = self._open(openings, spent=sum((call.cost for call in completed), Decimal(0)), again=again)
            new = sum(isinstance(answer, Go) for answer in opened) - self._before
            self._move_on(completed, new)
        answers = dict(zip(map(id, openings), opened, strict=True))
        return [answers.get(id(entry)) for entry in entries]

    def _extend_leases(self) -> None:
        if time.monotonic() - self._extended > EXTENDED:
            mine = Job.objects.filter(run=self.run, state=Job.State.LEASED, token=self.worker)
            mine.update(lease_until=timezone.now() + LEASE)
            self._extended = time.monotonic()

    def _complete(self, closings: Sequence[Closing]) -> list[Call]:
        """Those that were still open: a row that is complete is never written again, and never counted twice."""
        if not closings:
            return []
        calls = [self._completed(closing) for closing in closings]
        changed = rows.complete(calls)
        calls = [call for call in calls if call.pk in changed]
        self._correct_minutes(calls)
        return calls

    def _move_on(self, completed: Sequence[Call], opened: int) -> None:
        """The run's sums, by what this transaction adds to the ledger."""
        if completed or opened:
            Run.objects.filter(pk=self.run.pk).update(
                calls=F("calls") + opened,
                tokens_in=F("tokens_in") + sum(call.tokens_in for call in completed),
                tokens_out=F("tokens_out") + sum(call.tokens_out for call in completed),
                cost=F("cost") + sum((call.cost for call in completed), Decimal(0)),
            )

    def _completed(self, closing: Closing) -> Call:
        call, received = closing.call, closing.answered.received
        call.cause = received.cause or ""
        call.detail, call.reply = received.detail, received.text
        call.finish_reason, call.model = received.finish_reason, received.model
        call.tokens_in, call.tokens_out = received.tokens_in, received.tokens_out
        call.cost = budget.cost_of(self.endpoint, received.tokens_in, received.tokens_out)
        call.milliseconds = closing.answered.milliseconds
        return call

    def _correct_minutes(self, calls: Sequence[Call]) -> None:
        wrong: Counter[datetime] = Counter()
        for call in calls:
            if call.pk in self._guessed:
                minute, guessed = self._guessed.pop(call.pk)
                wrong[minute] += call.tokens_in + call.tokens_out - guessed
        for minute, tokens in wrong.items():
            limits.correct(self.endpoint, minute, tokens)

    def _open(self, openings: Sequence[Opening], *, spent: Decimal, again: bool) -> list[Answer]:
        """spent: by the replies of this transaction, which the run's cost does not yet contain."""
        self._before = 0
        now = Run.objects.values("state", "cost", "budget").get(pk=self.run.pk)
        self.state = Run.State(now["state"])
        if not openings:
            return []
        if self.state != Run.State.RUNNING:
            return [STOP] * len(openings)
        answers: dict[int, Answer] = {}
        wanted = self._not_shared(openings, answers)
        if now["budget"] is not None and now["cost"] + spent >= now["budget"]:
            answers |= {at: Spent(now["budget"]) for at in wanted}
        else:
            owned = self._owned(openings, wanted, answers)
            admitted = self._admitted(openings, owned, answers)
            answers |= self._let_in({at: openings[at] for at in admitted}, again)
        return [answers[at] for at in range(len(openings))]

    def _not_shared(self, openings: Sequence[Opening], answers: dict[int, Answer]) -> list[int]:
        """The positions of those that have to be sent."""
        sharing = {at: opening.digest for at, opening in enumerate(openings) if opening.shares}
        if sharing:
            found = {call.digest: call for call in _read_calls(self.run).filter(digest__in=set(sharing.values()))}
            answers |= {at: Shared(found[digest]) for at, digest in sharing.items() if digest in found}
        return [at for at in range(len(openings)) if at not in answers]

    def _owned(self, openings: Sequence[Opening], wanted: Sequence[int], answers: dict[int, Answer]) -> list[int]:
        """Those of jobs that are still this worker's. Locked, so that nobody takes them over before the commit."""
        keys = {openings[at].job_id for at in wanted}
        mine = Job.objects.filter(pk__in=keys, token=self.worker, state=Job.State.LEASED)
        owned = set(mine.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
        answers |= {at: LOST for at in wanted if openings[at].job_id not in owned}
        return [at for at in wanted if at not in answers]

    def _admitted(self, openings: Sequence[Opening], wanted: list[int], answers: dict[int, Answer]) -> list[int]:
        """Those that the limits a minute allow."""
        if not wanted or not limits.is_limited(self.endpoint):
            return wanted
        count = limits.admit(self.endpoint, [tokens_in(openings[at].question) for at in wanted])
        answers |= {at: Wait(limits.until_next_minute()) for at in wanted[count:]}
        return wanted[:count]

    def _let_in(self, openings: dict[int, Opening], again: bool) -> dict[int, Answer]:
        if not openings:
            return {}
        calls = {at: _row(opening) for at, opening in openings.items()}
        written = _written_before(calls.values()) if again else {}
        new = [call for call in calls.values() if _place(call) not in written]
        rows.insert(new)
        self._before = len(calls) - len(new)
        calls = {at: written.get(_place(call), call) for at, call in calls.items()}
        if limits.is_limited(self.endpoint):
            minute = limits.this_minute(timezone.now())
            self._guessed |= {call.pk: (minute, tokens_in(openings[at].question)) for at, call in calls.items()}
        return {at: Go(call) for at, call in calls.items()}


def _written_before(calls: Iterable[Call]) -> dict[tuple[int, str, int], Call]:
    """Rows of an earlier try of the same transaction, whose commit nobody has heard of: (job, step, attempt) -> row."""
    found = Call.objects.filter(job__in={call.job_id for call in calls}, cause=None)
    return {_place(call): call for call in found}


def _row(opening: Opening) -> Call:
    asked = opening.question.body()
    asked["messages"] = [{name: storable(text) for name, text in each.items()} for each in asked["messages"]]
    return Call(
        job_id=opening.job_id,
        step=opening.question.step,
        attempt=opening.attempt,
        digest=opening.digest,
        request=asked,
        sent_at=timezone.now(),
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
