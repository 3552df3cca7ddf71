from collections.abc import Iterator

from benchmarks.figures import Figure, at_most
from benchmarks.in_process import asked
from benchmarks.places import DATABASES, installation, project
from tests.support.installation import Installation

ABOUT = (
    "The cost of growth: a generated project (see `benchmarks/generated.py`) with 1,000, 10,000 and 100,000 items. "
    "Milliseconds of the server for a claim and for pages of a lead, the larger ones beside the time at 1,000; "
    "microseconds of CPU in the writing process for each row of a release. Also on request, up to a million items on "
    "PostgreSQL: `python -m benchmarks million`."
)
SIZES = (1_000, 10_000, 100_000)
PATHS = {"list": "/p/bench/items/", "overview": "/p/bench/", "releases": "/p/bench/releases/"}


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        yield from measure_growth(database, SIZES)


def measure_growth(database: str, sizes: tuple[int, ...]) -> Iterator[Figure]:
    with installation(database) as place:
        project(place)
        place.python(PEOPLE)
        loaded, first = 0, dict[str, float]()
        for size in sizes:
            place.python(LOAD, start=loaded, count=size - loaded)
            loaded = size
            for name, milliseconds in _times(place).items():
                label, target = f"{database}, {size:,} items: {name}", 2 * first.setdefault(name, milliseconds)
                yield at_most(label, round(milliseconds, 1), round(target, 1), "ms")
            yield Figure(f"{database}, {size:,} items: a row of a release", round(place.python(RELEASE), 1), unit="µs")
            yield Figure(f"{database}, {size:,} items: faults of `check_items`", place.python(FAULTS))


def _times(place: Installation) -> dict[str, float]:
    pages = {name: asked(place, "lead", path, times=15)[1] for name, path in PATHS.items()}
    return {"next": place.python(NEXT)} | pages


PEOPLE = """
project = Project.objects.get(slug="bench")
for name, role in (("lead", "lead"), *((f"ann{number}", "reviewer") for number in range(6))):
    Member.objects.create(project=project, user=User.objects.create_user(name), role=role)
"""
LOAD = """
from benchmarks.generated import load

people = list(User.objects.filter(username__startswith="ann").order_by("pk"))
load(Project.objects.get(slug="bench"), people, count=count, start=start)
"""
NEXT = """
import statistics, time
from annotate.items import queue

took = []
for member in Member.objects.filter(role="reviewer").select_related("project", "user"):
    began = time.perf_counter()
    slot = queue.claim_next(member, "annotate")
    took.append(1000 * (time.perf_counter() - began))
    assert slot is not None
result = statistics.median(took)
"""
RELEASE = """
import time
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters

planned = actions.plan(project=Project.objects.get(slug="bench"), filters=ReleaseFilters(), by=None)
claimed = actions.leases.claim(planned.pk)
began = time.process_time()
rows = actions.write(claimed).rows
result = 1e6 * (time.process_time() - began) / rows
"""
FAULTS = """
from annotate.upkeep.schema_check import check_stored

report = check_stored(Project.objects.get(slug="bench"))
result = len(report.faults) + report.unlisted
"""
