import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

from benchmarks.figures import Figure, at_least, at_most, exactly
from benchmarks.places import DATABASES, installation
from tests.support.faulty_model import GOOD, model_process
from tests.support.installation import Installation

ABOUT = (
    "A run of 2,000 calls (1,000 items of two steps, an annotation each) against a server that answers after 200 ms: "
    "the engine with its ledger and all other writes, in as many processes as it rings for, beside plain aiohttp "
    "requests of one process just before. Server and database run on the same cores. Planning: 100,000 jobs."
)
CALLS, STEPS, JOBS, LATENCY = 2000, 2, 100_000, 0.2
TARGETS = {50: 0.85, 200: 0.70}


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        for in_flight, target in TARGETS.items():
            yield from measure_run(database, in_flight, target)
        yield from measure_planning(database)


def measure_run(
    database: str,
    in_flight: int,
    target: float,
    calls: int = CALLS,
    *,
    run: str | None = None,
    work: str | None = None,
    ready: str = "",
    says: str = GOOD,
) -> Iterator[Figure]:
    """run: code that plans and starts a run of as many calls. work: works it. says: what the model always answers.

    ready: code that loads what a worker has loaded after its first run; the plain requests begin as warm.
    """
    with ExitStack() as stack:
        place, url = stack.enter_context(installation(database)), stack.enter_context(model_process(LATENCY, says))
        key, wanted = _asked(place, run or RUN, url=url, calls=calls, steps=STEPS, in_flight=in_flight)
        workers = [stack.enter_context(_process(place)) for _worker in range(wanted)]
        idle = [_asked(worker, ready + READY, pk=key) for worker in workers]
        plain = _asked(place, PLAIN, url=url, calls=calls, in_flight=in_flight)
        began = time.perf_counter()
        with ThreadPoolExecutor(wanted) as threads:
            peaks = list(threads.map(lambda worker: worker.python(work or WORK), workers))
        engine = calls / (time.perf_counter() - began)
        left = _asked(place, LEFT, pk=key)
    name = f"{database}, {in_flight} in flight"
    yield Figure(f"{name}: plain requests", round(plain), unit="/s")
    yield Figure(f"{name}: the engine, {wanted} process(es)", round(engine), unit="/s")
    yield at_least(f"{name}: share of plain requests", round(engine / plain, 3), target)
    grown = max(peak - before for peak, before in zip(peaks, idle, strict=True))
    yield at_most(f"{name}: memory of a process grows", round(grown), 120, "MB")
    yield exactly(f"{name}: jobs not done", left, 0)


def measure_planning(database: str, jobs: int = JOBS) -> Iterator[Figure]:
    with installation(database) as place:
        _asked(place, ITEMS, jobs=jobs)
        with _process(place) as planner:  # which has held nothing large before
            found = _asked(planner, PLAN)
    yield Figure(f"{database}, planning {found['jobs']} jobs: took", round(found["seconds"], 1), unit="s")
    yield at_most(f"{database}, planning {found['jobs']} jobs: memory grows", round(found["grown"]), 50, "MB")


@contextmanager
def _process(place: Installation) -> Iterator[Installation]:
    """Another process of the same installation."""
    other = Installation(place.folder, place.database_url)
    try:
        yield other
    finally:
        other.close()


def _asked(place: Installation, code: str, **values: Any) -> Any:
    return place.python(PREPARED + code, **values)


PREPARED = """
import resource, time
from annotate.engine import purposes
from annotate.runs import actions, execution, plan
from tests.support.small_purpose import Words, make_endpoint, make_items, planned, states

class Fresh(Words):
    # Nothing is stored twice here, so nobody need look for it.
    def store(self, case, outcome):
        Annotation.objects.create(item=case.item, run_id=case.job.run_id, model="m", draft={"words": outcome})

found = {**purposes.purposes(), "words": Fresh()}
purposes.purposes = lambda: found

def megabytes():
    # The most that the process has held so far.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
"""
RUN = """
run = planned(make_endpoint(url, max_in_flight=in_flight), items=calls // steps, options={"steps": steps})
actions.start(run, None, ring=False)
result = run.pk, execution.workers_wanted(run.endpoint)
"""
READY = """
from annotate.engine.client import Client
execution.progress(Run.objects.get(pk=pk))
Client(Run.objects.get(pk=pk).endpoint)  # the first of a process imports what it speaks with
result = megabytes()
"""
PLAIN = """
import aiohttp, asyncio

async def plain():
    body = {"model": "m", "messages": [{"role": "user", "content": "item/1 step 0"}]}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=in_flight)) as session:
        async def ask():
            async with session.post(url + "/chat/completions", json=body) as response:
                await response.json()
        began = time.perf_counter()
        await asyncio.gather(*(ask() for _call in range(calls)))
        return calls / (time.perf_counter() - began)

result = asyncio.run(plain())
"""
LEFT = "result = Run.objects.get(pk=pk).jobs.exclude(state='done').count()"
WORK = (
    PREPARED
    + """
execution.work(Run.objects.get())
result = megabytes()
"""
)
ITEMS = """
project = Project.objects.create(slug="many", name="Many", kind_slug="feedback")
make_items(project, jobs)
make_endpoint("http://127.0.0.1:9/v1")
"""
PLAN = """
project, endpoint = Project.objects.get(slug="many"), Endpoint.objects.get()
planned(endpoint, items=1)  # whatever is loaded for the first run is loaded
idle, began = megabytes(), time.perf_counter()
run = planned(endpoint, items=0, project=project)
result = {"jobs": run.jobs.count(), "seconds": time.perf_counter() - began, "grown": megabytes() - idle}
"""
