import asyncio
import logging
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core import serializers
from django.db import OperationalError
from django.utils import timezone

from annotate import bell
from annotate.engine import concurrency
from annotate.engine.concurrency import Gathering, ThreadBridge, run_beside_loop
from annotate.engine.jobs import Ending, Endings
from annotate.engine.ledger import LEASE, LOST, STOP, Closing, Go, Ledger, Opening, SharedReply, Spent, Wait
from annotate.engine.replies import CallResult, ParsedReply
from annotate.kinds.protocol import Question
from annotate.models import Call, Job, Run
from annotate.runs import actions
from annotate.runs.execution import work
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Words, make_endpoint, planned

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]
NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def ledger(words: Words) -> Ledger:
    """Of a worker that has three jobs of a running run."""
    endpoint = make_endpoint(NOWHERE, price_in=Decimal(10), price_out=Decimal(100))
    run = planned(endpoint, items=3, budget=Decimal("0.01"))
    actions.start(run, None, ring=False)
    worker = uuid4()
    run.jobs.update(state="leased", token=worker, lease_until=timezone.now() + LEASE, attempts=1)
    return Ledger(run, worker)


def opening(job: Job, attempt: int = 1, text: str = "x") -> Opening:
    question = Question("s", [{"role": "user", "content": text}], max_tokens=10)
    return Opening(job.pk, question, question.digest("m"), attempt)


def closing(call: Call, tokens: int = 100) -> Closing:
    return Closing(call, ParsedReply(CallResult(text="yes", tokens_in=tokens, tokens_out=10, usage_told=True), 5))


def jobs(ledger: Ledger) -> list[Job]:
    return list(ledger.run.jobs.order_by("pk"))


def opened(ledger: Ledger, *openings: Opening) -> list[Call]:
    answers = ledger.write(openings)
    assert all(isinstance(answer, Go) for answer in answers)
    return [answer.call for answer in answers if isinstance(answer, Go)]


def test_openings_and_closings_of_many_go_into_one_transaction(ledger: Ledger) -> None:
    first, second, third = jobs(ledger)
    calls = opened(ledger, opening(first), opening(second))
    answers = ledger.write([closing(calls[0]), opening(third), closing(calls[1])])
    assert [type(answer).__name__ for answer in answers] == ["NoneType", "Go", "NoneType"]
    run = Run.objects.get()
    assert (run.calls, run.tokens_in, run.tokens_out, run.cost) == (3, 200, 20, Decimal("0.004"))
    assert list(Call.objects.order_by("pk").values_list("cause", flat=True)) == ["", "", None]


def test_a_row_keeps_what_was_asked_when_it_is_completed(ledger: Ledger) -> None:
    (call,) = opened(ledger, opening(jobs(ledger)[0], text="What?"))
    ledger.write([closing(call)])
    assert Call.objects.get().request["messages"] == [{"role": "user", "content": "What?"}]
    assert Call.objects.get().reply == "yes"


def test_what_is_complete_is_never_written_or_counted_again(ledger: Ledger) -> None:
    (call,) = opened(ledger, opening(jobs(ledger)[0]))
    ledger.write([closing(call)])
    ledger.write([closing(call, tokens=9999)])
    assert Call.objects.get().tokens_in == 100
    assert Run.objects.get().tokens_in == 100


def test_a_transaction_whose_commit_nobody_heard_of_may_be_tried_again(ledger: Ledger) -> None:
    first, second, _third = jobs(ledger)
    (call,) = opened(ledger, opening(first))
    entries = [closing(call), opening(second)]
    once, again = ledger.write(entries), ledger.write(entries)
    assert isinstance(once[1], Go)
    assert isinstance(again[1], Go)
    assert once[1].call.pk == again[1].call.pk
    assert (Call.objects.count(), Run.objects.get().calls, Run.objects.get().tokens_in) == (2, 2, 100)


def test_a_job_of_somebody_else_is_lost(ledger: Ledger) -> None:
    first, second, _third = jobs(ledger)
    Job.objects.filter(pk=first.pk).update(token=uuid4())
    answers = ledger.write([opening(first), opening(second)])
    assert answers[0] is LOST
    assert isinstance(answers[1], Go)
    assert Call.objects.count() == 1


def test_nothing_is_let_in_once_the_run_is_paused(ledger: Ledger) -> None:
    actions.pause(ledger.run, None)
    assert ledger.write([opening(jobs(ledger)[0])]) == [STOP]
    assert ledger.state == Run.State.PAUSED
    assert not Call.objects.exists()


def test_the_budget_is_looked_at_after_the_replies_of_the_same_transaction(ledger: Ledger) -> None:
    """0.01 USD: 900 tokens at 10 a million and ten at 100 use it up."""
    first, second, _third = jobs(ledger)
    (call,) = opened(ledger, opening(first))
    assert ledger.write([closing(call, tokens=900), opening(second)]) == [None, Spent(Decimal("0.0100"))]
    assert Spent(Decimal("0.0100")).in_words == "The budget of 0.01 USD is used up."


