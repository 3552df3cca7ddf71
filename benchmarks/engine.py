from collections.abc import Iterator
from typing import Any

from benchmarks.figures import Figure, at_least, at_most, exactly
from benchmarks.places import DATABASES, installation
from tests.support.faulty_model import model_process
from tests.support.installation import Installation

ABOUT = (
    "A run of 2,000 calls (1,000 items of two steps, an annotation each) against a server that answers after 200 ms: "
    "the engine with its ledger and all other writes in one process, beside plain aiohttp requests of the same process "
    "just before. Server and database run on the same cores. Planning: 100,000 jobs."
)
CALLS, STEPS, JOBS, LATENCY = 2000, 2, 100_000, 0.2
TARGETS = {50: 0.85, 200: 0.70}


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        for in_flight, target in TARGETS.items():
            yield from measure_run(database, in_flight, target)
        yield from measure_planning(database)


def measure_run(database: str, in_flight: int, target: float, calls: int = CALLS) -> Iterator[Figure]:
    with installation(database) as place, model_process(LATENCY) as url:
        found = _asked(place, RUN, url=url, calls=calls, steps=STEPS, in_flight=in_flight)
    name = f"{database}, {in_flight} in flight"
    yield Figure(f"{name}: plain requests", round(found["plain"]), unit="/s")
    yield Figure(f"{name}: the engine", round(found["engine"]), unit="/s")
    yield at_least(f"{name}: share of plain requests", round(found["engine"] / found["plain"], 3), target)
    yield at_most(f"{name}: memory grows", round(found["grown"]), 120, "MB")
    yield exactly(f"{name}: jobs not done", found["left"], 0)


def measure_planning(database: str, jobs: int = JOBS) -> Iterator[Figure]:
    with installation(database) as place:
        _asked(place, ITEMS, jobs=jobs)
        found = _asked(place, PLAN)
    yield Figure(f"{database}, planning {found['jobs']} jobs: took", round(found["seconds"], 1), unit="s")
    yield at_most(f"{database}, planning {found['jobs']} jobs: memory grows", round(found["grown"]), 50, "MB")


def _asked(place: Installation, code: str, **values: Any) -> Any:
    return place.python(PREPARED + code, **values)


PREPARED = """
import resource, time
from annotate import purposes
from annotate.services import runs
from tests.support.small_purpose import Words, make_endpoint, make_items, planned, states

class Fresh(Words):
    # Nothing is stored twice here, so nobody need look for it.
    def store(self, case, outcome):
        Annotation.objects.create(item=case.item, run_id=case.job.run_id, model="m", draft={"words": outcome})

words = Fresh()
purposes.purposes = lambda: {"words": words}

def megabytes():
    # The most that the process has held so far.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
"""
RUN = """
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

run = planned(make_endpoint(url, max_in_flight=in_flight), items=calls // steps, options={"steps": steps})
runs.start(run, None, ring=False)
in_plain = asyncio.run(plain())
idle, began = megabytes(), time.perf_counter()
runs.work(run)
engine = calls / (time.perf_counter() - began)
left = run.jobs.exclude(state="done").count()
result = {"plain": in_plain, "engine": engine, "grown": megabytes() - idle, "left": left}
"""
ITEMS = """
project = Project.objects.create(slug="many", name="Many", kind_slug="feedback")
make_items(project, jobs)
endpoint = make_endpoint("http://127.0.0.1:9/v1")
planned(endpoint, items=1)  # whatever is loaded for the first run is loaded
"""
PLAN = """
project, endpoint = Project.objects.get(slug="many"), Endpoint.objects.get()
idle, began = megabytes(), time.perf_counter()
run = planned(endpoint, items=0, project=project)
result = {"jobs": run.jobs.count(), "seconds": time.perf_counter() - began, "grown": megabytes() - idle}
"""
