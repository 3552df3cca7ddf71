"""What is in flight is reserved at its worst price: a run never spends more than its budget."""

from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.db import OperationalError
from django.utils import timezone

from annotate.engine import budget, ledger
from annotate.engine.budget import most_tokens_in
from annotate.engine.ledger import LATER, LEASE, Closing, Go, Ledger, Opening, Spent
from annotate.engine.replies import CallResult, ParsedReply
from annotate.kinds.protocol import Cause, Question
from annotate.models import Call, Endpoint, Minute, Place, Probing, Run
from annotate.runs import actions
from tests.annotate.engine.worked import worked
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Words, make_endpoint, planned, states

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]
NOWHERE = "http://127.0.0.1:9/v1"
QUESTION = Question("s", [{"role": "user", "content": "How many moons?"}], max_tokens=1000)
PRICES = {"price_in": Decimal(0), "price_out": Decimal(1000)}
WORST = Decimal(1)  # a thousand tokens at 1000 USD a million


@pytest.fixture
def run(words: Words) -> Run:
    """Open, at work, with ten jobs and 3.50 USD."""
    run = planned(make_endpoint(NOWHERE, **PRICES), items=10, budget=Decimal("3.5"))
    actions.start(run, None, ring=False)
    Probing.objects.all().delete()
    return run


def worker(run: Run, jobs: slice) -> tuple[Ledger, list[Opening]]:
    """A living worker that has some of the jobs, and a question about each."""
    token = uuid4()
    keys = list(run.jobs.order_by("pk").values_list("pk", flat=True)[jobs])
    run.jobs.filter(pk__in=keys).update(state="leased", token=token, lease_until=timezone.now() + LEASE)
    Place.objects.create(endpoint=run.endpoint, worker=token, count=4, lease_until=timezone.now() + LEASE)
    return Ledger(run, token), [Opening(key, QUESTION, QUESTION.digest("m"), 1) for key in keys]


def closed(answer: Any, **received: Any) -> Closing:
    received = {"text": "four", "tokens_in": 5, "tokens_out": 100, "usage_told": True} | received
    return Closing(answer.call, ParsedReply(CallResult(**received), 5))


def names(answers: Any) -> list[str]:
    return [type(answer).__name__ for answer in answers]


def used(run: Run) -> tuple[Decimal, Decimal]:
    run.refresh_from_db()
    return run.cost, run.reserved


def test_no_more_is_in_flight_than_the_budget_holds_at_its_worst(run: Run) -> None:
    mine, openings = worker(run, slice(0, 5))
    answers = mine.write(openings)
    assert names(answers) == ["Go", "Go", "Go", "Later", "Later"]
    assert used(run) == (0, 3 * WORST)
    answers = mine.write([closed(answers[0]), openings[3], openings[4]])
    assert names(answers) == ["NoneType", "Go", "Later"], "0.10 and three dollars leave forty cents"
    assert used(run) == (Decimal("0.1"), 3 * WORST)


def test_all_workers_reserve_together(run: Run) -> None:
    one, other = worker(run, slice(0, 2)), worker(run, slice(2, 5))
    first = one[0].write(one[1])
    assert names(other[0].write(other[1])) == ["Go", "Later", "Later"]
    assert names(other[0].write(other[1][1:])) == ["Later", "Later"]
    one[0].write([closed(answer) for answer in first])
    assert names(other[0].write(other[1][1:])) == ["Go", "Go"]


def test_when_nothing_is_in_flight_and_nothing_fits_it_is_spent(run: Run) -> None:
    mine, openings = worker(run, slice(0, 5))
    answers = mine.write(openings[:3])
    mine.write([closed(answer, tokens_out=1000) for answer in answers])
    assert mine.write(openings[3:]) == [Spent(Decimal("3.5"), WORST)] * 2
    assert Spent(Decimal("3.5"), WORST).in_words == "The budget of 3.5 USD is used up. The next call may cost 1 USD."


def test_calls_of_a_killed_worker_count_at_their_worst_and_are_not_waited_for(run: Run) -> None:
    dead, openings = worker(run, slice(0, 3))
    assert names(dead.write(openings)) == ["Go", "Go", "Go"]
    mine, others = worker(run, slice(3, 5))
    assert mine.write(others) == [LATER, LATER], "they may still come back"
    Place.objects.filter(worker=dead.worker).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert names(mine.write(others)) == ["Spent", "Spent"]
    assert used(run) == (0, 3 * WORST)


