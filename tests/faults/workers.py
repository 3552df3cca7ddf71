"""Workers of an installation, supervised: those that are killed are started again."""

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from tests.support import fork_server
from tests.support.faulty_model import FaultyModel
from tests.support.fork_server import Forked
from tests.support.installation import Installation

APP = "tests.faults.engine_app"
Worker = AbstractContextManager[Forked]


@contextmanager
def process(installation: Installation, *command: str) -> Iterator[Forked]:
    """A process group of its own; all of it is ended in the end."""
    with (installation.folder / "worker.log").open("ab") as log, Path(os.devnull).open() as nothing:
        files = nothing.fileno(), log.fileno(), log.fileno()
        started = fork_server.start(["-m", *command], installation.environment, files, group=True)
    try:
        yield started
    finally:
        kill(started)


def kill(started: Forked) -> None:
    """With all its children, as a machine that loses power does."""
    with suppress(ProcessLookupError):
        os.killpg(started.pid, signal.SIGKILL)
    started.wait(20)


def simple_worker(installation: Installation) -> Worker:
    return process(installation, APP)


def celery_worker(installation: Installation) -> Worker:
    command = ("celery", "--quiet", "-A", APP, "worker", "--concurrency", "2", "--loglevel", "WARNING")
    return process(installation, *command)


def clock(installation: Installation) -> Worker:
    schedule = str(installation.folder / "beat")
    return process(installation, "celery", "--quiet", "-A", APP, "beat", "--pidfile=", "-s", schedule)


class Supervised:
    """A Celery worker that is started again whenever it is gone."""

    def __init__(self, installation: Installation, seed: int = 1) -> None:
        self.installation, self.stack, self.random = installation, ExitStack(), random.Random(seed)
        self.kills = 0
        self.worker = self._started()

    def _started(self) -> Forked:
        return self.stack.enter_context(celery_worker(self.installation))

    def look_after(self) -> None:
        if self.worker.poll() is not None:
            self.worker = self._started()

    def kill_all(self) -> None:
        kill(self.worker)
        self.kills += 1

    def kill_a_child(self) -> None:
        children = psutil.Process(self.worker.pid).children()
        if children:
            self.random.choice(children).kill()
            self.kills += 1

    def close(self) -> None:
        self.stack.close()


FREE = """
from django.utils.timezone import now
result = Place.objects.update(lease_until=now())
"""


def free_the_places(installation: Installation) -> None:
    """The seconds pass in which nobody has the places of workers that were killed; those of others are renewed."""
    installation.python(FREE)


def wait_for(what: str, reached: Any, *, seconds: float = 240, meanwhile: Any = None, log: Path | None = None) -> None:
    until = time.monotonic() + seconds
    while not reached():
        if time.monotonic() > until:
            told = log.read_text()[-4000:] if log is not None and log.exists() else ""
            raise AssertionError(f"not within {seconds} s: {what}\n{told}")
        if meanwhile is not None:
            meanwhile()
        time.sleep(0.05)


PLAN = """
from annotate.engine import purposes
from annotate.runs import actions
from decimal import Decimal
from tests.support.small_purpose import Words, make_endpoint, planned, states
words = Words()
purposes.purposes = lambda: {"words": words}
prices = {"price_in": Decimal(10), "price_out": Decimal(100)}
run = planned(make_endpoint(url, **endpoint, **prices), items=items, options={"steps": steps}, **asked)
actions.start(run, None)
result = run.pk
"""


def started_run(
    installation: Installation,
    model: FaultyModel,
    *,
    items: int,
    steps: int = 1,
    budget: str | None = None,
    **endpoint: Any,
) -> int:
    """A run of the small purpose, started; a call costs 0.002 USD."""
    asked = {} if budget is None else {"budget": budget}
    return installation.python(PLAN, url=model.base_url, items=items, steps=steps, endpoint=endpoint, asked=asked)


STATE = "result = Run.objects.get(pk=pk).state"
# What the ledger says: rows for each question, those that were read, those that never came back, and the run's sums.
LEDGER = """
from collections import Counter
calls = [(c.request["messages"][-1]["content"], c.cause) for c in Call.objects.filter(job__run=pk)]
run = Run.objects.get(pk=pk)
result = {
    "rows": Counter(text for text, _cause in calls),
    "read": Counter(text for text, cause in calls if cause == ""),
    "open": sum(cause is None for _text, cause in calls),
    "states": Counter(run.jobs.values_list("state", flat=True)),
    "causes": Counter(run.jobs.filter(state="failed").values_list("cause", flat=True)),
    "outcomes": Annotation.objects.filter(run=run).count(),
    "attempts": max(Call.objects.filter(job__run=pk).values_list("attempt", flat=True)),
    "calls": run.calls,
    "cost": str(run.cost),
    "tokens": sum(Call.objects.filter(job__run=pk).values_list("tokens_in", flat=True)),
    "tokens_of_run": run.tokens_in,
}
"""


def is_over(installation: Installation, pk: int) -> bool:
    return installation.python(STATE, pk=pk) == "finished"


def ledger_of(installation: Installation, pk: int) -> dict[str, Any]:
    return installation.python(LEDGER, pk=pk)


def never_sent_after_its_reply(ledger: dict[str, Any], model: FaultyModel) -> bool:
    """No question has two replies, and none was received more often than the ledger has rows for it."""
    once = max(ledger["read"].values()) == 1
    return once and all(ledger["rows"].get(text, 0) >= times for text, times in model.received.items())
