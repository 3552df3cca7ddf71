"""What waits, and what Ctrl+K finds, on SQLite and on PostgreSQL."""

import pytest

from tests.support.installations import Installations

pytestmark = pytest.mark.slow
ASKED = """
from annotate.doors.pages import targets
from annotate.doors.waiting import waiting_for
from tests.support.people import make_item, make_member, make_project
project = make_project(slug="p", name="Moons of Mars")
lead, annotator, viewer = (make_member(project, role) for role in ("lead", "annotator", "viewer"))
for number in range(3):
    make_item(project, key=f"Moon_{number}")
counts = [waiting_for(member) for member in (lead, annotator, viewer)]
found = {query: [target.title for group in targets(lead.user, lead, query) for target in group.targets]
         for query in ("moon_", "moons", "webhooks", "%")}
result = [[[count.to_annotate, count.to_review, count.unread] for count in counts], found]
"""


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_both_databases_count_and_find_the_same(installations: Installations, database: str) -> None:
    with installations.migrated(database) as installation:
        counts, found = installation.python(ASKED)
    assert counts == [[3, 0, 0], [3, 0, 0], [0, 0, 0]]
    assert found == {
        "moon_": ["Moon_0", "Moon_1", "Moon_2"],
        "moons": ["Moons of Mars"],
        "webhooks": ["Webhooks"],
        "%": [],
    }
