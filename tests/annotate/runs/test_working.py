from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone

from annotate import tasks
from annotate.models import Endpoint, Job, Minute, Place, Run
from annotate.runs import actions, execution
from annotate.runs.execution import claimable
from annotate.upkeep import reconciliation
from tests.annotate.runs.conftest import NOWHERE
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Words, make_endpoint, planned, states

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]
State = Run.State


def test_only_runs_that_nobody_works_at_are_rung_for(words: Words) -> None:
    from uuid import uuid4

    endpoint, now = make_endpoint(NOWHERE), timezone.now()
    run = planned(endpoint, items=3)
    assert claimable() == []
    actions.start(run, None, ring=False)
    assert claimable() == [run.pk]
    worker, soon, past = uuid4(), now + timezone.timedelta(minutes=1), now - timezone.timedelta(seconds=1)
    Job.objects.filter(pk=run.jobs.earliest("pk").pk).update(state="leased", token=worker, lease_until=soon)
    place = Place.objects.create(endpoint=endpoint, worker=worker, count=4, lease_until=soon)
    assert claimable() == []
    Place.objects.filter(pk=place.pk).update(lease_until=past)
    assert claimable() == [run.pk], "its worker has died, and other jobs wait"
    Job.objects.filter(state="pending").update(state="done")
    assert claimable() == [], "all that is left is leased"
    Job.objects.filter(state="leased").update(lease_until=past)
    assert claimable() == [run.pk]
    actions.pause(run, None)
    assert claimable() == []


def test_more_workers_are_rung_for_where_one_cannot_fill_the_places(
    words: Words, rings: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from uuid import uuid4

    monkeypatch.setattr("annotate.runs.execution.connection", SimpleNamespace(vendor="postgresql"))
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    run = planned(make_endpoint(NOWHERE, max_in_flight=96), items=5)
    actions.start(run, None)
    assert len(rings) == 3
    assert claimable() == [run.pk] * 3
    soon = timezone.now() + timezone.timedelta(minutes=1)
    for job in run.jobs.order_by("pk")[:2]:
        place = Place.objects.create(endpoint=run.endpoint, worker=uuid4(), count=4, lease_until=soon)
        Job.objects.filter(pk=job.pk).update(state="leased", token=place.worker, lease_until=soon)
    assert claimable() == [run.pk]
    monkeypatch.undo()
    assert claimable() == [], "on SQLite one is enough"


@pytest.mark.parametrize(("cores", "workers"), [(1, 2), (2, 2), (3, 3), (64, 4), (None, 2)])
def test_no_more_workers_are_wanted_than_there_are_cores(
    monkeypatch: pytest.MonkeyPatch, cores: int | None, workers: int
) -> None:
    monkeypatch.setattr("annotate.runs.execution.connection", SimpleNamespace(vendor="postgresql"))
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert execution.workers_wanted(Endpoint(max_in_flight=200)) == workers


def test_the_clock_rings_for_runs_that_wait(words: Words, rings: list[Any]) -> None:
    run = planned(make_endpoint(NOWHERE), items=1)
    actions.start(run, None, ring=False)
    tasks.reconcile()
    assert ("drain_run", run.pk) in rings


def test_a_task_works_the_run_and_rings_again_only_if_something_is_left(
    words: Words, model: FaultyModel, rings: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = planned(make_endpoint(model.base_url), items=3)
    actions.start(run, None, ring=False)
    monkeypatch.setattr("annotate.runs.execution.SLICE", 0.0)
    tasks.drain_run(run.pk)
    assert (model.calls, rings) == (0, [("drain_run", run.pk)])
    monkeypatch.setattr("annotate.runs.execution.SLICE", 60.0)
    tasks.drain_run(run.pk)
    run.refresh_from_db()
    assert (run.state, model.calls, len(rings)) == (State.FINISHED, 3, 1)


def test_the_command_goes_on_with_a_run_and_tidies_up(words: Words, model: FaultyModel) -> None:
    run = planned(make_endpoint(model.base_url), items=3)
    actions.start(run, None, ring=False)
    ended = planned(make_endpoint(NOWHERE), items=0)
    Run.objects.filter(pk=ended.pk).update(state=State.RUNNING)
    cancelled = planned(make_endpoint(NOWHERE), items=1)
    actions.cancel(cancelled, None)
    cancelled.jobs.update(state="leased", token=None or "0" * 32, lease_until=timezone.now())
    long_ago = timezone.now() - timezone.timedelta(hours=3)
    half = Run.objects.create(project=run.project, purpose="words", endpoint=run.endpoint, created_at=long_ago)
    Minute.objects.create(endpoint=run.endpoint, minute=long_ago)
    assert reconciliation.reconcile()["runs"] == 1
    assert reconciliation.reconcile()["runs"] == 0
    found = dict(Run.objects.values_list("pk", "state"))
    assert found == {run.pk: "finished", ended.pk: "finished", cancelled.pk: "cancelled", half.pk: "cancelled"}
    assert states(cancelled) == {"cancelled": 1}
    assert not Minute.objects.exists()


def test_a_run_gives_way_to_another_that_waits_and_not_to_itself(
    words: Words, model: FaultyModel, monkeypatch: pytest.MonkeyPatch
) -> None:

    looks: list[bool] = []
    drain = execution.engine.drain

    def looking(*given: Any, gives_way: Any, **more: Any) -> int:
        looks.append(gives_way())
        return drain(*given, gives_way=gives_way, **more)

    monkeypatch.setattr(execution.engine, "drain", looking)
    run, other = (planned(make_endpoint(model.base_url), items=2) for _one in range(2))
    actions.start(run, None, ring=False)
    monkeypatch.setattr(execution, "SLICE", 0.0)
    execution.drain(run.pk)
    actions.start(other, None, ring=False)
    execution.drain(run.pk)
    assert looks == [False, True]
