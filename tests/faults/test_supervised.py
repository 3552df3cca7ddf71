"""The programs of `make run`, forked from one loaded process: each is killed and comes back, all stop when told to."""

import signal
import time
from collections.abc import Iterator, Mapping

import httpx2
import pytest

from tests.faults.workers import wait_for
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.operation import Operation, operated

pytestmark = pytest.mark.slow

PROGRAMS = {"web", "worker", "engine", "clock"}
BEATS = "from annotate.upkeep import diagnosis\nresult = diagnosis.seconds_since_beat()"
ORDER = """
from annotate.releases import actions
from tests.support.people import make_project
actions.plan(project=make_project(licence="CC0-1.0"), filters=actions.ReleaseFilters(), by=None)
"""
STATES = "result = [release.state for release in Release.objects.all()]"


@pytest.fixture
def installation(installations: Installations) -> Iterator[Installation]:
    with installations.migrated("sqlite") as installation:
        yield installation


def answers(installation: Installation) -> bool:
    try:
        return httpx2.get(f"{installation.url}/readyz", timeout=60).status_code == 200
    except httpx2.TransportError:
        return False


def all_run(operation: Operation) -> bool:
    return set(operation.programs()) == PROGRAMS


def test_each_program_is_killed_and_comes_back(installation: Installation) -> None:
    log = installation.folder / "operation.log"
    with operated(installation) as operation:
        wait_for("all programs", lambda: all_run(operation), log=log)
        wait_for("an answer", lambda: answers(installation), log=log)
        assert "Traceback" not in log.read_text()
        before = operation.programs()
        for process in before.values():
            process.kill()
        wait_for("other processes", lambda: all_run(operation) and differ(before, operation), log=log)
        dying = len(log.read_text())  # until here, children of a killed worker may find its pipes broken
        wait_for("an answer", lambda: answers(installation), log=log)
        wait_for("a beat", lambda: installation.python(BEATS) is not None, log=log)
    assert "Traceback" not in log.read_text()[dying:]


def test_a_worker_goes_on_whichever_of_its_children_are_killed(installation: Installation) -> None:
    """Those that wait for a task, too: with one pipe for all, the one whose turn it is holds the lock of the others."""
    log = installation.folder / "operation.log"
    with operated(installation) as operation:
        wait_for("a beat", lambda: installation.python(BEATS) is not None, log=log)
        worker = operation.programs()["worker"]
        for child in worker.children():
            child.kill()
        killed = time.time()
        wait_for("another beat", lambda: time.time() - installation.python(BEATS) > killed, log=log)
        assert operation.programs()["worker"] == worker, "it is still the same worker"


def test_workers_that_were_told_to_stop_come_back_and_work(installation: Installation) -> None:
    log = installation.folder / "operation.log"
    with operated(installation) as operation:
        wait_for("a beat", lambda: installation.python(BEATS) is not None, log=log)
        before = operation.workers()
        for process in before:
            process.terminate()
        wait_for("other workers", lambda: operation.has_others_than(before), log=log)
        installation.python(ORDER)
        wait_for("the release", lambda: installation.python(STATES) == ["done"], log=log)


def differ(before: Mapping[str, object], operation: Operation) -> bool:
    return not set(before.values()) & set(operation.programs().values())


def test_all_of_them_end_when_the_supervisor_is_told_to(installation: Installation) -> None:
    log = installation.folder / "operation.log"
    with operated(installation) as operation:
        wait_for("an answer", lambda: answers(installation), log=log)
        family = operation.supervisor.children(recursive=True)
        operation.supervisor.send_signal(signal.SIGTERM)
        wait_for("the end of all", lambda: not any(process.is_running() for process in family), log=log)
        assert operation.process.wait(30) == 0
    assert "Traceback" not in log.read_text()
