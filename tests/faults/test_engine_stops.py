"""A worker that is told to end: it sends nothing more, keeps what comes back in time, and hands the rest back."""

import signal
import time
from collections.abc import Callable

import pytest

from tests.faults.workers import (
    Worker,
    celery_worker,
    is_over,
    ledger_of,
    never_sent_after_its_reply,
    simple_worker,
    started_run,
    wait_for,
)
from tests.support.faulty_model import faulty_model
from tests.support.fork_server import Forked
from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = pytest.mark.slow

PLACES = 8
LONGEST = 15.0  # seconds from the signal to the end of the process
workers = pytest.mark.parametrize("worker", [celery_worker, simple_worker])


@workers
def test_eight_calls_that_hang_do_not_hold_a_worker(
    installations: Installations, database: str, worker: Callable[[Installation], Worker]
) -> None:
    with faulty_model("hangs") as model, installations.migrated(database, GRACE="2") as installation:
        pk = started_run(installation, model, items=40, max_in_flight=PLACES, deadline=120)
        with worker(installation) as process:
            log = installation.folder / "worker.log"
            wait_for("all places are taken", lambda: model.calls == PLACES, log=log)
            stop(process)
            assert model.calls == PLACES, "nothing was sent after the signal"
        ledger = ledger_of(installation, pk)
        states = installation.python(JOBS, pk=pk)
    assert ledger["open"] == PLACES
    assert states == [["pending", None, 0]], "free for others at once, and no failed attempt"


@workers
def test_what_comes_back_after_the_signal_is_kept_and_never_asked_again(
    installations: Installations, database: str, worker: Callable[[Installation], Worker]
) -> None:
    with faulty_model(latency=1.0) as model, installations.migrated(database) as installation:
        pk = started_run(installation, model, items=30, max_in_flight=PLACES, deadline=120)
        with worker(installation) as process:
            log = installation.folder / "worker.log"
            wait_for("some are answered", lambda: model.calls > PLACES, log=log)
            stop(process)
        stopped = ledger_of(installation, pk)
        assert stopped["open"] == 0, "all came back within the grace period"
        assert stopped["calls"] == model.calls
        model.latency = 0.0
        with simple_worker(installation):
            wait_for("the run is over", lambda: is_over(installation, pk), log=log)
        found = ledger_of(installation, pk)
    assert found["states"] == {"done": 30}
    assert model.calls == 30
    assert never_sent_after_its_reply(found, model)


def stop(process: Forked) -> None:
    since = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.wait(60)
    assert time.monotonic() - since < LONGEST


JOBS = """
jobs = Job.objects.filter(run=pk).values_list("state", "token", "attempts")
result = sorted({(state, token and str(token), attempts) for state, token, attempts in jobs})
"""
