import json
import tracemalloc
from collections.abc import Callable
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import IntegrityError
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate import purposes, tasks
from annotate.llm import ledger
from annotate.llm.causes import Cause
from annotate.models import Annotation, Call, Job, Minute, Place, Project, Run, User
from annotate.purposes.base import Planned
from annotate.services import reconciling, runs
from annotate.services.errors import Refused, WrongState
from tests.annotate.llm.conftest import at_once, model, words
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Words, make_endpoint, make_items, planned, states

__all__ = ["at_once", "model", "words"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]
State = Run.State
NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def rings(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, int]]:
    """What the bell was rung for."""
    rung: list[tuple[Any, int]] = []
    monkeypatch.setattr(tasks, "ring", lambda task, pk, **_options: rung.append((task, pk)))
    return rung


def during(monkeypatch: pytest.MonkeyPatch, calls: int, act: Callable[[], object]) -> None:
    """Do it once, between two transactions of the ledger, as soon as so many calls are written."""
    write, done = ledger.Ledger.write, []

    def watched(self: ledger.Ledger, entries: Any) -> Any:
        if not done and Call.objects.count() >= calls:
            done.append(act())
        return write(self, entries)

    monkeypatch.setattr(ledger.Ledger, "write", watched)


# --- planning ---------------------------------------------------------------------------------------------------------


def test_a_planned_run_has_its_jobs_and_has_sent_nothing(words: Words, model: FaultyModel) -> None:
    person = User.objects.create_user("lea")
    run = planned(make_endpoint(model.base_url), items=7, options={"steps": 2}, budget=Decimal(5), by=person)
    assert (run.state, run.budget, run.options, run.created_by) == (State.PLANNED, Decimal(5), {"steps": 2}, person)
    assert states(run) == {"pending": 7}
    assert model.calls == 0


def test_a_limit_plans_fewer_jobs(words: Words) -> None:
    assert states(planned(make_endpoint(NOWHERE), items=9, limit=4)) == {"pending": 4}


def test_a_purpose_that_does_not_exist_is_no_run(words: Words) -> None:
    with pytest.raises(KeyError):
        planned(make_endpoint(NOWHERE), items=1, purpose="nonsense")
    assert not Run.objects.exists()


