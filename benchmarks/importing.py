import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.commands import run
from benchmarks.figures import Figure, at_least, at_most, exactly
from benchmarks.places import DATABASES, installation, project
from tests.support.installation import Installation
from tests.support.samples import write_samples

ABOUT = (
    "import_items of 50,000 rows with a suggestion each (1.3 kB a line), with and "
    "without looking for personal data and languages. Memory: the most that the process held, less what it holds for "
    "one row."
)
ROWS = 50_000


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        yield from _measure(database, "checks off", ["--no-checks"], rows_a_second=6000)
        yield from _measure(database, "all checks on", [], rows_a_second=1500)


def _measure(database: str, how: str, options: list[str], *, rows_a_second: int) -> Iterator[Figure]:
    with installation(database) as place:
        project(place)
        one = run(place, "import_items", "bench", _file(place, 1, start=ROWS), *options)
        many = run(place, "import_items", "bench", _file(place, ROWS), "--json", *options)
    name = f"{database}, {how}"
    yield exactly(f"{name}: rows kept", json.loads(many.said)["kept"], ROWS)
    yield at_least(f"{name}: rows a second", round(ROWS / many.seconds), rows_a_second, "/s")
    yield at_most(f"{name}: memory grows", round(many.peak - one.peak), 100, "MB")


def _file(place: Installation, rows: int, start: int = 0) -> Path:
    return write_samples(place.folder / f"{rows}.jsonl", rows, start, brief=True)
