"""A service that freezes instead of dying costs a request a second or two, once, and wakes by itself."""

import time
from collections.abc import Iterator

import httpx2
import pytest

from tests.faults.workers import process, wait_for
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.redis import RedisServer, running_redis
from tests.support.visitors import sessions

pytestmark = pytest.mark.slow

WORKER = ("celery", "--quiet", "-A", "config", "worker", "--queues", "celery", "--concurrency", "2")
PATIENCE = 30.0  # seconds; the measured cost is in the documents: here it only has to have an end
STATES = "result = [release.state for release in Release.objects.order_by('pk')]"


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


@pytest.fixture
def installation(installations: Installations, redis: RedisServer) -> Iterator[Installation]:
    with installations.serving("sqlite", threads=4, CELERY_BROKER_URL=redis.url) as installation:
        installation.manage("seed_demo")
        yield installation
        redis.wake()


def test_releases_are_ordered_while_the_broker_is_frozen_and_made_when_it_wakes(
    installation: Installation, redis: RedisServer
) -> None:
    clock = ("celery", "--quiet", "-A", "config", "beat", "--pidfile=", "-s", str(installation.folder / "beat"))
    with process(installation, *WORKER) as worker, process(installation, *clock) as beat:
        order_release(installation)
        wait_for("the release", lambda: made(installation), log=installation.folder / "worker.log")
        redis.freeze()
        before = time.monotonic()
        for _number in range(4):
            order_release(installation)
        assert time.monotonic() - before < PATIENCE
        assert not made(installation)
        redis.wake()
        wait_for("four more releases", lambda: made(installation), log=installation.folder / "worker.log")
        assert (worker.poll(), beat.poll()) == (None, None)
    assert "Traceback" not in installation.log.read_text()


def test_doctor_does_not_wait_for_a_frozen_broker(installation: Installation, redis: RedisServer) -> None:
    redis.freeze()
    before = time.monotonic()
    report = installation.manage("doctor", check=False)
    assert time.monotonic() - before < PATIENCE
    assert "Start the broker, correct CELERY_BROKER_URL" in report.stdout


def order_release(installation: Installation) -> None:
    cookies = {"sessionid": sessions(installation, ["lead"])["lead"], "csrftoken": "c" * 32}
    with httpx2.Client(base_url=installation.url, cookies=cookies, timeout=PATIENCE) as lead:
        answer = lead.post("/p/demo/releases/", data={"csrfmiddlewaretoken": "c" * 32, "state": "any"})
    assert answer.status_code == 302


def made(installation: Installation) -> bool:
    return set(installation.python(STATES)) == {"done"}