@pytest.mark.parametrize("fault", [ZeroDivisionError, IntegrityError])
def test_planning_that_fails_leaves_nothing(
    words: Words, monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    def broken(run: Run) -> Any:
        for number in range(600):
            yield Planned(f"item/{number}")
        if fault is IntegrityError:
            yield Planned("item/1")
        raise fault

    monkeypatch.setattr(words, "plan", broken)
    with pytest.raises(fault):
        planned(make_endpoint(NOWHERE), items=1)
    assert (Run.objects.count(), Job.objects.count()) == (0, 0)


def test_planning_needs_little_memory_however_many_jobs(words: Words) -> None:
    project = Project.objects.create(slug="many", name="Many", kind_slug="feedback")
    make_items(project, 20_000)
    endpoint = make_endpoint(NOWHERE)
    tracemalloc.start()
    run = planned(endpoint, items=0, project=project)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert run.jobs.count() == 20_000
    assert peak < 15_000_000


# --- the estimate -----------------------------------------------------------------------------------------------------


def test_an_estimate_is_guessed_from_the_first_questions(words: Words, model: FaultyModel) -> None:
    endpoint = make_endpoint(model.base_url, price_in=Decimal(1), price_out=Decimal(10))
    found = runs.estimate(planned(endpoint, items=8, options={"steps": 3}))
    assert (found.jobs, found.calls) == (8, 24)
    assert 24 * 20 < found.tokens_in < 24 * 200
    assert found.tokens_out == 24 * 300
    assert found.cost == (found.tokens_in + Decimal(10) * found.tokens_out) / 1_000_000
    assert "5 first questions" in found.note
    assert model.calls == 0


def test_an_estimate_is_measured_where_there_was_a_run(words: Words, model: FaultyModel) -> None:
    endpoint = make_endpoint(model.base_url)
    first = planned(endpoint, items=4)
    runs.start(first, None, ring=False)
    runs.work(first)
    found = runs.estimate(planned(endpoint, items=6, project=first.project))
    assert (found.jobs, found.tokens_in, found.tokens_out, found.cost) == (10, 1000, 100, None)
    assert "4 calls" in found.note


def test_an_estimate_of_nothing_is_nothing(words: Words) -> None:
    found = runs.estimate(planned(make_endpoint(NOWHERE), items=0))
    assert (found.jobs, found.calls, found.tokens_in) == (0, 0, 0)


# --- states -----------------------------------------------------------------------------------------------------------

VERBS: dict[str, Callable[[Run], object]] = {
    "start": lambda run: runs.start(run, None),
    "pause": lambda run: runs.pause(run, None),
    "resume": lambda run: runs.resume(run, None),
    "cancel": lambda run: runs.cancel(run, None),
    "retry_failed": lambda run: runs.retry_failed(run, None),
    "reread": lambda run: runs.reread(run, None),
}
ALLOWED = {
    "start": {State.PLANNED: State.RUNNING},
    "pause": {State.RUNNING: State.PAUSED},
    "resume": {State.PAUSED: State.RUNNING},
    "cancel": dict.fromkeys((State.PLANNED, State.RUNNING, State.PAUSED), State.CANCELLED),
    "retry_failed": {state: state for state in (State.RUNNING, State.PAUSED, State.FINISHED)},
    "reread": {state: state for state in (State.PAUSED, State.FINISHED, State.CANCELLED)},
}


@pytest.mark.parametrize("state", list(State))
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_works_from_its_states_and_is_refused_from_all_others(
    words: Words, rings: list[Any], verb: str, state: Run.State
) -> None:
    run = planned(make_endpoint(NOWHERE), items=1)
    Run.objects.filter(pk=run.pk).update(state=state)
    run.refresh_from_db()
    after = ALLOWED[verb].get(state)
    if after is None:
        with pytest.raises(WrongState):
            VERBS[verb](run)
    else:
        VERBS[verb](run)
        assert run.state == after
    assert Run.objects.get().state == (after or state)
    rung = after is not None and verb in ("start", "resume")
    assert rings == ([(tasks.drain_run, run.pk)] if rung else [])


def test_a_pause_lets_what_is_in_flight_end_and_the_rest_is_taken_up_later(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = planned(make_endpoint(model.base_url, max_in_flight=4), items=40, options={"steps": 2})
    runs.start(run, None, ring=False)
    during(monkeypatch, 20, lambda: runs.pause(run, None))
    runs.work(run)
    assert run.state == State.PAUSED
    assert 20 <= model.calls <= 24
    assert not Call.objects.filter(cause=None).exists()
    counts = states(run)
    assert counts.keys() <= {"pending", "done"}
    assert set(Job.objects.filter(state="pending").values_list("attempts", flat=True)) == {0}
    runs.resume(run, None, ring=False)
    runs.work(run)
    assert (run.state, states(run)) == (State.FINISHED, {"done": 40})
    assert set(model.received.values()) == {1}, "what was replied before the pause is not asked again"


def test_a_cancelled_run_keeps_what_came_and_ends_its_jobs(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = planned(make_endpoint(model.base_url, max_in_flight=4), items=40)
    runs.start(run, None, ring=False)
    during(monkeypatch, 20, lambda: runs.cancel(run, None))
    runs.work(run)
    assert run.state == State.CANCELLED
    counts = states(run)
    assert counts.keys() == {"done", "cancelled"}
    assert counts["done"] == model.calls == Call.objects.filter(cause="").count()
    with pytest.raises(WrongState):
        runs.retry_failed(run, None)


def test_a_run_ends_at_its_budget_and_goes_on_when_it_is_raised(words: Words, model: FaultyModel) -> None:
    """A call costs 0.002: 100 tokens at 10 and 10 at 100 USD a million."""
    prices = {"price_in": Decimal(10), "price_out": Decimal(100)}
    run = planned(make_endpoint(model.base_url, max_in_flight=4, **prices), items=60, budget=Decimal("0.05"))
    runs.start(run, None, ring=False)
    runs.work(run)
    found = runs.progress(run)
    assert run.state == State.FINISHED
    assert Decimal("0.05") <= run.cost <= Decimal("0.05") + 4 * Decimal("0.002")
    assert found.causes == {Cause.BUDGET: 60 - found.done}
    assert found.done == model.calls == run.cost / Decimal("0.002")
    assert "0.05 USD" in Job.objects.filter(state="failed")[0].detail

    with pytest.raises(Refused):
        runs.raise_budget(run, Decimal("0.05"), None)
    runs.raise_budget(run, Decimal(1), None)
    assert runs.retry_failed(run, None, ring=False) == 60 - found.done
    runs.work(run)
    assert states(run) == {"done": 60}
    assert model.calls == 60


def test_a_budget_may_be_lifted_and_never_lowered(words: Words) -> None:
    run = planned(make_endpoint(NOWHERE), items=1, budget=Decimal(1))
    runs.raise_budget(run, None, None)
    assert run.budget is None
    with pytest.raises(Refused):
        runs.raise_budget(run, Decimal(2), None)


def test_a_budget_of_nothing_sends_nothing(words: Words, model: FaultyModel) -> None:
    run = planned(make_endpoint(model.base_url), items=3, budget=Decimal(0))
    runs.start(run, None, ring=False)
    runs.work(run)
    assert (model.calls, runs.progress(run).causes) == (0, {"budget": 3})


def test_retrying_takes_up_failed_jobs_only(words: Words, model: FaultyModel, rings: list[Any]) -> None:
    model.chooses = lambda question, times: "bad_request" if question.startswith(bad) and times == 1 else "good"
    run = planned(make_endpoint(model.base_url), items=5)
    bad = run.jobs.order_by("pk")[3].subject + " "
    runs.start(run, None, ring=False)
    runs.work(run)
    assert states(run) == {"done": 4, "failed": 1}
    assert runs.retry_failed(run, None) == 1
    assert (run.state, run.ended_at, rings) == (State.RUNNING, None, [(tasks.drain_run, run.pk)])
    runs.work(run)
    assert (run.state, states(run), model.calls) == (State.FINISHED, {"done": 5}, 6)
    assert runs.retry_failed(run, None) == 0
    assert run.state == State.FINISHED


# --- progress ---------------------------------------------------------------------------------------------------------


def test_progress_counts_everything_in_four_queries(
    words: Words, model: FaultyModel, django_assert_max_num_queries: Any
) -> None:
    model.chooses = lambda question, _times: "bad_request" if question.startswith("item/") and odd(question) else "good"
    run = planned(make_endpoint(model.base_url, price_in=Decimal(10)), items=6)
    runs.start(run, None, ring=False)
    with django_assert_max_num_queries(4):
        before = runs.progress(run)
    assert (before.jobs, before.pending, before.open, before.ended) == (6, 6, 6, 0)
    assert (before.calls_a_minute, before.seconds_left) == (0.0, None)
    runs.work(run)
    with django_assert_max_num_queries(4):
        after = runs.progress(run)
    assert (after.done, after.failed, after.ended, after.causes) == (3, 3, 6, {"bad_request": 3})
    assert (after.calls, after.tokens_in, after.tokens_out) == (6, 300, 30)
    assert after.cost == Decimal("0.003")


def odd(question: str) -> bool:
    return int(question.split()[0].removeprefix("item/")) % 2 == 1


def test_progress_says_the_rate_and_what_is_left(words: Words) -> None:
    run = planned(make_endpoint(NOWHERE), items=40)
    runs.start(run, None, ring=False)
    jobs = list(run.jobs.order_by("pk")[:10])
    since = timezone.now() - timezone.timedelta(seconds=20)
    Call.objects.bulk_create(
        Call(job=job, step="s", attempt=1, digest="x", request={}, cause="", sent_at=since) for job in jobs
    )
    Job.objects.filter(pk__in=[job.pk for job in jobs]).update(state="done")
    Run.objects.update(calls=10)
    found = runs.progress(run)
    assert 28 < found.calls_a_minute <= 30  # ten in twenty seconds, and those that this test took
    assert found.seconds_left is not None
    assert 60 <= found.seconds_left < 66  # thirty jobs of a call each


# --- reading again ----------------------------------------------------------------------------------------------------


class Reader(Words):
    """Its parser can be changed."""

    upper = False

    async def work(self, case: Any, ask: Any) -> list[str]:
        found = await super().work(case, ask)
        return [word.upper() for word in found] if self.upper else found


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    purpose = Reader()
    monkeypatch.setattr(purposes, "purposes", lambda: {"words": purpose})
    return purpose


def test_a_changed_parser_reads_stored_replies_without_a_call(reader: Reader, model: FaultyModel) -> None:
    run = planned(make_endpoint(model.base_url), items=5, options={"steps": 2})
    runs.start(run, None, ring=False)
    runs.work(run)
    same = runs.reread(run, None)
    assert (same.jobs, same.read, same.failed, same.changed, same.items) == (5, 5, 0, 0, [])
    assert Annotation.objects.filter(run=run).count() == 5
    reader.upper = True
    changed = runs.reread(run, None)
    assert (changed.jobs, changed.read, changed.failed, changed.changed) == (5, 5, 0, 5)
    assert changed.items == list(run.jobs.order_by("item").values_list("item", flat=True))
    assert Annotation.objects.filter(run=run, draft={"words": ["MOON", "MOON"]}).count() == 5
    assert Annotation.objects.filter(run=run).count() == 10, "new suggestions beside the old ones"
    assert model.calls == 10


def test_a_job_that_can_now_be_read_is_done(
    reader: Reader, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service wrote {"word": ["moon"], …}; the new shape allows a list."""
    model.chooses = lambda question, _times: {0: "wrong_types", 1: "bad_request"}.get(number(question), "good")
    run = planned(make_endpoint(model.base_url, attempts=1), items=4)
    first = min(run.jobs.values_list("item_id", flat=True))

    def number(question: str) -> int:
        return int(question.split()[0].removeprefix("item/")) - first

    runs.start(run, None, ring=False)
    runs.work(run)
    assert runs.progress(run).causes == {"wrong_shape": 1, "bad_request": 1}
    from annotate.llm import reading

    read = reading.read

    def tolerant(question: Any, text: str) -> Any:
        value = json.loads(text)
        return read(question, json.dumps({"word": str(value["word"]), "number": 2}))

    monkeypatch.setattr(reading, "read", tolerant)
    found = runs.reread(run, None)
    assert (found.jobs, found.read, found.failed, found.changed) == (4, 3, 1, 1)
    assert runs.progress(run).causes == {"bad_request": 1}
    assert states(run) == {"done": 3, "failed": 1}
    assert model.calls == 4


def test_a_job_that_cannot_be_read_any_more_keeps_what_it_has(
    reader: Reader, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = planned(make_endpoint(model.base_url), items=2)
    runs.start(run, None, ring=False)
    runs.work(run)
    from annotate.llm import reading

    def refuse(_question: Any, _text: str) -> Any:
        raise reading.Unread(Cause.WRONG_SHAPE, "No.")

    monkeypatch.setattr(reading, "read", refuse)
    found = runs.reread(run, None)
    assert (found.jobs, found.read, found.failed, found.changed) == (2, 0, 2, 0)
    assert states(run) == {"done": 2}


# --- comparing --------------------------------------------------------------------------------------------------------


def test_two_runs_are_compared_item_by_item(reader: Reader, model: FaultyModel) -> None:
    endpoint = make_endpoint(model.base_url)
    one = planned(endpoint, items=5)
    runs.start(one, None, ring=False)
    runs.work(one)
    items = list(one.jobs.order_by("pk").values_list("item_id", flat=True))
    model.chooses = lambda question, _times: "bad_request" if f"item/{items[0]} " in question else "good"
    two = planned(endpoint, items=0, project=one.project, limit=4)
    runs.start(two, None, ring=False)
    runs.work(two)
    Annotation.objects.filter(run=two, item=items[1]).update(draft={"words": ["sun"]})
    found = runs.compare(one, two)
    assert (found.equal, found.differing, found.only_left, found.only_right, found.neither) == (2, 1, 2, 0, 0)
    assert found.total == 5
    assert [each.item.pk for each in found.items] == [items[0], items[1], items[4], items[2], items[3]]
    assert (found.items[1].left, found.items[1].right) == ({"words": ["moon"]}, {"words": ["sun"]})
    assert [each.equal for each in found.items] == [False, False, False, True, True]
    assert len(runs.compare(one, two, most=2).items) == 2


# --- what is left behind ----------------------------------------------------------------------------------------------


def test_only_runs_that_nobody_works_at_are_rung_for(words: Words) -> None:
    from uuid import uuid4

    endpoint, now = make_endpoint(NOWHERE), timezone.now()
    run = planned(endpoint, items=3)
    assert runs.claimable() == []
    runs.start(run, None, ring=False)
    assert runs.claimable() == [run.pk]
    worker, soon, past = uuid4(), now + timezone.timedelta(minutes=1), now - timezone.timedelta(seconds=1)
    Job.objects.filter(pk=run.jobs.earliest("pk").pk).update(state="leased", token=worker, lease_until=soon)
    place = Place.objects.create(endpoint=endpoint, worker=worker, count=4, lease_until=soon)
    assert runs.claimable() == []
    Place.objects.filter(pk=place.pk).update(lease_until=past)
    assert runs.claimable() == [run.pk], "its worker has died, and other jobs wait"
    Job.objects.filter(state="pending").update(state="done")
    assert runs.claimable() == [], "all that is left is leased"
    Job.objects.filter(state="leased").update(lease_until=past)
    assert runs.claimable() == [run.pk]
    runs.pause(run, None)
    assert runs.claimable() == []


def test_more_workers_are_rung_for_where_one_cannot_fill_the_places(
    words: Words, rings: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from uuid import uuid4

    monkeypatch.setattr("annotate.services.runs.working.connection", SimpleNamespace(vendor="postgresql"))
    run = planned(make_endpoint(NOWHERE, max_in_flight=300), items=5)
    runs.start(run, None)
    assert len(rings) == 3
    assert runs.claimable() == [run.pk] * 3
    soon = timezone.now() + timezone.timedelta(minutes=1)
    for job in run.jobs.order_by("pk")[:2]:
        place = Place.objects.create(endpoint=run.endpoint, worker=uuid4(), count=4, lease_until=soon)
        Job.objects.filter(pk=job.pk).update(state="leased", token=place.worker, lease_until=soon)
    assert runs.claimable() == [run.pk]
    monkeypatch.undo()
    assert runs.claimable() == [], "on SQLite one is enough"


def test_the_clock_rings_for_runs_that_wait(words: Words, rings: list[Any]) -> None:
    run = planned(make_endpoint(NOWHERE), items=1)
    runs.start(run, None, ring=False)
    tasks.reconcile()
    assert (tasks.drain_run, run.pk) in rings


def test_a_task_works_the_run_and_rings_again_only_if_something_is_left(
    words: Words, model: FaultyModel, rings: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = planned(make_endpoint(model.base_url), items=3)
    runs.start(run, None, ring=False)
    monkeypatch.setattr("annotate.services.runs.working.SLICE", 0.0)
    tasks.drain_run(run.pk)
    assert (model.calls, rings) == (0, [(tasks.drain_run, run.pk)])
    monkeypatch.setattr("annotate.services.runs.working.SLICE", 60.0)
    tasks.drain_run(run.pk)
    run.refresh_from_db()
    assert (run.state, model.calls, len(rings)) == (State.FINISHED, 3, 1)


def test_the_command_goes_on_with_a_run_and_tidies_up(words: Words, model: FaultyModel) -> None:
    run = planned(make_endpoint(model.base_url), items=3)
    runs.start(run, None, ring=False)
    ended = planned(make_endpoint(NOWHERE), items=0)
    Run.objects.filter(pk=ended.pk).update(state=State.RUNNING)
    cancelled = planned(make_endpoint(NOWHERE), items=1)
    runs.cancel(cancelled, None)
    cancelled.jobs.update(state="leased", token=None or "0" * 32, lease_until=timezone.now())
    long_ago = timezone.now() - timezone.timedelta(hours=3)
    half = Run.objects.create(project=run.project, purpose="words", endpoint=run.endpoint, created_at=long_ago)
    Minute.objects.create(endpoint=run.endpoint, minute=long_ago)
    assert reconciling.reconcile()["runs"] == 1
    assert reconciling.reconcile()["runs"] == 0
    found = dict(Run.objects.values_list("pk", "state"))
    assert found == {run.pk: "finished", ended.pk: "finished", cancelled.pk: "cancelled", half.pk: "cancelled"}
    assert states(cancelled) == {"cancelled": 1}
    assert not Minute.objects.exists()


def test_comparing_and_counting_ask_no_more_with_more_items(words: Words, model: FaultyModel) -> None:
    counts = []
    for items in (5, 60):
        run = planned(make_endpoint(model.base_url), items=items)
        runs.start(run, None, ring=False)
        runs.work(run)
        from django.db import connection

        with CaptureQueriesContext(connection) as asked:
            runs.compare(run, run)
            runs.progress(run)
        counts.append(len(asked))
    assert counts[0] == counts[1]
