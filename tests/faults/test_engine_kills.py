"""Workers are killed, rings are lost, connections are cut: nothing is lost, and nothing is asked again needlessly."""

import random
from collections.abc import Callable

import pytest

from tests.faults.workers import (
    Supervised,
    Worker,
    celery_worker,
    clock,
    free_the_places,
    is_over,
    ledger_of,
    never_sent_after_its_reply,
    simple_worker,
    started_run,
    wait_for,
)
from tests.support.faulty_model import faulty_model
from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = [pytest.mark.slow, pytest.mark.long]

JOBS, KILLS, PLACES = 2000, 20, 8


def test_twenty_kills_in_two_thousand_jobs_lose_nothing(installations: Installations, database: str) -> None:
    """Every second kill hits a child at its work, the others the worker with all its children; a clock rings again."""
    with faulty_model(latency=0.05, keeps=False) as model, installations.migrated(database) as installation:
        model.chooses = lambda _question, _times: "good"
        pk = started_run(installation, model, items=JOBS, max_in_flight=PLACES)
        supervised = Supervised(installation)
        thresholds = iter(sorted(random.Random(7).sample(range(20, JOBS - 100), KILLS)))
        following = next(thresholds)

        def disturb() -> None:
            nonlocal following
            supervised.look_after()
            if model.calls >= following and supervised.kills < KILLS:
                if supervised.kills % 2:
                    supervised.kill_all()
                else:
                    supervised.kill_a_child()
                free_the_places(installation)
                following = next(thresholds, JOBS)

        try:
            with clock(installation):
                log = installation.folder / "worker.log"
                wait_for("the run is over", lambda: is_over(installation, pk), seconds=600, meanwhile=disturb, log=log)
        finally:
            supervised.close()
        found = ledger_of(installation, pk)
    assert supervised.kills == KILLS
    assert found["states"] == {"done": JOBS}
    assert found["outcomes"] == JOBS
    assert never_sent_after_its_reply(found, model)
    assert model.calls - JOBS <= KILLS * PLACES
    assert found["open"] <= KILLS * PLACES
    assert found["calls"] == sum(found["rows"].values()) == JOBS + found["open"]
    assert found["tokens_of_run"] == found["tokens"]
    assert model.most_in_flight <= 2 * PLACES, "those of a killed worker may still be open at the service"


def test_a_run_ends_although_all_rings_were_lost(installations: Installations) -> None:
    """The broker's files are removed before the worker hears of the run, while it is at it, and after it was killed."""
    with faulty_model(latency=0.02) as model, installations.migrated("sqlite") as installation:
        pk = started_run(installation, model, items=300, max_in_flight=4)
        broker = installation.folder / "broker"

        def empty() -> int:
            files = [path for path in broker.rglob("*") if path.is_file()]
            for path in files:
                path.unlink(missing_ok=True)
            return len(files)

        assert empty() >= 1, "the start rang"
        log = installation.folder / "worker.log"
        with clock(installation), celery_worker(installation):
            wait_for("a third is sent", lambda: model.calls >= 100, log=log)
            empty()
        empty()
        with clock(installation), celery_worker(installation):
            wait_for("the run is over", lambda: is_over(installation, pk), log=log)
        found = ledger_of(installation, pk)
    assert found["states"] == {"done": 300}
    assert never_sent_after_its_reply(found, model)


@pytest.mark.quick
def test_three_workers_share_a_run_without_asking_twice(installations: Installations, database: str) -> None:
    with faulty_model(latency=0.02) as model, installations.migrated(database) as installation:
        pk = started_run(installation, model, items=600, max_in_flight=7)
        with simple_worker(installation), simple_worker(installation), simple_worker(installation):
            log = installation.folder / "worker.log"
            wait_for("the run is over", lambda: is_over(installation, pk), log=log)
        found = ledger_of(installation, pk)
    assert found["states"] == {"done": 600}
    assert set(model.received.values()) == {1}
    assert (model.calls, found["calls"], found["open"]) == (600, 600, 0)
    assert model.most_in_flight <= 7


def test_three_workers_send_five_first_calls_together(installations: Installations, database: str) -> None:
    """All are refused, so the run is paused before any of the three sends a sixth."""
    with faulty_model(latency=0.05) as model, installations.migrated(database) as installation:
        model.chooses = lambda _question, _times: "unauthorised"
        pk = started_run(installation, model, items=500, max_in_flight=200)
        with simple_worker(installation), simple_worker(installation), simple_worker(installation):
            log = installation.folder / "worker.log"
            wait_for("the run is paused", lambda: installation.python(PAUSED_FOR, pk=pk) == "unauthorised", log=log)
            wait_for("no job is held", lambda: "leased" not in ledger_of(installation, pk)["states"], log=log)
    assert model.calls == 5


