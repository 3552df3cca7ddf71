from collections.abc import Iterator

from benchmarks.commands import run
from benchmarks.figures import Figure, at_most
from benchmarks.growth import PEOPLE
from benchmarks.in_process import looked
from benchmarks.places import DATABASES, installation, project
from tests.support.installation import Installation

ABOUT = (
    "Boards over generated verdicts: milliseconds of CPU of the first look, which has to answer within two seconds or "
    "leave the figures to a worker (202), what the worker needs, and of later looks. Of a million verdicts on request: "
    "`python -m benchmarks million`."
)
AUTHORS, JUDGES, ITEMS = 27, 2, 1_000
BOARDS = ("leaderboard", "checklists", "agreement", "trust", "ranking", "statistics")
FIRST, LATER = 2_000, 300  # ms


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        yield from measure_boards(database, ITEMS)


def measure_boards(database: str, items: int) -> Iterator[Figure]:
    """With the verdicts of two judges on the answers of 27 authors to so many items."""
    with installation(database) as place:
        project(place)
        place.python(PEOPLE)
        verdicts = place.python(LOAD, items=items, authors=AUTHORS, judges=JUDGES)
        for board in BOARDS:
            yield from measure_board(place, f"{database}, {verdicts:,} verdicts", board)


def measure_board(place: Installation, name: str, board: str) -> Iterator[Figure]:
    path = f"/p/bench/{board}/"
    first = looked(place, "lead", path, times=1)
    yield at_most(f"{name}: {board}, first look, {first.status}", round(first.web + first.server), FIRST, "ms")
    if first.status == 202:
        worker = run(place, "reconcile")
        yield Figure(f"{name}: {board}, worker", round(worker.processor, 1), unit="s of CPU")
        yield Figure(f"{name}: {board}, worker's memory", round(worker.peak), unit="MB")
    later = looked(place, "lead", path)
    yield at_most(f"{name}: {board}, later, {later.status}", round(later.web + later.server), LATER, "ms")


LOAD = """
from django.db import connection
from benchmarks.generated import load
from benchmarks.generated_verdicts import load_verdicts

made, people = Project.objects.get(slug="bench"), User.objects.filter(username__startswith="ann")
load(made, list(people.order_by("pk")), count=round(items / 0.89))
result = load_verdicts(made, items=items, authors=authors, judges=judges)
with connection.cursor() as cursor:
    cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
"""
