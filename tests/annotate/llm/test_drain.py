from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone

from annotate.llm import claims, ledger, steps
from annotate.llm import drain as engine
from annotate.llm.asking import Ask, CallFailed, Question
from annotate.llm.causes import WORTH_ANOTHER_ATTEMPT, Cause
from annotate.models import Annotation, Call, Item, Job, Place, Run
from annotate.purposes.base import Case
from annotate.services import runs
from annotate.services.errors import WrongState
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Word, Words, make_endpoint, planned, states

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]


def started(model: FaultyModel, *, items: int = 1, **columns: Any) -> Run:
    asked = {name: columns.pop(name) for name in ("options", "budget", "shares_replies", "purpose") if name in columns}
    run = planned(make_endpoint(model.base_url, **columns), items=items, **asked)
    runs.start(run, None, ring=False)
    return run


def worked(model: FaultyModel, *, items: int = 1, **columns: Any) -> Run:
    run = started(model, items=items, **columns)
    runs.work(run)
    return run


def causes(run: Run) -> dict[str, int]:
    return runs.progress(run).causes


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


def test_a_run_without_jobs_is_finished_at_once(words: Words, model: FaultyModel) -> None:
    assert worked(model, items=0).state == Run.State.FINISHED


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
    worked(model, items=20, max_in_flight=3)
    assert all(received <= rows for received, rows in seen)
    assert len(seen) > 10


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
    assert runs.retry_failed(run, None, ring=False) == 4
    runs.work(run)
    assert states(run) == {"done": 4}
    assert {text[-1]: times for text, times in model.received.items()} == {"0": 1, "1": 2, "2": 1}
    assert list(Call.objects.filter(step="step/1").values_list("attempt", flat=True).distinct()) == [1, 2]


def test_attempts_before_a_retry_do_not_count_and_those_after_do(words: Words, model: FaultyModel) -> None:
    model.chooses = lambda _question, _times: "server_error"
    run = worked(model, attempts=2)
    runs.retry_failed(run, None, ring=False)
    runs.work(run)
    assert list(Call.objects.order_by("attempt").values_list("attempt", flat=True)) == [1, 2, 3, 4]
    assert causes(run) == {"server_error": 1}


def test_attempts_that_are_used_up_are_not_made_again_after_a_crash(words: Words, model: FaultyModel) -> None:
    run = started(model, attempts=2)
    job = Job.objects.get()
    for attempt in (1, 2):
        Call.objects.create(
            job=job, step="step/0", attempt=attempt, digest="x", request={}, cause="timeout", detail="t"
        )
    runs.work(run)
    assert (model.calls, causes(run)) == (0, {"timeout": 1})


def test_a_call_that_was_in_flight_at_a_crash_is_sent_again_and_both_are_in_the_ledger(
    words: Words, model: FaultyModel
) -> None:
    run = started(model)
    Call.objects.create(job=Job.objects.get(), step="step/0", attempt=1, digest="x", request={})
    runs.work(run)
    assert list(Call.objects.order_by("attempt").values_list("attempt", "cause")) == [(1, None), (2, "")]


def test_a_job_that_another_worker_holds_is_left_until_its_lease_is_over(words: Words, model: FaultyModel) -> None:
    run = started(model, items=2)
    held = Job.objects.first()
    assert held is not None
    lease = timezone.now() + timedelta(seconds=2)
    Job.objects.filter(pk=held.pk).update(state="leased", token=uuid4(), lease_until=lease, attempts=1)
    runs.work(run)
    held.refresh_from_db()
    assert (held.state, held.attempts) == ("done", 2)
    assert held.ended_at is not None
    assert held.ended_at > lease


def test_a_job_that_several_workers_died_on_is_given_up(words: Words, model: FaultyModel) -> None:
    run = started(model, items=2)
    past = timezone.now() - timedelta(seconds=1)
    for job, deaths in zip(Job.objects.order_by("pk"), (3, 4), strict=True):
        Job.objects.filter(pk=job.pk).update(state="leased", token=uuid4(), lease_until=past, attempts=deaths)
    runs.work(run)
    assert (states(run), causes(run)) == ({"done": 1, "failed": 1}, {"crashed": 1})


def test_a_worker_that_lost_its_lease_stores_nothing(words: Words, model: FaultyModel) -> None:
    """While the model thinks, another worker takes the job."""
    run = started(model, items=1)
    other = uuid4()

    class Slow(Words):
        def load(self, run: Run, jobs: list[Job], prompts: Any) -> list[Case]:
            cases = super().load(run, jobs, prompts)
            later = timezone.now() + timedelta(minutes=1)
            Job.objects.update(token=other, lease_until=later)
            return cases

    engine.drain(run, Slow(), runs_prompts(run), seconds=1)
    job = Job.objects.get()
    assert (job.state, job.token) == ("leased", other)
    assert not Annotation.objects.exists()
    assert model.calls == 0


