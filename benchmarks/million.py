from collections.abc import Iterator

from benchmarks.figures import Figure
from benchmarks.places import DATABASES
from benchmarks.releasing import measure_release

ABOUT = "A release of 1,000,000 rows, streamed. On request only: `python -m benchmarks million`, half an hour or more."
ROWS = 1_000_000


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        yield from measure_release(database, ROWS)
