from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from annotate.engine import ledger, steps
from annotate.errors import Refused, WrongState
from annotate.kinds.protocol import WORTH_ANOTHER_ATTEMPT, Cause, Question
from annotate.models import Annotation, Call, Job, Place, Run
from annotate.runs import actions
from annotate.runs.execution import drain, work
from tests.annotate.engine.worked import causes, started, worked
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Word, Words, make_endpoint, planned, states

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]


def test_a_run_is_worked_until_every_job_is_done(words: Words, model: FaultyModel) -> None:
    run = worked(model, items=30, options={"steps": 2})
    assert (run.state, states(run)) == (Run.State.FINISHED, {"done": 30})
    assert run.ended_at is not None
    assert set(model.received.values()) == {1}
    assert (model.calls, run.calls, Call.objects.filter(cause="").count()) == (60, 60, 60)
    assert (run.tokens_in, run.tokens_out) == (6000, 600)
    assert Annotation.objects.filter(run=run, draft={"words": ["moon", "moon"]}).count() == 30
    assert not Job.objects.filter(token__isnull=False).exists()
    assert not Place.objects.exists()


def test_a_run_without_jobs_does_not_start(words: Words, model: FaultyModel) -> None:
    with pytest.raises(Refused, match="There is nothing to start"):
        worked(model, items=0)
    assert (Run.objects.get().state, model.calls) == (Run.State.PLANNED, 0)


def test_every_request_is_a_row_with_what_was_asked_and_what_came(words: Words, model: FaultyModel) -> None:
    worked(model, price_in=Decimal(10), price_out=Decimal(100))
    call = Call.objects.get()
    assert call.request["messages"][0]["content"] == next(iter(model.received))
    assert call.request["answer"]["name"] == "Word"
    assert (call.step, call.attempt, call.finish_reason, call.model) == ("step/0", 1, "stop", "moon-1")
    assert call.reply == '{"word": "moon", "number": 2}'
    assert (call.tokens_in, call.tokens_out, call.cost) == (100, 10, Decimal("0.002"))
    assert call.milliseconds is not None
    assert Run.objects.get().cost == Decimal("0.002")


def test_the_row_is_there_before_the_request_is_sent(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every transaction: never more requests received than rows written."""
    seen: list[tuple[int, int]] = []
    write = ledger.Ledger.write

    def watched(self: ledger.Ledger, entries: Any) -> Any:
        received = model.calls
        seen.append((received, Call.objects.count()))
        return write(self, entries)

    monkeypatch.setattr(ledger.Ledger, "write", watched)
    worked(model, items=60, max_in_flight=3)
    assert all(received <= rows for received, rows in seen)
    assert len(seen) > 20, "three at a time, so at least so many transactions let calls in"


def test_a_fault_that_passes_costs_another_attempt(words: Words, model: FaultyModel) -> None:
    model.chooses = lambda _question, times: ["server_error", "prose", "truncated", "good"][times - 1]
    run = worked(model, attempts=4)
    assert states(run) == {"done": 1}
    ledger_says = list(Call.objects.order_by("attempt").values_list("attempt", "cause"))
    assert ledger_says == [(1, "server_error"), (2, "not_json"), (3, "truncated"), (4, "")]


@pytest.mark.parametrize(
    ("answer", "cause"),
    [("html", Cause.NOT_THE_API), ("unauthorised", Cause.UNAUTHORISED), ("too_long", Cause.TOO_LONG)],
)
def test_a_fault_that_stays_fails_the_job_with_its_cause(
    words: Words, model: FaultyModel, answer: str, cause: Cause
) -> None:
    model.chooses = lambda _question, _times: answer
    run = worked(model, items=3, attempts=2)
    assert (run.state, causes(run)) == (Run.State.FINISHED, {cause: 3})
    assert model.calls == (6 if cause in WORTH_ANOTHER_ATTEMPT else 3)
    assert Job.objects.first().detail  # type: ignore[union-attr]


def test_a_wait_that_the_service_asks_for_is_kept(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.chooses = lambda _question, times: "rate_limited_wait" if times == 1 else "good"
    worked(model)
    assert model.at[1] - model.at[0] > 0.95


def test_a_reply_that_is_there_is_not_asked_for_again(words: Words, model: FaultyModel) -> None:
    """The second step fails at first; when the job is taken up again, the first one is not sent again."""
    model.chooses = lambda question, times: "bad_request" if question.endswith("step 1") and times == 1 else "good"
    run = worked(model, items=4, options={"steps": 3})
    assert causes(run) == {"bad_request": 4}
    assert actions.retry_failed(run, None, ring=False) == 4
    work(run)
    assert states(run) == {"done": 4}
    assert {text[-1]: times for text, times in model.received.items()} == {"0": 1, "1": 2, "2": 1}
    assert list(Call.objects.filter(step="step/1").values_list("attempt", flat=True).distinct()) == [1, 2]


def test_attempts_before_a_retry_do_not_count_and_those_after_do(words: Words, model: FaultyModel) -> None:
    model.chooses = lambda _question, _times: "server_error"
    run = worked(model, attempts=2)
    actions.retry_failed(run, None, ring=False)
    work(run)
    assert list(Call.objects.order_by("attempt").values_list("attempt", flat=True)) == [1, 2, 3, 4]
    assert causes(run) == {"server_error": 1}


def test_a_missing_key_fails_without_a_request(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MOON_KEY", raising=False)
    run = worked(model, items=3, key_env="MOON_KEY")
    assert (causes(run), run.calls, Call.objects.count(), model.calls) == ({"no_key": 3}, 0, 0, 0)


def test_no_more_calls_are_in_flight_than_the_endpoint_allows(words: Words, model: FaultyModel) -> None:
    model.latency = 0.02
    worked(model, items=40, max_in_flight=3)
    assert model.most_in_flight == 3


def test_nothing_is_asked_inside_a_transaction(words: Words, model: FaultyModel) -> None:
    """The ledger's transactions are durable: inside another one they refuse to begin."""
    run = started(model)
    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        work(run)
    assert model.calls == 0


def test_only_a_running_run_is_worked(words: Words, model: FaultyModel) -> None:
    run = planned(make_endpoint(model.base_url), items=1)
    with pytest.raises(WrongState):
        work(run)
    assert drain(run.pk) is False
    assert drain(0) is False
    assert model.calls == 0


def test_the_digest_of_a_question_is_by_model_and_content() -> None:
    one = Question("a", [{"role": "user", "content": "x"}], Word)
    other_step = Question("b", [{"role": "user", "content": "x"}], Word)
    assert one.digest("m") == other_step.digest("m")
    assert one.digest("m") != one.digest("n")
    assert one.digest("m") != Question("a", one.messages, None).digest("m")


def test_rests_grow_and_are_never_all_the_same() -> None:
    pauses = [steps._pause(failed, None) for failed in (1, 2, 3, 4, 20)]
    assert steps._pause(1, 7.0) == 7.0
    assert steps._pause(1, 10_000.0) == steps.LONGEST_WAIT
    assert max(pauses) <= steps.LONGEST_REST
