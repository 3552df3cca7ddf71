"""Large runs are planned, and read again, by a worker: in parts, under a lease, and by one at a time."""

from collections.abc import Callable, Iterator
from typing import IO, Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from annotate import tasks
from annotate.chores import go_over
from annotate.engine.purposes import JobPlan
from annotate.errors import WrongState
from annotate.models import Annotation, Item, Pass, Run
from annotate.runs import actions, plan, reparse
from annotate.runs.execution import progress, work
from annotate.runs.reparse import last_reread, reread
from annotate.upkeep import reconciliation
from tests.annotate.runs.conftest import NOWHERE, Reader
from tests.support.faulty_model import FaultyModel
from tests.support.small_purpose import Words, make_endpoint, planned, states

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once", "small_parts")]
ITEMS, AT_ONCE = 23, 10


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "AT_ONCE", AT_ONCE)
    monkeypatch.setattr(plan, "CHUNK", 5)
    monkeypatch.setattr(reparse, "CHUNK", 5)


def begun(items: int = ITEMS, **asked: Any) -> Run:
    return planned(make_endpoint(NOWHERE), items=items, whole=False, **asked)


def meanwhile(monkeypatch: pytest.MonkeyPatch, jobs: int, act: Callable[[], object]) -> None:
    """Do it once, between two parts, when the planner that is at it has been given so many jobs to write."""
    read, done = plan._parse_lines, []

    def watched(lines: IO[str]) -> Iterator[JobPlan]:
        for number, job in enumerate(read(lines)):
            if number == jobs and not done:
                done.append(True)
                act()
            yield job

    monkeypatch.setattr(plan, "_parse_lines", watched)


def be_away() -> None:
    raise OperationalError("The connection is gone.")


def let_leases_end() -> None:
    Pass.objects.update(lease_until=timezone.now() - timezone.timedelta(seconds=1))


def is_planned_once(run: Run, jobs: int = ITEMS) -> bool:
    run.refresh_from_db()
    subjects = list(run.jobs.values_list("subject", flat=True))
    return run.state == Run.State.PLANNED and len(subjects) == len(set(subjects)) == jobs


# --- planning ---------------------------------------------------------------------------------------------------------


def test_a_small_run_is_planned_at_once(words: Words, rings: list[Any]) -> None:
    assert is_planned_once(begun(AT_ONCE), AT_ONCE)
    assert (rings, plan.leases.claimable()) == ([], [])


def test_of_a_large_run_a_worker_writes_the_rest(words: Words, rings: list[Any]) -> None:
    run = begun()
    one = Pass.objects.get()
    assert (run.state, progress(run).jobs) == (Run.State.PLANNING, AT_ONCE)
    assert rings == [("go_over", one.pk)]
    with pytest.raises(WrongState):
        actions.start(run, None)
    go_over.work(one.pk)
    assert is_planned_once(run)
    assert plan.leases.claimable() == []


def test_who_asks_for_the_whole_needs_no_worker(words: Words, rings: list[Any]) -> None:
    assert is_planned_once(planned(make_endpoint(NOWHERE), items=ITEMS, whole=True))
    assert rings == []


