"""A service that fails at nearly every third request, and runs that must not cost more than they may."""

from contextlib import ExitStack
from decimal import Decimal

import pytest

from annotate.kinds.protocol import Cause
from tests.faults.workers import (
    is_over,
    kill,
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
    """Two questions a job, more than every documented fault; some of them end a job at once."""
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
def test_sixteen_in_parallel_never_pass_the_budget(installations: Installations, database: str, workers: int) -> None:
    """However many workers spend at the same time, and though one of them is killed with calls in flight.

    A call costs 0.002 and at most 0.42: the budget holds three at their worst, and a hundred as they are.
    """
    budget, worst = Decimal("1.5"), Decimal("0.42")
    with faulty_model(latency=0.02) as model, installations.migrated(database) as installation:
        pk = started_run(installation, model, items=900, max_in_flight=16, budget=str(budget), deadline=5)
        log = installation.folder / "worker.log"
        used = Most(installation, pk)
        with ExitStack() as running:
            first, *_others = [running.enter_context(simple_worker(installation)) for _worker in range(workers)]
            wait_for("it is at work", lambda: model.calls > 20, log=log)
            kill(first)
            if workers == 1:
                running.enter_context(simple_worker(installation))
            wait_for("the run pauses", lambda: used.look() == "paused", log=log)
        found = ledger_of(installation, pk)
        told = installation.python(TOLD, pk=pk)
    cost = Decimal(found["cost"])
    assert used.most <= budget
    assert cost == sum(found["read"].values()) * PRICE
    assert cost + Decimal(told["reserved"]) > budget - worst, "no other call would have fitted"
    assert Decimal(told["reserved"]) == Decimal(told["open"]) <= 3 * worst, "only what the killed worker had in flight"
    assert told["cause"] == "budget"
    assert set(found["states"]) <= {"done", "pending", "leased"}, "the last by the killed worker, until its lease ends"
    assert found["causes"] == {}
    assert model.calls * PRICE <= budget


class Most:
    """What of a budget is spent and reserved, looked at again and again."""

    def __init__(self, installation: Installation, pk: int) -> None:
        self.installation, self.pk, self.most = installation, pk, Decimal(0)

    def look(self) -> str:
        """The state of the run."""
        used, state = self.installation.python(USED, pk=self.pk)
        self.most = max(self.most, Decimal(used))
        return str(state)


USED = """
run = Run.objects.get(pk=pk)
result = str(run.cost + run.reserved), run.state
"""
TOLD = """
from django.db.models import Sum
run = Run.objects.get(pk=pk)
open_calls = Call.objects.filter(job__run=pk, cause=None).aggregate(sum=Sum("reserved"))["sum"]
result = {"reserved": str(run.reserved), "open": str(open_calls or 0), "cause": run.cause}
"""


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
from annotate.runs import actions
getattr(actions, verb)(Run.objects.get(pk=pk), None)
"""
