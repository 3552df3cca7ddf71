"""The protocol of background jobs, by a job that counts to three; and what every registered job must have."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from celery import current_app
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from annotate import bell, tasks
from annotate.engine import chores, concurrency
from annotate.engine.chores import Chore, Leases, Parts, chore
from annotate.errors import LeaseLost
from annotate.models import AlikeSearch, Pass, Run
from annotate.upkeep import reconciliation
from tests.support.people import make_project
from tests.support.small_purpose import make_endpoint

pytestmark = pytest.mark.django_db
TESTS = Path(__file__).resolve().parents[2]
LENGTH = timedelta(minutes=1)
leases = Leases(
    Pass,
    Q(ended_at=None),
    LENGTH,
    related=("run",),
    on_claim={"attempts": F("attempts") + 1},
    on_put_back={"attempts": F("attempts") - 1},
)
between: list[Callable[[Pass], object]] = []  # what happens in each part, before it is stored


def fail(row: Pass, error: Exception) -> None:
    Pass.objects.filter(pk=row.pk).update(ended_at=timezone.now(), detail=f"It cannot be counted: {error}.")


@chore(leases, key="counts", label="Counted", fail=fail)
def count_up(row: Pass) -> Parts:
    for number in range(row.done + 1, 4):
        for act in between:
            act(row)
        with transaction.atomic():
            leases.keep(row, done=number)
        yield 1
    leases.keep(row, ended_at=timezone.now())


@pytest.fixture(autouse=True)
def nothing_between(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(concurrency, "mark", concurrency.Mark())
    yield
    between.clear()


@pytest.fixture
def rings(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    rung: list[tuple[str, int]] = []
    monkeypatch.setattr(bell, "ring", lambda task, pk, **_options: rung.append((task, pk)))
    return rung


@pytest.fixture
def row() -> Pass:
    run = Run.objects.create(project=make_project(), purpose="words", endpoint=make_endpoint("http://127.0.0.1:9/v1"))
    return Pass.objects.create(run=run, sort=Pass.Sort.PLANNING)


def stored() -> tuple[int, int, bool]:
    """How far it is, how many workers have begun it, whether it has ended."""
    row = Pass.objects.get()
    return row.done, row.attempts, row.ended_at is not None


def let_the_lease_run_out(_row: Pass | None = None) -> None:
    Pass.objects.update(lease_until=timezone.now() - timedelta(seconds=1))


# --- leases -----------------------------------------------------------------------------------------------------------


def test_of_two_workers_one_gets_the_row(row: Pass) -> None:
    assert leases.claimable() == [row.pk]
    claimed, nothing = leases.claim(row.pk), leases.claim(row.pk)
    assert claimed is not None
    assert (nothing, leases.claimable(), claimed.attempts) == (None, [], 1)


def test_an_expired_lease_is_taken_up_and_its_holder_stores_nothing_more(row: Pass) -> None:
    slow = leases.claim(row.pk)
    assert slow is not None
    let_the_lease_run_out()
    assert leases.claimable() == [row.pk]
    assert leases.claim(row.pk) is not None
    with pytest.raises(LeaseLost):
        leases.keep(slow, done=3)
    leases.put_back(slow)
    assert (stored(), leases.claimable()) == ((0, 2, False), [])


def test_a_part_extends_the_lease(row: Pass) -> None:
    claimed = leases.claim(row.pk)
    assert claimed is not None
    let_the_lease_run_out()
    leases.keep(claimed, done=1)
    assert leases.claimable() == []
    assert claimed.done == 1


def test_the_end_of_a_lease_is_its_fence_in_a_table_without_tokens() -> None:
    of_searches = Leases(AlikeSearch, Q(finished_at=None), LENGTH, fence="lease_until")
    search = AlikeSearch.objects.create(project=make_project(), threshold=0.7)
    slow = of_searches.claim(search.pk)
    assert slow is not None
    of_searches.keep(slow, items=1)
    of_searches.keep(slow, items=2)
    AlikeSearch.objects.update(lease_until=None)
    with pytest.raises(LeaseLost):
        of_searches.keep(slow, items=3)
    assert of_searches.claim(search.pk) is not None
    assert AlikeSearch.objects.get().items == 2


def test_a_row_that_is_made_with_a_lease_is_its_makers(row: Pass) -> None:
    Pass.objects.all().delete()
    made = Pass.objects.create(run=row.run, sort=Pass.Sort.PLANNING, **leases.held())
    assert leases.claimable() == []
    leases.keep(made, done=1)


def test_what_is_not_due_waits(row: Pass) -> None:
    later = replace(leases, due=lambda: Q(created_at__lt=row.created_at))
    assert (later.claimable(), later.claim(row.pk)) == ([], None)


# --- the loop of a worker ---------------------------------------------------------------------------------------------


def test_a_worker_goes_on_to_the_end_and_forgets_its_lease(row: Pass, rings: list[tuple[str, int]]) -> None:
    count_up.work(row.pk)
    count_up.work(row.pk)
    assert (stored(), rings) == ((3, 1, True), [])
    row.refresh_from_db()
    assert (row.token, row.lease_until) == (None, None)


def test_a_killed_worker_is_followed_where_its_last_part_ended(row: Pass) -> None:
    def die(row: Pass) -> None:
        if row.done == 1:
            raise KeyboardInterrupt

    between.append(die)
    with pytest.raises(KeyboardInterrupt):
        count_up.work(row.pk)
    between.clear()
    count_up.work(row.pk)
    assert stored() == (1, 1, False), "its lease lasts"
    let_the_lease_run_out()
    count_up.work(row.pk)
    assert stored() == (3, 2, True)


def test_whoever_is_overtaken_stops_and_nothing_is_done_twice(row: Pass) -> None:
    numbers = []

    def be_overtaken(row: Pass) -> None:
        numbers.append(row.done)
        if row.attempts == 1 and row.done == 1:
            let_the_lease_run_out()
            count_up.work(row.pk)

    between.append(be_overtaken)
    count_up.work(row.pk)
    assert stored() == (3, 2, True)
    assert numbers == [0, 1, 1, 2], "the part that was not stored is done by the other"


def test_a_job_that_is_cancelled_stops_at_its_next_part(row: Pass, rings: list[tuple[str, int]]) -> None:
    between.append(lambda row: row.done == 1 and Pass.objects.update(ended_at=timezone.now(), detail="cancelled"))
    count_up.work(row.pk)
    assert (stored(), rings, Pass.objects.get().detail) == ((1, 1, True), [], "cancelled")


def test_an_error_is_stored_in_words(row: Pass, rings: list[tuple[str, int]]) -> None:
    between.append(lambda row: [][row.done])
    count_up.work(row.pk)
    row.refresh_from_db()
    assert row.detail == "It cannot be counted: list index out of range."
    assert (leases.claimable(), rings) == ([], [])


def test_a_job_without_words_for_it_raises_the_error_and_is_tried_again_later(row: Pass) -> None:
    between.append(lambda row: [][row.done])
    with pytest.raises(IndexError):
        replace(count_up, fail=None).work(row.pk)
    assert leases.claimable() == []
    let_the_lease_run_out()
    assert leases.claimable() == [row.pk]


def test_a_worker_that_is_told_to_stop_puts_back_and_begins_nothing(row: Pass, rings: list[tuple[str, int]]) -> None:
    between.append(lambda row: row.done == 1 and concurrency.begin())
    count_up.work(row.pk)
    count_up.work(row.pk)
    assert (stored(), leases.claimable()) == ((2, 0, False), [row.pk])
    assert rings == [("count_up", row.pk)]


def test_the_bell_is_rung_until_it_is_done(row: Pass, rings: list[tuple[str, int]]) -> None:
    """A job with a slice of time gives way after it."""
    impatient = replace(count_up, seconds=1e-9)
    rings.append(("count_up", row.pk))
    states = []
    while rings:
        impatient.work(rings.pop()[1])
        states.append(stored()[0])
    assert states == [1, 2, 3, 3]
    assert stored() == (3, 1, True)


def test_a_person_waits_for_some_and_a_worker_does_the_rest(row: Pass, rings: list[tuple[str, int]]) -> None:
    count_up.work(row.pk, most=2)
    assert (stored(), rings) == ((2, 0, False), [("count_up", row.pk)])
    count_up.work(row.pk)
    assert stored() == (3, 1, True)


def test_a_command_needs_no_worker(row: Pass, rings: list[tuple[str, int]]) -> None:
    replace(count_up, seconds=1e-9).work(row.pk, whole=True)
    assert (stored(), rings) == ((3, 1, True), [])


# --- the list of jobs -------------------------------------------------------------------------------------------------


def test_the_clock_rings_for_what_waits_and_reconcile_works_it(
    row: Pass, rings: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chores, "all_chores", lambda: {"count_up": count_up})
    tasks.reconcile()
    assert rings == [("count_up", row.pk)]
    assert reconciliation.reconcile()["counts"] == 1
    assert stored() == (3, 1, True)
    assert reconciliation.reconcile()["counts"] == 0


def jobs() -> list[Chore]:
    return list(chores.all_chores().values())


def test_every_job_is_found_once_and_has_its_task() -> None:
    assert {f"{tasks.__name__}.{job.name}" for job in jobs()} <= set(current_app.tasks)
    assert len({job.key for job in jobs()}) == len({job.label for job in jobs()}) == len(jobs())


def test_every_jobs_table_has_its_columns_and_conditions() -> None:
    for job in jobs():
        columns = {field.name for field in job.leases.model._meta.get_fields()}
        assert {"lease_until", job.leases.fence, *job.leases.on_claim, *job.leases.on_put_back} <= columns, job.name
        assert job.parts.__doc__, f"{job.name}: say what it does"
        assert job.leases.claimable() == []
        assert job.leases.claim(0) is None
        assert (job.leases.longest or job.leases.length) >= job.leases.length


def test_every_job_has_a_test() -> None:
    tests = "\n".join(path.read_text() for path in TESTS.rglob("test_*.py"))
    tested = re.findall(r"\w+", " ".join(re.findall(r"from \w+\.chores import (.+)", tests)))
    assert [job.name for job in jobs() if job.name not in tested] == []