def test_a_turn_is_over_when_somebody_else_waits(words: Words, model: FaultyModel) -> None:
    """One place and 20 ms a call: a turn is far too short for all of them."""
    model.latency = 0.02
    run = started(model, items=100, max_in_flight=1)
    asked: list[int] = []

    def another_waits() -> bool:
        asked.append(model.calls)
        return len(asked) == 3

    engine.drain(run, words, runs_prompts(run), seconds=0.1, gives_way=another_waits)
    assert len(asked) == 3
    found = states(run)
    assert found["done"] == model.calls == Call.objects.filter(cause="").count()
    assert found["done"] + found["pending"] == 100
    assert asked[2] <= found["done"] < 100, "it went on twice, and left at the third look"


def test_a_turn_goes_on_while_nobody_waits(words: Words, model: FaultyModel) -> None:
    model.latency = 0.02
    run = started(model, items=30, max_in_flight=1)
    engine.drain(run, words, runs_prompts(run), seconds=0.1, gives_way=lambda: False)
    assert states(run) == {"done": 30}


def test_a_worker_leaves_in_the_end_though_nobody_waits(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker that hears nothing of a message for long gives it to a second worker."""
    monkeypatch.setattr(engine, "TURNS", 2)
    model.latency = 0.02
    run = started(model, items=100, max_in_flight=1)
    engine.drain(run, words, runs_prompts(run), seconds=0.1, gives_way=lambda: False)
    assert states(run)["pending"] > 0


def runs_prompts(run: Run) -> Any:
    from annotate.services.prompts import of_run

    return of_run(run)


class Odd(Words):
    """work is what a test wants it to be."""

    def __init__(self, work: Callable[[Case, Ask], Any]) -> None:
        self.work = work  # type: ignore[method-assign, assignment]


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Case, Ask], Any]], None]:
    def become(work: Callable[[Case, Ask], Any]) -> None:
        purpose = Odd(work)
        monkeypatch.setattr("annotate.purposes.purposes", lambda: {"words": purpose})

    return become


def test_a_fault_of_a_purpose_is_a_defect_and_in_the_log(
    odd: Any, model: FaultyModel, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(case: Case, ask: Ask) -> None:
        raise ZeroDivisionError("of all things")

    odd(work)
    run = worked(model, items=3)
    assert (run.state, causes(run)) == (Run.State.FINISHED, {"defect": 3})
    assert "of all things" in caplog.text


def test_a_purpose_that_asks_the_database_is_a_defect(odd: Any, model: FaultyModel, monkeypatch: Any) -> None:
    monkeypatch.delenv("DJANGO_ALLOW_ASYNC_UNSAFE", raising=False)

    async def work(case: Case, ask: Ask) -> None:
        Item.objects.count()

    odd(work)
    assert causes(worked(model)) == {"defect": 1}


def test_a_purpose_says_that_there_is_nothing_to_ask(odd: Any, model: FaultyModel) -> None:
    async def work(case: Case, ask: Ask) -> None:
        raise CallFailed(Cause.UNSUITABLE, "Nothing to ask.")

    odd(work)
    run = worked(model)
    assert (causes(run), Job.objects.get().detail, run.calls) == ({"unsuitable": 1}, "Nothing to ask.", 0)


def test_questions_of_a_job_may_be_asked_together(odd: Any, model: FaultyModel) -> None:
    import asyncio

    async def work(case: Case, ask: Ask) -> list[str]:
        asked = [Question(f"s/{n}", [{"role": "user", "content": f"{case.item.pk}/{n}"}], Word) for n in range(4)]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(question)) for question in asked]  # type: ignore[arg-type]
        return [task.result().read.word for task in tasks]

    odd(work)
    model.chooses = lambda question, _times: "too_long" if question.endswith("/3") else "good"
    run = worked(model, items=3)
    assert causes(run) == {"too_long": 3}
    model.chooses = None
    runs.retry_failed(run, None, ring=False)
    runs.work(run)
    assert states(run) == {"done": 3}
    assert set(Call.objects.filter(cause="").values_list("step", flat=True)) == {"s/0", "s/1", "s/2", "s/3"}


def test_a_fault_while_storing_fails_that_job_only(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    run = started(model, items=10)
    bad = Job.objects.order_by("pk")[4].pk
    store = words.store

    def fragile(case: Case, outcome: Any) -> None:
        store(case, outcome)
        if case.job.pk == bad:
            raise ValueError("does not fit")

    monkeypatch.setattr(words, "store", fragile)
    runs.work(run)
    assert (states(run), causes(run)) == ({"done": 9, "failed": 1}, {"defect": 1})
    assert Annotation.objects.filter(run=run).count() == 9
    assert "does not fit" in caplog.text


def test_an_item_that_is_gone_is_unsuitable_and_does_not_stop_the_others(words: Words, model: FaultyModel) -> None:
    run = started(model, items=5)
    Item.objects.filter(pk=Job.objects.order_by("pk")[2].item_id).delete()
    runs.work(run)
    assert (states(run), causes(run)) == ({"done": 4, "failed": 1}, {"unsuitable": 1})


def test_an_item_that_cannot_be_loaded_does_not_stop_the_others(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = started(model, items=5)
    bad = Job.objects.order_by("pk")[2].pk
    load = words.load

    def fragile(run: Run, jobs: list[Job], prompts: Any) -> list[Case]:
        if any(job.pk == bad for job in jobs):
            raise ValueError("unreadable")
        return load(run, jobs, prompts)

    monkeypatch.setattr(words, "load", fragile)
    runs.work(run)
    assert (states(run), causes(run)) == ({"done": 4, "failed": 1}, {"defect": 1})


def test_a_missing_key_fails_without_a_request(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MOON_KEY", raising=False)
    run = worked(model, items=3, key_env="MOON_KEY")
    assert (causes(run), run.calls, Call.objects.count(), model.calls) == ({"no_key": 3}, 0, 0, 0)


def test_texts_that_no_database_holds_are_asked_and_kept(odd: Any, model: FaultyModel) -> None:
    async def work(case: Case, ask: Ask) -> list[str]:
        return [(await ask(Question("s", [{"role": "user", "content": "nul \0 half \ud800"}], Word))).read.word]

    odd(work)
    assert states(worked(model)) == {"done": 1}
    assert Call.objects.get().request["messages"][0]["content"] == "nul \ufffd half ?"


def test_equal_questions_are_asked_once_if_the_run_says_so(odd: Any, model: FaultyModel) -> None:
    async def work(case: Case, ask: Ask) -> list[str]:
        same = await ask(Question("same", [{"role": "user", "content": "the same for all"}], Word))
        warm = await ask(Question("warm", [{"role": "user", "content": "also the same"}], Word, temperature=0.7))
        return [same.read.word, warm.read.word]

    odd(work)
    first = worked(model, items=6, shares_replies=True)
    assert model.received == {"the same for all": 1, "also the same": 6}
    second = planned(first.endpoint, items=0, project=first.project, shares_replies=True)
    assert second.jobs.count() == 6
    runs.start(second, None, ring=False)
    runs.work(second)
    assert model.received == {"the same for all": 1, "also the same": 12}
    third = planned(first.endpoint, items=1, shares_replies=True)
    runs.start(third, None, ring=False)
    runs.work(third)
    assert model.received["the same for all"] == 2, "another project's replies are its own"


def test_without_sharing_equal_questions_are_asked_again(odd: Any, model: FaultyModel) -> None:
    async def work(case: Case, ask: Ask) -> list[str]:
        return [(await ask(Question("same", [{"role": "user", "content": "the same for all"}], Word))).read.word]

    odd(work)
    worked(model, items=3)
    assert model.calls == 3


def test_no_more_calls_are_in_flight_than_the_endpoint_allows(words: Words, model: FaultyModel) -> None:
    model.latency = 0.02
    worked(model, items=40, max_in_flight=3)
    assert model.most_in_flight == 3


def test_nothing_is_asked_inside_a_transaction(words: Words, model: FaultyModel) -> None:
    """The ledger's transactions are durable: inside another one they refuse to begin."""
    run = started(model)
    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        runs.work(run)
    assert model.calls == 0


def test_only_a_running_run_is_worked(words: Words, model: FaultyModel) -> None:
    run = planned(make_endpoint(model.base_url), items=1)
    with pytest.raises(WrongState):
        runs.work(run)
    assert runs.drain(run.pk) is False
    assert runs.drain(0) is False
    assert model.calls == 0


def test_leases_are_extended_while_work_goes_on(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "EXTENDED", 0.0)
    monkeypatch.setattr(ledger, "LEASE", timedelta(seconds=100))
    monkeypatch.setattr(claims, "LEASE", timedelta(seconds=5))
    left: list[float] = []
    write = ledger.Ledger.write

    def watched(self: ledger.Ledger, entries: Any) -> Any:
        written = write(self, entries)
        held = Job.objects.filter(state="leased").first()
        if held is not None and held.lease_until is not None:
            left.append((held.lease_until - timezone.now()).total_seconds())
        return written

    monkeypatch.setattr(ledger.Ledger, "write", watched)
    worked(model, items=3)
    assert min(left) > 90


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


def test_an_interrupted_worker_puts_its_jobs_back(words: Words, model: FaultyModel) -> None:
    run = started(model, items=8, max_in_flight=2)
    model.chooses = lambda _question, _times: "hangs"

    def interrupted(self: ledger.Ledger, entries: Any) -> Any:
        if model.in_flight:
            raise KeyboardInterrupt
        return write(self, entries)

    write = ledger.Ledger.write
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger.Ledger, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            runs.work(run)
    assert states(run) == {"pending": 8}
    assert not Place.objects.exists()