def test_a_dead_planners_work_is_gone_on_with_by_the_clock(
    words: Words, rings: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun()
    meanwhile(monkeypatch, 8, be_away)
    with pytest.raises(OperationalError):
        go_over.work(Pass.objects.get().pk)
    assert run.jobs.count() == 15, "three of its parts are kept"
    assert plan.leases.claimable() == [], "its lease lasts"
    reconciliation.tidy_up()
    let_leases_end()
    rings.clear()
    tasks.reconcile()
    assert ("go_over", Pass.objects.get().pk) in rings
    assert reconciliation.reconcile()["passes"] == 1
    assert is_planned_once(run)


def test_a_planner_in_the_request_that_dies_is_followed_by_a_worker(
    words: Words, rings: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed: nothing tidies up behind it."""
    meanwhile(monkeypatch, 7, be_away)
    monkeypatch.setattr(Run, "delete", lambda _run: None)
    with pytest.raises(OperationalError):
        begun()
    let_leases_end()
    (one,) = plan.leases.claimable()
    go_over.work(one)
    assert is_planned_once(Run.objects.get())


def test_a_limit_holds_although_the_items_are_others_by_then(words: Words, rings: list[Any]) -> None:
    run = begun(limit=15)
    Item.objects.filter(pk__in=Item.objects.order_by("pk")[3:6]).delete()
    go_over.work(Pass.objects.get().pk)
    assert is_planned_once(run, 15)


def test_of_two_planners_the_one_that_lost_its_lease_writes_nothing(
    words: Words, rings: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun()
    one = Pass.objects.get()

    def be_overtaken() -> None:
        let_leases_end()
        go_over.work(one.pk)

    meanwhile(monkeypatch, 6, be_overtaken)
    go_over.work(one.pk)
    assert is_planned_once(run)


def test_a_cancelled_planner_stops(words: Words, rings: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    run = begun()
    meanwhile(monkeypatch, 6, lambda: actions.cancel(Run.objects.get(pk=run.pk), None))
    go_over.work(Pass.objects.get().pk)
    run.refresh_from_db()
    assert (run.state, states(run)) == (Run.State.CANCELLED, {"cancelled": 15})
    assert actions.why_cancelled(run) == ""


def test_a_run_that_cannot_be_planned_is_cancelled_and_says_why(
    words: Words, rings: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun()
    meanwhile(monkeypatch, 6, lambda: 1 // 0)
    go_over.work(Pass.objects.get().pk)
    reconciliation.tidy_up()
    run.refresh_from_db()
    assert (run.state, set(states(run))) == (Run.State.CANCELLED, {"cancelled"})
    assert "log" in actions.why_cancelled(run)


def test_a_planning_on_which_worker_after_worker_dies_is_given_up(words: Words, rings: list[Any]) -> None:
    run = begun()
    Pass.objects.update(attempts=plan.DEATHS)
    let_leases_end()
    go_over.work(Pass.objects.get().pk)
    run.refresh_from_db()
    assert run.state == Run.State.CANCELLED
    assert "crashed" in actions.why_cancelled(run)


# --- reading again ----------------------------------------------------------------------------------------------------


@pytest.fixture
def finished(reader: Reader, model: FaultyModel) -> Run:
    """A finished run whose replies would now be read otherwise."""
    run = planned(make_endpoint(model.base_url), items=ITEMS)
    actions.start(run, None, ring=False)
    work(run)
    reader.upper = True
    return run


def test_of_a_large_run_a_worker_reads_the_rest_again(finished: Run, rings: list[Any]) -> None:
    found = reread(finished, None)
    assert (found.over, found.jobs, found.changed, found.total) == (False, AT_ONCE, AT_ONCE, ITEMS)
    (one,) = plan.leases.claimable()
    assert rings == [("go_over", one)]
    go_over.work(one)
    found = last_reread(finished)  # type: ignore[assignment]
    assert (found.over, found.jobs, found.read, found.failed, found.changed) == (True, ITEMS, ITEMS, 0, ITEMS)
    assert found.items == list(finished.jobs.order_by("item").values_list("item", flat=True))
    assert Annotation.objects.filter(run=finished).count() == 2 * ITEMS


def test_reading_goes_on_where_a_dead_worker_stood(
    finished: Run, reader: Reader, rings: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It dies in the middle of a part: that part is read again as a whole."""
    reread(finished, None)
    store, stored = reader.store, []

    def dying(case: Any, outcome: Any) -> None:
        stored.append(case)
        if len(stored) == 8:
            be_away()
        store(case, outcome)

    monkeypatch.setattr(reader, "store", dying)
    with pytest.raises(OperationalError):
        go_over.work(Pass.objects.latest("pk").pk)
    let_leases_end()
    go_over.work(Pass.objects.latest("pk").pk)
    found = last_reread(finished)
    assert found is not None
    assert (found.over, found.jobs, found.changed) == (True, ITEMS, ITEMS)
    assert len(stored) == ITEMS - AT_ONCE + 3, "what was committed is not read again"
    assert Annotation.objects.filter(run=finished).count() == 2 * ITEMS


def test_a_run_is_read_again_by_one_at_a_time(finished: Run, rings: list[Any]) -> None:
    reread(finished, None)
    with pytest.raises(WrongState):
        reread(finished, None)


def test_whatever_moves_the_run_ends_its_reading(finished: Run, rings: list[Any]) -> None:
    reread(finished, None)
    actions.retry_failed(finished, None)
    found = last_reread(finished)
    assert found is not None
    assert (found.over, found.jobs, plan.leases.claimable()) == (True, AT_ONCE, [])


def test_an_outcome_that_cannot_be_stored_leaves_the_others(
    finished: Run, reader: Reader, rings: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, first = reader.store, finished.jobs.earliest("pk").pk

    def picky(case: Any, outcome: Any) -> None:
        if case.job.pk == first:
            raise ValueError
        store(case, outcome)

    monkeypatch.setattr(reader, "store", picky)
    found = reread(finished, None, whole=True)
    assert (found.over, found.jobs, found.failed, found.changed) == (True, ITEMS, 1, ITEMS - 1)


def test_a_run_that_was_never_read_again_says_so(finished: Run) -> None:
    assert last_reread(finished) is None
