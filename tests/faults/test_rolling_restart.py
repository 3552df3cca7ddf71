"""A new version is rolled out: of two web servers and two engines one is restarted after the other, under load.

As an operator does it: the server is taken out of the balancer, told to end, started again, and put back once it says
that it is ready. Nobody gets an error, and no model is asked anything twice.
"""

import asyncio
import random
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import httpx2
import pytest

from tests.faults.people import open_next, visitors
from tests.faults.workers import clock, is_over, ledger_of, never_sent_after_its_reply, process, started_run, wait_for
from tests.support.faulty_model import FaultyModel, faulty_model
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.samples import written
from tests.support.visitors import Visitor, together

pytestmark = pytest.mark.slow

PEOPLE, JOBS = 20, 200
APP = "tests.faults.engine_app"


@dataclass
class Balancer:
    """Sends each request of a person to one of the servers that are in it, over a connection of its own."""

    servers: list[Installation]
    visitors: list[Visitor]
    chance: random.Random = field(default_factory=lambda: random.Random(4))

    async def send(self, visitor: Visitor) -> None:
        await visitor.leave()
        visitor.port = port_of(self.chance.choice(self.servers))

    def take_out(self, server: Installation) -> None:
        """Nothing new is sent to this server; returns when all that was sent is answered."""
        self.servers.remove(server)
        port = port_of(server)
        wait_for("the last answer", lambda: all(visitor.port != port for visitor in self.visitors))


def port_of(server: Installation) -> int:
    return int(server.url.rpartition(":")[2])


@dataclass
class Seen:
    """The statuses that people got, and the texts of which they were told that they are submitted."""

    statuses: list[int] = field(default_factory=list)
    submitted: list[str] = field(default_factory=list)


@pytest.fixture
def servers(installations: Installations, database: str) -> Iterator[list[Installation]]:
    with installations.migrated(database) as first:
        second = Installation(first.folder, first.database_url, dict(first.environment))
        first.serve(workers=1)
        second.serve(workers=1)
        yield [first, second]
        second.close()


def test_a_rolling_restart_fails_no_request_and_repeats_no_call(servers: list[Installation]) -> None:
    first = servers[0]
    everybody = visitors(first, people=PEOPLE, items=40 * PEOPLE)
    balancer, seen = Balancer(list(servers), everybody), Seen()
    with faulty_model(latency=0.1) as model, ExitStack() as engines:
        run = started_run(first, model, items=JOBS, max_in_flight=8, deadline=60)
        engines.enter_context(clock(first))
        log = first.folder / "worker.log"
        together(_rolled_out(servers, balancer, everybody, seen, model, run))
        wait_for("the run is over", lambda: is_over(first, run), log=log)
        ledger = ledger_of(first, run)
    assert len(seen.statuses) > 4 * PEOPLE
    assert set(seen.statuses) <= {200, 302}
    assert sorted(first.python(SUBMITTED)) == sorted(seen.submitted)
    assert (ledger["states"], ledger["open"]) == ({"done": JOBS}, 0)
    assert set(model.received.values()) == {1}
    assert never_sent_after_its_reply(ledger, model)


async def _rolled_out(
    servers: list[Installation],
    balancer: Balancer,
    everybody: list[Visitor],
    seen: Seen,
    model: FaultyModel,
    run: int,
) -> None:
    over = asyncio.Event()
    working = [asyncio.create_task(_works(visitor, balancer, seen, over)) for visitor in everybody]
    with ExitStack() as engines:
        for place, server in enumerate(servers):
            engine = engines.enter_context(process(server, *ENGINE, f"first{place}@here"))
            await asyncio.to_thread(wait_for, "calls", lambda: model.calls >= 20 * (place + 1))  # noqa: B023
            await asyncio.to_thread(_restart_web, server, balancer)
            engine.send_signal(signal.SIGTERM)
            await asyncio.to_thread(engine.wait, 60)
            engines.enter_context(process(server, *ENGINE, f"second{place}@here"))
        over.set()
        await asyncio.gather(*working)
        await asyncio.to_thread(wait_for, "the run is over", lambda: is_over(servers[0], run))


ENGINE = ("celery", "--quiet", "-A", APP, "worker", "--concurrency", "2", "--loglevel", "WARNING", "--hostname")
SUBMITTED = """
texts = Annotation.objects.filter(submitted_at__isnull=False, author__isnull=False)
result = [draft["feedback"] for draft in texts.values_list("draft", flat=True)]
"""


def _restart_web(server: Installation, balancer: Balancer) -> None:
    balancer.take_out(server)
    server.stop_serving()
    server.serve(workers=1)
    wait_for("it is ready", lambda: httpx2.get(f"{server.url}/readyz", timeout=60).status_code == 200)
    balancer.servers.append(server)


async def _works(visitor: Visitor, balancer: Balancer, seen: Seen, over: asyncio.Event) -> None:
    while not over.is_set():
        await balancer.send(visitor)
        slot, page = await open_next(visitor)
        await balancer.send(visitor)
        text = f"Written by {visitor.cookies['sessionid'][:8]}, text {len(seen.statuses)}."
        answer = await visitor.post(f"{slot}submit/", **written(text, page))
        seen.statuses += [page.status, answer.status]
        if answer.leads_to:
            seen.submitted.append(text)
        await asyncio.sleep(0.3)
    await visitor.leave()
