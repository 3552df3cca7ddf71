from collections.abc import Iterator

from benchmarks.figures import Figure
from benchmarks.growth import measure_growth
from benchmarks.places import DATABASES
from benchmarks.releasing import measure_release

ABOUT = (
    "A release of 1,000,000 rows, streamed, and the cost of growth up to 1,000,000 generated items on PostgreSQL and "
    "200,000 on SQLite. On request only: `python -m benchmarks million`, an hour or more."
)
ROWS = 1_000_000
SIZES = {"sqlite": (1_000, 200_000), "postgres": (1_000, 1_000_000)}


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        yield from measure_growth(database, SIZES[database])
        yield from measure_release(database, ROWS)
