import asyncio
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain

from benchmarks import crowd
from benchmarks.crowd import Crowd
from benchmarks.figures import Figure, at_least, at_most, exactly
from benchmarks.places import DATABASES, edited_before, installation, project
from tests.support.installation import Installation
from tests.support.samples import write_samples

ABOUT = (
    "50 annotators over HTTP, signed in, one connection each, on gunicorn as `make run` starts it (a process a core, "
    "4 requests at a time in each); 50,000 items of 1.2 kB question and answer with code, table and list, suggestion "
    "and difference shown. The clients run on the same cores. next: a GET of the whole page; pair: that page and the "
    "POST that hands it in."
)
PEOPLE, ITEMS = 50, 50_000
WARM_UP, SECONDS = 5, 40


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        with installation(database) as place:
            project(place)
            rows = write_samples(place.folder / "rows.jsonl", ITEMS)
            place.manage("import_items", "bench", rows, "--no-checks")
            edited_before(place)
            place.serve(workers=None, forked=False)
            yield from asyncio.run(_measure(place, database))


async def _measure(place: Installation, database: str) -> list[Figure]:
    visitors = await crowd.signed_in(place, PEOPLE)
    warming_up = await crowd.work(visitors, seconds=WARM_UP, think=0)
    at_once = await crowd.work(visitors, seconds=SECONDS, think=0)
    thinking = await crowd.work(visitors, seconds=SECONDS, think=2)
    return [
        *_speed(at_once, f"{database}, no think time"),
        at_least(f"{database}, no think time: pairs", round(at_once.pairs / at_once.seconds, 1), 70, "/s"),
        at_most(f"{database}, no think time: next p95", percentile(at_once, 95), 500, "ms"),
        *_speed(thinking, f"{database}, 2 s think time"),
        at_most(f"{database}, 2 s think time: next p95", percentile(thinking, 95), 80, "ms"),
        *_truth(place, database, [warming_up, at_once, thinking]),
    ]


def percentile(run: Crowd, share: int) -> float:
    pages = sorted(chain.from_iterable(person.pages for person in run.people))
    return round(1000 * pages[min(len(pages) - 1, len(pages) * share // 100)], 1)


def _speed(run: Crowd, when: str) -> list[Figure]:
    return [
        Figure(f"{when}: pairs in all", run.pairs),
        Figure(f"{when}: next p50", percentile(run, 50), unit="ms"),
        Figure(f"{when}: clients' share of one core", round(run.client_share, 2)),
    ]


def _truth(place: Installation, database: str, runs: list[Crowd]) -> list[Figure]:
    holders = defaultdict(set)
    for run in runs:
        for person, seen in enumerate(run.people):
            for slot in seen.slots:
                holders[slot].add(person)
    people = [seen for run in runs for seen in run.people]
    acknowledged = dict(chain.from_iterable(seen.acknowledged.items() for seen in people))
    stored = place.python(STORED)
    differing = sum(stored.get(slot) != acknowledged.get(slot) for slot in stored.keys() | acknowledged.keys())
    return [
        exactly(f"{database}: items held by two", sum(len(each) > 1 for each in holders.values()), 0),
        Figure(f"{database}: items acknowledged", len(acknowledged)),
        exactly(f"{database}: items whose stored and acknowledged text differ", differing, 0),
        exactly(f"{database}: errors", sum(len(seen.errors) for seen in people), 0),
    ]


STORED = """
mine = Annotation.objects.filter(submitted_at__isnull=False, author__isnull=False)
result = {f"/p/bench/work/{slot}/": draft["feedback"] for slot, draft in mine.values_list("slot_id", "draft")}
"""
