"""What the journeys do to a run while somebody watches its page: paused, resumed, killed; and what they wait for."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.faults.workers import free_the_places, wait_for
from tests.support.installation import Installation
from tests.support.model_server import ModelServer
from tests.support.operation import Operation

HOLDING = "result = sorted({str(job.token) for job in Job.objects.filter(run=pk, state='leased')})"
LET_GO = """
from django.utils.timezone import now
result = Job.objects.filter(state="leased", token__in=dead).update(lease_until=now())
"""
STATES = "result = {job: Job.objects.filter(run=pk, state=job).count() for job in ('done', 'leased', 'failed')}"


def states(installation: Installation, run: int) -> dict[str, int]:
    """How many jobs are done, leased and failed."""
    return installation.python(STATES, pk=run)


def wait_until(installation: Installation, what: str, reached: Callable[[], Any]) -> None:
    wait_for(what, reached, log=installation.folder / "operation.log")


def finishes(lena: Page, run: int) -> None:
    """The page says so by itself, without a reload."""
    lena.goto(f"/p/fb/runs/{run}/")
    expect(lena.locator("#run-state")).to_have_text("Finished")


def beaten(installation: Installation) -> int:
    """When the clock last let a worker show that it is alive, in nanoseconds; 0 before it ever did."""
    alive = installation.folder / "worker-alive"
    return alive.stat().st_mtime_ns if alive.exists() else 0


def start_pause_resume(lena: Page, installation: Installation, model: ModelServer, run: int, *, latency: float) -> None:
    """In a paused run nothing is sent, though the clock rings."""
    before = model.calls.requests
    model.turn(latency=latency)
    lena.get_by_role("button", name="Start").click()
    state = lena.locator("#run-state")
    expect(state).to_have_text("Running")
    wait_until(installation, "the first are done", lambda: states(installation, run)["done"])
    lena.locator("#pause").click()
    expect(state).to_have_text("Paused")
    wait_until(installation, "what was in flight has ended", lambda: not states(installation, run)["leased"])
    sent = model.calls.requests
    assert sent > before
    last = beaten(installation)
    wait_until(installation, "the clock beats", lambda: beaten(installation) > last)
    assert model.calls.requests == sent
    lena.get_by_role("button", name="Resume").click()
    expect(state).to_have_text("Running")


def kill_all_workers(
    installation: Installation, operation: Operation, model: ModelServer, run: int, *, calls: int
) -> list[str]:
    """With so many calls in flight. The supervisor has started others when this returns; the model is quick again.

    Gives the tokens of the dead, who still hold what they had in hand.
    """
    model.turn(latency=2.0)
    wait_until(installation, "calls are in flight", lambda: model.calls.open >= calls)
    killed = operation.kill_workers()
    dead = holders(installation, run)
    free_the_places(installation)
    model.turn(latency=0.02)
    assert killed
    assert dead
    wait_until(installation, "there are other workers", lambda: operation.has_others_than(killed))
    return dead


def holders(installation: Installation, run: int) -> list[str]:
    """The tokens of the workers that have jobs in hand."""
    return installation.python(HOLDING, pk=run)


def let_the_minute_pass(installation: Installation, dead: list[str]) -> None:
    """The leases of these workers are over, if they were not: it goes on as it would in a minute."""
    installation.python(LET_GO, dead=dead)