@pytest.mark.parametrize(
    ("cause", "detail", "reserved"),
    [
        (Cause.TIMEOUT, "No whole reply within 3 seconds.", WORST),
        (Cause.CONNECTION, "ServerDisconnectedError: Server disconnected", WORST),
        (Cause.CONNECTION, "ConnectionRefusedError: [Errno 111] Connect call failed", Decimal(0)),
        (Cause.SERVER_ERROR, "Status 500: Oh.", Decimal(0)),
    ],
)
def test_a_call_whose_price_nobody_heard_counts_at_its_worst(
    run: Run, cause: Cause, detail: str, reserved: Decimal
) -> None:
    mine, openings = worker(run, slice(0, 1))
    (answer,) = mine.write(openings)
    mine.write([closed(answer, cause=cause, detail=detail, text="", tokens_in=0, tokens_out=0)])
    assert used(run) == (0, reserved)
    assert Call.objects.get().reserved == reserved


def test_a_transaction_that_is_tried_again_reserves_once(run: Run) -> None:
    mine, openings = worker(run, slice(0, 3))
    entries = openings[:2]
    first, again = mine.write(entries), mine.write(entries)
    assert [answer.call.pk for answer in first] == [answer.call.pk for answer in again]  # type: ignore[union-attr]
    assert used(run) == (0, 2 * WORST)


def test_a_transaction_that_failed_frees_what_it_would_have_freed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, openings = worker(run, slice(0, 1))
    closing = closed(mine.write(openings)[0])
    move_on = Ledger._move_on

    def broken(*_given: Any) -> None:
        monkeypatch.setattr(Ledger, "_move_on", move_on)
        raise OperationalError

    monkeypatch.setattr(Ledger, "_move_on", broken)
    with pytest.raises(OperationalError):
        mine.write([closing])
    mine.write([closing])
    assert used(run) == (Decimal("0.1"), 0)


def test_tokens_are_corrected_in_the_minute_they_were_counted_in(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock passes the end of a minute between the two, and a transaction is tried again."""
    Endpoint.objects.update(tokens_a_minute=10_000)
    run = Run.objects.select_related("endpoint").get()
    mine, openings = worker(run, slice(0, 1))
    start = timezone.now().replace(second=59, microsecond=999_000)
    minutes = iter([start] + [start + timedelta(seconds=1)] * 50)
    this_minute = ledger.limits.this_minute
    monkeypatch.setattr(ledger.limits, "this_minute", lambda _now: this_minute(next(minutes)))
    (answer,) = mine.write(openings)
    mine.write([closed(answer, tokens_in=300)])
    assert Minute.objects.get(minute=this_minute(start)).tokens == 400
    assert not Minute.objects.exclude(minute=this_minute(start)).exists()


def test_without_a_budget_or_prices_nothing_is_reserved_and_no_limit_is_sent(words: Words, model: FaultyModel) -> None:
    worked(model, items=3, **PRICES)
    worked(model, items=3, budget=Decimal(1))
    assert not Call.objects.filter(reserved__gt=0).exists()
    assert not any("max_tokens" in body for body in model.bodies)


def test_a_reply_has_a_limit_where_there_is_a_budget(words: Words, model: FaultyModel) -> None:
    run = worked(model, items=3, budget=Decimal(100), price_in=Decimal(10), price_out=Decimal(100))
    assert states(run) == {"done": 3}
    assert {body["max_tokens"] for body in model.bodies} == {budget.CAP}
    assert Call.objects.first().request["max_tokens"] == budget.CAP  # type: ignore[union-attr]


def test_a_token_is_never_shorter_than_a_byte() -> None:
    question = Question("s", [{"role": "user", "content": "月亮 ok"}])
    assert most_tokens_in(question) >= len("月亮 ok".encode())


def test_jobs_wait_at_the_budget_and_none_is_lost(words: Words, model: FaultyModel) -> None:
    """Sixteen places, of which the budget fills two at a time."""
    run = worked(model, items=40, max_in_flight=16, budget=Decimal("0.9"), price_in=Decimal(10), price_out=Decimal(100))
    assert (run.state, states(run)) == (Run.State.FINISHED, {"done": 40})
    assert model.most_in_flight <= 2


def test_answers_are_go_where_the_budget_is_large(run: Run) -> None:
    Run.objects.update(budget=Decimal(1000))
    mine, openings = worker(run, slice(0, 10))
    assert all(isinstance(answer, Go) for answer in mine.write(openings))