PAUSED_FOR = """
run = Run.objects.get(pk=pk)
result = run.cause if run.state == "paused" else run.state
"""


@pytest.mark.postgres
def test_a_run_survives_that_its_connections_are_cut(installations: Installations) -> None:
    """As when PostgreSQL is restarted: every connection of the worker breaks, ten times."""
    with faulty_model(latency=0.02) as model, installations.migrated("postgres") as installation:
        pk = started_run(installation, model, items=400, max_in_flight=6)
        cut: list[int] = []

        def cut_now_and_then() -> None:
            if len(cut) < 10 and model.calls >= 30 * (len(cut) + 1):
                cut.append(installation.python(CUT))

        with simple_worker(installation) as worker:
            log = installation.folder / "worker.log"
            wait_for("the run is over", lambda: is_over(installation, pk), meanwhile=cut_now_and_then, log=log)
            assert worker.poll() is None, "it is still the same worker"
        found = ledger_of(installation, pk)
    assert len(cut) == 10
    assert sum(cut) >= 10
    assert found["states"] == {"done": 400}
    assert never_sent_after_its_reply(found, model)
    assert found["tokens_of_run"] == found["tokens"] == 400 * 100


@pytest.mark.postgres
@pytest.mark.parametrize("worker", [simple_worker, celery_worker])
def test_a_run_survives_that_postgresql_is_stopped_and_started(
    installations: Installations, worker: Callable[[Installation], Worker]
) -> None:
    """In order, then as when its machine loses power; each time it stays away until the worker has noticed."""
    with installations.apart() as own, faulty_model(latency=0.02) as model:
        server = own.postgres()
        with own.migrated("postgres") as installation:
            pk = started_run(installation, model, items=400, max_in_flight=6)
            log = installation.folder / "worker.log"
            with clock(installation), worker(installation) as process:
                for stopped, mode in enumerate(("fast", "immediate", "fast"), start=1):
                    wait_for("some are sent", lambda: model.calls >= 90 * stopped, log=log)  # noqa: B023
                    noticed = log.read_text().count(AWAY)
                    server.stop(mode)
                    wait_for("it is missed", lambda: log.read_text().count(AWAY) > noticed, log=log)  # noqa: B023
                    server.start()
                    installation.python(HANG_UP)  # what asks in the name of the test has noticed nothing
                wait_for("the run is over", lambda: is_over(installation, pk), log=log)
                assert process.poll() is None, "it is still the same worker"
            found = ledger_of(installation, pk)
    assert found["states"] == {"done": 400}
    assert found["outcomes"] == 400
    assert never_sent_after_its_reply(found, model)
    assert found["open"] <= 3 * 6
    assert found["tokens_of_run"] == found["tokens"] == 400 * 100


AWAY = "The database is away"
HANG_UP = """
from django.db import connection
connection.close()
connection.close_pool()
result = None
"""


def test_a_killed_planner_is_followed_by_another(installations: Installations, database: str) -> None:
    """Of a run that is too large for a request; twice it is killed with its children, and started again."""
    with faulty_model() as model, installations.migrated(database) as installation:
        pk = installation.python(PLAN_MANY, url=model.base_url, items=ITEMS)
        supervised, log = Supervised(installation), installation.folder / "worker.log"
        assert installation.python(PLANNED, pk=pk) == ["planning", AT_ONCE, AT_ONCE]

        def has_written(jobs: int) -> bool:
            return installation.python(PLANNED, pk=pk)[1] >= jobs

        try:
            with clock(installation):
                for kills in (1, 2):
                    wait_for("more is written", lambda: has_written(AT_ONCE + 300 * kills), log=log)  # noqa: B023
                    supervised.kill_all()
                    assert installation.python(PLANNED, pk=pk)[0] == "planning"
                    supervised.look_after()
                wait_for("it is planned", lambda: installation.python(PLANNED, pk=pk)[0] == "planned", log=log)
        finally:
            supervised.close()
        assert installation.python(PLANNED, pk=pk) == ["planned", ITEMS, ITEMS]
        assert model.calls == 0


AT_ONCE, ITEMS = 500, 3000
PLAN_MANY = """
from annotate.engine import purposes
from annotate.runs import plan
from tests.support.small_purpose import Words, make_endpoint, planned
words = Words()
purposes.purposes = lambda: {"words": words}
plan.AT_ONCE, plan.CHUNK = 500, 50
result = planned(make_endpoint(url), items=items, whole=False).pk
"""
PLANNED = """
run = Run.objects.get(pk=pk)
subjects = list(run.jobs.values_list("subject", flat=True))
result = [run.state, len(subjects), len(set(subjects))]
"""
CUT = """
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    result = len(cursor.fetchall())
"""
