"""A service that fails at nearly every third request, and runs that must not cost more than they may."""

from contextlib import ExitStack
from decimal import Decimal

import pytest

from annotate.llm.causes import Cause
from tests.faults.workers import (
    is_over,
    ledger_of,
    never_sent_after_its_reply,
    simple_worker,
    started_run,
    wait_for,
)
from tests.support.faulty_model import ANSWERS, faulty_model
from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = pytest.mark.slow

JOBS = 2000
WELL = {"good", "fenced", "no_usage", "odd_usage", "huge_usage", "nul_and_half", "says_the_key"}
FAULTS = sorted(set(ANSWERS) - WELL - {"floods"})  # which only costs time
PRICE = Decimal("0.002")  # of a call, see workers.py


def test_thirty_percent_faults_end_done_or_in_a_closed_cause(installations: Installations, database: str) -> None:
    """Two questions a job, every fault of row 11 and more; some of them end a job at once."""
    with faulty_model(*FAULTS, share=0.3, keeps=False) as model, installations.migrated(database) as installation:
        pk = started_run(installation, model, items=JOBS, steps=2, max_in_flight=64, attempts=3, deadline=1)
        with simple_worker(installation):
            log = installation.folder / "worker.log"
            wait_for("the run is over", lambda: is_over(installation, pk), seconds=600, log=log)
        found = ledger_of(installation, pk)
    states, causes = found["states"], found["causes"]
    assert states["done"] + states["failed"] == JOBS
    assert sum(causes.values()) == states["failed"]
    assert set(causes) <= set(Cause.values) - {Cause.DEFECT, Cause.CRASHED}
    assert states["done"] > JOBS / 2
    assert len(causes) >= 6
    assert found["attempts"] <= 3
    assert model.calls == found["calls"] == sum(found["rows"].values())
    assert found["open"] == 0
    assert never_sent_after_its_reply(found, model)
    assert "Traceback" not in log.read_text()


@pytest.mark.parametrize("workers", [1, 3])
def test_sixteen_in_parallel_stay_within_the_budget(installations: Installations, database: str, workers: int) -> None:
    """At most one call for each place above it, however many workers spend at the same time."""
    with faulty_model(latency=0.02) as model, installations.migrated(database) as installation:
        pk = started_run(installation, model, items=400, max_in_flight=16, budget="0.3")
        with ExitStack() as running:
            for _worker in range(workers):
                running.enter_context(simple_worker(installation))
            log = installation.folder / "worker.log"
            wait_for("the run is over", lambda: is_over(installation, pk), log=log)
        found = ledger_of(installation, pk)
    cost = Decimal(found["cost"])
    assert Decimal("0.3") <= cost <= Decimal("0.3") + 16 * PRICE
    assert cost == model.calls * PRICE
    assert found["states"] == {"done": model.calls, "failed": 400 - model.calls}
    assert found["causes"] == {"budget": 400 - model.calls}


def test_pausing_and_cancelling_are_heard_by_a_worker_at_work(installations: Installations, database: str) -> None:
    with faulty_model(latency=0.05) as model, installations.migrated(database) as installation:
        pk = started_run(installation, model, items=500, max_in_flight=4)
        log = installation.folder / "worker.log"
        with simple_worker(installation):
            wait_for("some are sent", lambda: model.calls >= 40, log=log)
            installation.python(VERB, pk=pk, verb="pause")
            wait_for("jobs are put back", lambda: not leased(installation, pk), log=log)
            paused_at = model.calls
            assert installation.python("result = Call.objects.filter(cause=None).count()") == 0
            installation.python(VERB, pk=pk, verb="resume")
            wait_for("it goes on", lambda: model.calls >= paused_at + 40, log=log)
            installation.python(VERB, pk=pk, verb="cancel")
            wait_for("jobs are ended", lambda: not leased(installation, pk), log=log)
        found = ledger_of(installation, pk)
    assert found["states"].keys() == {"done", "cancelled"}
    assert found["states"]["done"] == model.calls == sum(found["read"].values()) < 500
    assert set(model.received.values()) == {1}


def leased(installation: Installation, pk: int) -> int:
    return installation.python("result = Job.objects.filter(run=pk, state='leased').count()", pk=pk)


VERB = """
from annotate.services import runs
getattr(runs, verb)(Run.objects.get(pk=pk), None)
"""
