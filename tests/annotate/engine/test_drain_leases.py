"""Whose a job is: leases, crashes, turns of workers."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from annotate.engine import drain as engine
from annotate.engine import jobs, ledger
from annotate.engine.purposes import Case
from annotate.models import Annotation, Call, Job, Place, Run
from annotate.runs.execution import work
from tests.annotate.engine.worked import causes, runs_prompts, started, worked
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Words, states

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]


def test_attempts_that_are_used_up_are_not_made_again_after_a_crash(words: Words, model: FaultyModel) -> None:
    run = started(model, attempts=2)
    job = Job.objects.get()
    for attempt in (1, 2):
        Call.objects.create(
            job=job, step="step/0", attempt=attempt, digest="x", request={}, cause="timeout", detail="t"
        )
    work(run)
    assert (model.calls, causes(run)) == (0, {"timeout": 1})


def test_a_call_that_was_in_flight_at_a_crash_is_sent_again_and_both_are_in_the_ledger(
    words: Words, model: FaultyModel
) -> None:
    run = started(model)
    Call.objects.create(job=Job.objects.get(), step="step/0", attempt=1, digest="x", request={})
    work(run)
    assert list(Call.objects.order_by("attempt").values_list("attempt", "cause")) == [(1, None), (2, "")]


def test_a_job_that_another_worker_holds_is_left_until_its_lease_is_over(words: Words, model: FaultyModel) -> None:
    run = started(model, items=2)
    held = Job.objects.first()
    assert held is not None
    lease = timezone.now() + timedelta(seconds=2)
    Job.objects.filter(pk=held.pk).update(state="leased", token=uuid4(), lease_until=lease, attempts=1)
    work(run)
    held.refresh_from_db()
    assert (held.state, held.attempts) == ("done", 2)
    assert held.ended_at is not None
    assert held.ended_at > lease


def test_a_job_that_several_workers_died_on_is_given_up(words: Words, model: FaultyModel) -> None:
    run = started(model, items=2)
    past = timezone.now() - timedelta(seconds=1)
    for job, deaths in zip(Job.objects.order_by("pk"), (3, 4), strict=True):
        Job.objects.filter(pk=job.pk).update(state="leased", token=uuid4(), lease_until=past, attempts=deaths)
    work(run)
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


def test_leases_are_extended_while_work_goes_on(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "EXTENDED", 0.0)
    monkeypatch.setattr(ledger, "LEASE", timedelta(seconds=100))
    monkeypatch.setattr(jobs, "LEASE", timedelta(seconds=5))
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
            work(run)
    assert states(run) == {"pending": 8}
    assert not Place.objects.exists()


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
