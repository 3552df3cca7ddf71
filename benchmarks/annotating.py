import asyncio
import os
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from benchmarks import crowd
from benchmarks.crowd import Crowd
from benchmarks.figures import Figure, at_least, at_most, exactly
from benchmarks.places import DATABASES, edited_before, installation, project
from tests.support.installation import ROOT, Installation
from tests.support.samples import write_samples
from tests.support.visitors import Visitor

ABOUT = (
    "50 annotators over HTTP, signed in, one connection each, on gunicorn as `make run` starts it (a process a core, "
    "4 requests at a time in each); 50,000 items of 1.2 kB question and answer with code, table and list, suggestion "
    "and difference shown. The clients run on the same cores. pair: a page and its submission; next: the request that "
    "brings the page of the next item, which is the submission itself where the server answers with that page. "
    "BEFORE=FOLDER compares: the server of that tree and of this one work on the same database in turn."
)
PEOPLE, ITEMS = 50, int(os.environ.get("ITEMS", "50_000"))
WARM_UP, SECONDS = 5, 40
BEFORE, TURNS, TURN = os.environ.get("BEFORE"), 2, 15


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        with installation(database) as place:
            project(place)
            rows = write_samples(place.folder / "rows.jsonl", ITEMS)
            place.manage("import_items", "bench", rows, "--no-checks")
            edited_before(place)
            if BEFORE:
                yield from _compared(place, database, Path(BEFORE).resolve())
            else:
                place.serve(workers=None, forked=False)
                yield from asyncio.run(_measure(place, database))


async def _measure(place: Installation, database: str) -> list[Figure]:
    visitors = await crowd.signed_in(place, PEOPLE)
    warming_up = await crowd.work(place, visitors, seconds=WARM_UP, think=0)
    at_once = await crowd.work(place, visitors, seconds=SECONDS, think=0)
    thinking = await crowd.work(place, visitors, seconds=SECONDS, think=2)
    rate = at_once.pairs / at_once.seconds
    return [
        *_speed(at_once, f"{database}, no think time"),
        at_least(f"{database}, no think time: pairs", round(rate, 1), TARGETS[database].pairs, "/s"),
        at_most(f"{database}, no think time: next p95", percentile(at_once, 95), round(1300 * PEOPLE / rate), "ms"),
        at_most(f"{database}, no think time: server's CPU a pair", round(at_once.milliseconds_a_pair, 1), 22, "ms"),
        *_speed(thinking, f"{database}, 2 s think time"),
        at_most(f"{database}, 2 s think time: next p95", percentile(thinking, 95), TARGETS[database].p95, "ms"),
        *_truth(place, database, [warming_up, at_once, thinking]),
    ]


class Targets(NamedTuple):
    """pairs: a second, without think time. p95: of `next` with 2 s of think time, in milliseconds."""

    pairs: float
    p95: float


TARGETS = {"sqlite": Targets(60, 80), "postgres": Targets(45, 120)}


def _compared(place: Installation, database: str, before: Path) -> Iterator[Figure]:
    visitors: list[Visitor] = []
    warming_up: list[Crowd] = []
    runs: dict[str, list[Crowd]] = {"before": [], "after": []}
    for _turn in range(TURNS):
        for name, tree in (("before", before), ("after", ROOT)):
            place.serve(workers=None, forked=False, tree=tree)
            first, measured = asyncio.run(_take_turn(place, visitors))
            place.stop_serving()
            warming_up.append(first)
            runs[name].append(measured)
    for name, crowds in runs.items():
        yield from _turns(f"{database}, {name}", crowds)
    yield from _truth(place, database, [*warming_up, *chain.from_iterable(runs.values())])


async def _take_turn(place: Installation, visitors: list[Visitor]) -> tuple[Crowd, Crowd]:
    """Both trees serve the same people, who sign in once: their sessions are in the database."""
    visitors += [] if visitors else await crowd.signed_in(place, PEOPLE)
    address = urlsplit(place.url)
    for visitor in visitors:
        await visitor.leave()
        visitor.host, visitor.port = str(address.hostname), int(address.port or 80)
    first = await crowd.work(place, visitors, seconds=WARM_UP, think=0)
    return first, await crowd.work(place, visitors, seconds=TURN, think=0)


def _turns(name: str, crowds: list[Crowd]) -> Iterator[Figure]:
    pairs = sum(run.pairs for run in crowds)
    rates = [run.pairs / run.seconds for run in crowds]
    yield Figure(f"{name}: pairs, mean of {TURNS} turns", round(sum(rates) / len(rates), 1), unit="/s")
    processor = 1000 * sum(run.server_seconds for run in crowds) / pairs
    yield Figure(f"{name}: server's CPU a pair", round(processor, 1), unit="ms")
    yield Figure(f"{name}: next p95, slower turn", max(percentile(run, 95) for run in crowds), unit="ms")


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
