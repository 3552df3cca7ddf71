from collections.abc import Iterator

from benchmarks.figures import Figure, at_most
from benchmarks.in_process import asked
from benchmarks.places import DATABASES, installation, project
from tests.support.installation import Installation
from tests.support.samples import write_samples

ABOUT = (
    "The list of items, a lead's view: questions to the database and time at 1,000 and at 100,000 items. The ratio is "
    "that of the times: 1 is alike."
)
FEW, MANY = 1_000, 100_000
PATHS = {
    "first page": "/p/bench/items/",
    "filtered": "/p/bench/items/?state=ready&group=Coding",
    "searched": "/p/bench/items/?q=Nairobi",
    "latest first": "/p/bench/items/?order=changed",
}


def measure() -> Iterator[Figure]:
    for database in DATABASES:
        with installation(database) as place:
            project(place)
            place.python(LEAD)
            few = _measured(place, 0, FEW)
            many = _measured(place, FEW, MANY - FEW)
        for name in PATHS:
            yield at_most(f"{database}, {name}: queries at {FEW:,}", few[name][0], 12)
            yield at_most(f"{database}, {name}: queries at {MANY:,}", many[name][0], 12)
            yield Figure(f"{database}, {name}: time at {MANY:,}", round(many[name][1], 1), unit="ms")
            yield Figure(f"{database}, {name}: ratio of times", round(many[name][1] / few[name][1], 2))


def _measured(place: Installation, start: int, rows: int) -> dict[str, tuple[int, float]]:
    """With so many rows more."""
    place.manage("import_items", "bench", write_samples(place.folder / "rows.jsonl", rows, start), "--no-checks")
    return {name: asked(place, "lead", path, times=15) for name, path in PATHS.items()}


LEAD = """
lead = User.objects.create_user("lead")
Member.objects.create(project=Project.objects.get(slug="bench"), user=lead, role="lead")
"""
