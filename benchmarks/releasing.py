import asyncio
import json
import time
from collections.abc import Iterator

import psutil

from benchmarks.commands import Ran, run
from benchmarks.figures import Figure, at_most, exactly
from benchmarks.places import DATABASES, installation, project
from tests.support.installation import Installation
from tests.support.samples import write_samples
from tests.support.visitors import Visitor, sessions

ABOUT = (
    "A release of 50,000 rows: written by export_items, then downloaded from gunicorn. Memory: the most that the "
    "process held, less what it holds for a release of one row, or before the download."
)
ROWS = 50_000


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        yield from measure_release(database, ROWS)


def measure_release(database: str, rows: int) -> Iterator[Figure]:
    with installation(database) as place:
        project(place)
        one = _released(place, 1, start=rows)
        many = _released(place, rows)
        yield exactly(f"{database}: rows", json.loads(many.said)["rows"], rows + 1)
        yield Figure(f"{database}: written in", round(many.seconds, 1), unit="s")
        yield at_most(f"{database}: memory grows while writing", round(many.peak - one.peak), 50, "MB")
        yield at_most(f"{database}: first row is read after", round(place.python(FIRST_ROW), 3), 0.5, "s")
        place.serve(workers=1, forked=False)
        yield from asyncio.run(_download(place, database))


def _released(place: Installation, rows: int, start: int = 0) -> Ran:
    file = write_samples(place.folder / "rows.jsonl", rows, start)
    run(place, "import_items", "bench", file, "--no-checks")
    return run(place, "export_items", "bench", "--state", "any", "--out", place.folder / "release.jsonl", "--json")


async def _download(place: Installation, database: str) -> list[Figure]:
    place.python(LEAD)
    visitor = Visitor.of(place, sessions(place, ["lead"])["lead"])
    await visitor.get("/p/bench/releases/")
    assert place.web is not None
    (worker,) = psutil.Process(place.web.pid).children()
    before, began = worker.memory_info().rss, time.perf_counter()
    first, size, most = 0.0, 0, before
    async for piece in visitor.pieces("/p/bench/releases/2/download/"):
        first = first or time.perf_counter() - began
        size, most = size + len(piece), max(most, worker.memory_info().rss)
    return [
        Figure(f"{database}: size of the download", round(size / 2**20, 1), unit="MB"),
        at_most(f"{database}: first byte of the download after", round(first, 3), 0.5, "s"),
        at_most(f"{database}: memory grows while downloading", round((most - before) / 2**20, 1), 50, "MB"),
    ]


FIRST_ROW = """
import time
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters
from annotate.releases.final_texts import best_texts, released_rows

project, filters = Project.objects.get(slug="bench"), ReleaseFilters(state="any")
began = time.perf_counter()
items = next(actions.chunks(project, filters))
released_rows(project, items, best_texts(items), filters)
result = time.perf_counter() - began
"""
LEAD = """
lead = User.objects.create_user("lead")
Member.objects.create(project=Project.objects.get(slug="bench"), user=lead, role="lead")
"""
