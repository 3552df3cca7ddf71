"""Every dashboard asks the database at most twenty times, and at its first look once more, how many rows there are;
that it does not grow with what it shows is for the tests of each."""

import pytest
from django.core.cache import caches
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.security.addresses import addresses
from tests.security.asking import client_of, path_for
from tests.security.world import World

pytestmark = pytest.mark.django_db

MOST = 20 + 1
DASHBOARDS = {
    "lead": [
        *("agreement", "agreement_units", "agreement_one_page", "trust", "trust_units", "trust_one_page"),
        *("leaderboard", "leaderboard_one_page", "ranking", "studies", "overview"),
        *("pace", "pace_person", "anchoring", "disputes", "precedents", "stale_items", "readiness"),
    ],
    "annotator": ["my_pace", "my_corrections", "my_record"],
}


@pytest.mark.parametrize(("role", "name"), [(role, name) for role, names in DASHBOARDS.items() for name in names])
def test_a_dashboard_asks_at_most_so_often(world: World, role: str, name: str) -> None:
    client, path = client_of(world, role), path_for(world, addresses()[name], role)
    client.get("/preferences/")  # whatever a session begins with
    caches["local"].clear()
    with CaptureQueriesContext(connection) as asked:
        assert client.get(path).status_code == 200
    assert len(asked) <= MOST, [query["sql"][:100] for query in asked]
