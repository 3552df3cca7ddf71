from collections.abc import Iterator

from benchmarks.boards import measure_boards
from benchmarks.figures import Figure
from benchmarks.growth import measure_growth
from benchmarks.places import DATABASES
from benchmarks.releasing import measure_release

ABOUT = (
    "A release of 1,000,000 rows, streamed; the cost of growth up to 1,000,000 generated items with 10,000,000 "
    "verdicts on PostgreSQL and 200,000 items on SQLite; and boards over 1,000,000 verdicts. On request only: "
    "`python -m benchmarks million`, some hours."
)
ROWS = 1_000_000
SIZES = {"sqlite": (1_000, 10_000, 100_000, 200_000), "postgres": (1_000, 10_000, 100_000, 1_000_000)}
JUDGED = 18_519  # items; 27 authors and 2 judges make 1,000,026 verdicts


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        yield from measure_growth(database, SIZES[database])
        yield from measure_boards(database, JUDGED)
        yield from measure_release(database, ROWS)
