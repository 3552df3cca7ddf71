from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.figures import RESULTS, Figure, at_most, exactly
from benchmarks.in_process import Look, looked
from benchmarks.places import DATABASES, installation, project
from tests.support.installation import Installation

ABOUT = (
    "The cost of growth: a generated project (see `benchmarks/generated.py`) with 1,000, 10,000 and 100,000 items, a "
    "tenth of them with ten verdicts on each of ten answers. Milliseconds of CPU, here and in the database server "
    "together, for a claim and for pages of a lead, beside twice the time at 1,000; microseconds of CPU in the writing "
    "process for each row of a release. `results/plans-….txt` has the plans of the slowest statements. Also on "
    "request, up to a million items on PostgreSQL: `python -m benchmarks million`."
)
SIZES = (1_000, 10_000, 100_000)
AUTHORS, JUDGES, JUDGED_SHARE = 10, 10, 0.1
CHECKED = 10_000  # items; `check_items` reads all of them
LONG_RELEASE = 200_000  # items; beyond them a release of the items in German and Spanish is written
SEARCHES = {
    "a word in a thousandth": "xylophone",
    "a word in most": "reason",
    "two Chinese characters, in a thousandth": "罕见",
    "one Chinese character, in a third": "明",
    "two Chinese characters, in many": "说明",
    "no hit": "quartz",
    "no hit, of frequent pieces": "reasonly theread",
}
PATHS = {
    "list": "/p/bench/items/",
    "list, filtered": "/p/bench/items/?state=accepted&group=Coding",
    **{f"search, {name}": f"/p/bench/items/?q={words}" for name, words in SEARCHES.items()},
    "overview": "/p/bench/",
    "releases": "/p/bench/releases/",
    "leaderboard": "/p/bench/leaderboard/",
}


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        yield from measure_growth(database, SIZES)


def measure_growth(database: str, sizes: tuple[int, ...]) -> Iterator[Figure]:
    with installation(database) as place:
        project(place)
        place.python(PEOPLE)
        loaded, first = 0, dict[str, float]()
        for size in sizes:
            yield from measure_size(place, database, loaded, size, first)
            loaded = size


def measure_size(
    place: Installation, database: str, loaded: int, size: int, first: dict[str, float]
) -> Iterator[Figure]:
    """Load up to this size and measure. first: name -> milliseconds at the smallest size, which fills it."""
    name = f"{database}, {size:,} items"
    for what, rate in load(place, size - loaded, loaded).items():
        yield Figure(f"{name}: {what} a second of CPU here", round(rate), unit="/s")
    claim = place.python(NEXT)
    yield at_most(f"{name}: next", round(claim, 1), round(2 * first.setdefault("next", claim), 1), "ms")
    for page, path in PATHS.items():
        look = looked(place, "lead", path)
        _write_plans(RESULTS / f"plans-{database}.txt", f"{name}: {page}", look)
        target = 200 if page.startswith("search") else 2 * first.setdefault(page, look.web + look.server)
        answer = "" if look.status == 200 else f", status {look.status}"
        about = f"{name}: {page}{answer} ({look.server:.1f} ms of it in the server, {look.queries} queries)"
        yield at_most(about, round(look.web + look.server, 1), round(target, 1), "ms")
    languages = [] if size <= LONG_RELEASE else ["de", "es"]
    yield Figure(f"{name}: a row of a release", round(place.python(RELEASE, languages=languages), 1), unit="µs")
    if size <= CHECKED:
        yield exactly(f"{name}: faults of `check_items`", place.python(FAULTS), 0)


def load(place: Installation, count: int, start: int) -> dict[str, float]:
    """Add items and verdicts; returns rows for each second of CPU in the loading process."""
    rates: dict[str, float] = place.python(
        LOAD, count=count, start=start, judged=round(count * JUDGED_SHARE), authors=AUTHORS, judges=JUDGES
    )
    return rates


def _write_plans(path: Path, name: str, look: Look) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as file:
        for seconds, plan in look.plans:
            file.write(f"\n== {name}: {seconds} s\n{_lines(plan)}\n")


def _lines(plan: Any) -> str:
    return plan if isinstance(plan, str) else "\n".join(plan)


PEOPLE = """
project = Project.objects.get(slug="bench")
for name, role in (("lead", "lead"), *((f"ann{number}", "reviewer") for number in range(6))):
    Member.objects.create(project=project, user=User.objects.create_user(name), role=role)
"""
LOAD = """
import time
from django.db import connection
from annotate.engine.chores import all_chores
from benchmarks.generated import load
from benchmarks.generated_verdicts import load_verdicts

project, rates = Project.objects.get(slug="bench"), {}
people = list(User.objects.filter(username__startswith="ann").order_by("pk"))
began = time.process_time()
load(project, people, count=count, start=start)
rates["items loaded"] = count / (time.process_time() - began)
began = time.process_time()
verdicts = load_verdicts(project, items=judged, authors=authors, judges=judges)
rates["verdicts loaded"] = verdicts / (time.process_time() - began)
began = time.process_time()
all_chores()["index_items"].work(project.pk, whole=True)
rates["items indexed"] = count / (time.process_time() - began)
with connection.cursor() as cursor:
    cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
result = rates
"""
NEXT = """
import time
from pathlib import Path
from django.db import connection
from annotate.items import queue

def server_seconds():
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(Path(f"/proc/{cursor.fetchone()[0]}/schedstat").read_text().split()[0]) / 1e9

members = list(Member.objects.filter(role="reviewer").select_related("project", "user"))
Slot.objects.filter(state="held").update(state="open", holder=None, token=None, lease_until=None)
queue.claim_next(members[0], "annotate")
began = time.process_time() + server_seconds()
for member in members[1:]:
    assert queue.claim_next(member, "annotate") is not None
result = 1000 * (time.process_time() + server_seconds() - began) / len(members[1:])
"""
RELEASE = """
import time
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters

filters = ReleaseFilters(languages=languages)
planned = actions.plan(project=Project.objects.get(slug="bench"), filters=filters, by=None)
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