def test_a_deleted_run_takes_its_open_calls_with_it(ledger: Ledger) -> None:
    (call,) = opened(ledger, opening(jobs(ledger)[0]))
    ledger.run.jobs.all().delete()
    assert ledger.write([closing(call)]) == [None]
    assert not Call.objects.exists()


def test_a_reply_of_another_job_is_shared_only_where_it_may_be(ledger: Ledger) -> None:
    first, second, _third = jobs(ledger)
    (call,) = opened(ledger, opening(first))
    ledger.write([closing(call)])
    unwilling, asked = opening(second), opening(jobs(ledger)[2])
    assert isinstance(ledger.write([unwilling])[0], Go)
    (answer,) = ledger.write([Opening(asked.job_id, asked.question, asked.digest, 1, shares=True)])
    assert isinstance(answer, SharedReply)
    assert answer.call.pk == call.pk


def test_what_the_minute_does_not_allow_waits(ledger: Ledger) -> None:
    ledger.endpoint.requests_a_minute = 1
    first, second, _third = jobs(ledger)
    answers = ledger.write([opening(first), opening(second)])
    assert isinstance(answers[0], Go)
    assert isinstance(answers[1], Wait)
    assert 0 < answers[1].seconds <= 60


# --- group commit -----------------------------------------------------------------------------------------------------


def test_many_waiters_share_few_transactions() -> None:
    together: list[int] = []

    def write(entries: Sequence[int]) -> list[int]:
        together.append(len(entries))
        return [entry * 10 for entry in entries]

    desk = ThreadBridge()
    gathering: Gathering[int, int] = Gathering(desk, write, most=50)

    async def story() -> list[int]:
        keeping = asyncio.create_task(gathering.keep())
        answers = await asyncio.gather(*(gathering.put(number) for number in range(120)))
        keeping.cancel()
        return answers

    assert desk.run(story()) == [number * 10 for number in range(120)]
    assert together == [50, 50, 20]


def test_a_database_that_is_away_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency.connection, "close", lambda: None)
    monkeypatch.setattr(concurrency, "connection", type("Away", (), {"in_atomic_block": False, "close": lambda: None}))
    faults = [OperationalError("server closed the connection"), OperationalError("starting up")]

    def act(value: int) -> int:
        if faults:
            raise faults.pop()
        return value

    assert concurrency.patiently(act, 7) == 7
    monkeypatch.setattr(concurrency, "PATIENCE", -1.0)
    faults.append(OperationalError("gone for good"))
    with pytest.raises(OperationalError, match="for good"):
        concurrency.patiently(act, 7)


def test_the_desk_works_in_the_thread_that_opened_it_and_passes_faults_on() -> None:
    import threading

    desk, here = ThreadBridge(), threading.get_ident()

    def fail() -> None:
        raise ValueError("at the desk")

    async def story() -> tuple[bool, bool, str]:
        with pytest.raises(ValueError, match="at the desk") as fault:
            await desk.do(fail)
        return await desk.do(threading.get_ident) == here, threading.get_ident() == here, str(fault.value)

    assert desk.run(story()) == (True, False, "at the desk")


def test_a_fault_of_the_coroutine_reaches_the_caller() -> None:
    async def story() -> None:
        raise LookupError("inside")

    with pytest.raises(LookupError, match="inside"):
        run_beside_loop(story())


# --- endings ----------------------------------------------------------------------------------------------------------


def test_an_ending_of_somebody_elses_job_stores_nothing(ledger: Ledger) -> None:
    first, second, _third = jobs(ledger)
    Job.objects.filter(pk=first.pk).update(token=uuid4())
    stored: list[Any] = []
    endings = Endings(ledger.worker, stored.extend)
    assert endings.write([Ending(first, "a", 1), Ending(second, "b", 2)]) == [False, True]
    assert stored == [("b", 2)]
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.state, second.state, second.token) == ("leased", "done", None)
    assert endings.write([Ending(second, "b", 2)]) == [False], "once is enough"


# --- keys -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", ["good", "quotes_the_key", "says_the_key", "html", "resets"])
def test_the_key_is_nowhere_in_the_ledger_the_log_or_the_arguments_of_tasks(
    words: Words,
    model: FaultyModel,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
    answer: str,
) -> None:
    key = "sk-very-secret-0123456789"
    monkeypatch.setenv("MOON_KEY", key)
    rung: list[str] = []
    monkeypatch.setattr(bell.current_app, "send_task", lambda *given, **named: rung.append(repr((given, named))))
    model.chooses = lambda _question, _times: answer
    run = planned(make_endpoint(model.base_url, key_env="MOON_KEY", attempts=2), items=2)
    with caplog.at_level(logging.DEBUG):
        actions.start(run, None)
        bell._ring("drain_run", (run.pk,), None)
        work(run)
    assert model.headers[0]["Authorization"] == f"Bearer {key}"
    rows = [*Run.objects.all(), *Job.objects.all(), *Call.objects.all(), run.endpoint]
    for where in (serializers.serialize("json", rows), caplog.text, *rung):
        assert key not in where
    assert rung
    assert caplog.text
