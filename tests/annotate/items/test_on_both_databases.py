"""What the queue reads: in the order of times that may be missing, which SQLite sorts last and PostgreSQL first; and by
which index.
"""

import pytest

from tests.support.installations import Installations

pytestmark = pytest.mark.slow
VOTES = """
from annotate.items import queue
from annotate.models import Slot
from annotate.work import submit
from tests.support.people import make_item, make_member, make_project, written
from tests.support.studies import prefers, vote

pair = {"prompt": "How many legs has a spider?", "first": "Eight.", "second": "Six."}
project = make_project(kind_slug="preference", overlap=1, reviews=0, options={"apart": 2})
member = make_member(project)
items = []
for _number in range(2):
    items.append(make_item(project, facts=pair))
    vote(member, prefers("first"))
make_item(project, facts=pair)
slot = queue.claim_next(member, "annotate")
draft = written(slot, member, prefers("first"))
repetition = Slot.objects.filter(item=make_item(project, facts=pair, parent=items[0]))
result = [queue.within_reach(member, repetition).exists()]
submit.submit(annotation=draft, token=slot.token, by=member.user)
result.append(queue.within_reach(member, repetition).exists())
"""


def test_a_draft_is_no_answer_that_brings_a_repetition_nearer(installations: Installations, database: str) -> None:
    """Two answers must follow the first one; one was handed in, the other is a draft at first."""
    with installations.migrated(database) as installation:
        assert installation.python(VOTES) == [False, True]


PLANS = """
from django.db import connection
from django.utils import timezone
from annotate.items import queue
from annotate.models import Project, Slot, UnitTurn
from annotate.models.work import turn_of_another
from tests.support.people import make_member
from tests.support.units import documents

project, user = documents(), 0
member = make_member(project)
items = [Item(project=project, key=f"k{n}", facts={"sentence": "s" * 400}, metadata={"doc": f"d{n // 4}"},
              content_hash=str(n), state="ready") for n in range(4000)]
items = Item.objects.bulk_create(items)
Slot.objects.bulk_create(Slot(item=item, project=project, stage="annotate", round=1, unit=f"u{n // 4}")
                         for n, item in enumerate(items))
with connection.cursor() as cursor:
    cursor.execute("ANALYZE")
now = timezone.now()
place = {"project": project.pk, "user": member.user_id, "now": now}
result = {
    "alone": queue._annotating_window.build(**place).explain(),
    "window": queue._unlimited_window_of_units.build(**place).explain(),
    "rest": queue._unlimited_rest.build(**place, unit="u7", no=1).explain(),
}
"""


def test_the_queue_reads_its_indexes(installations: Installations, database: str) -> None:
    """And projects without units none of the tables and indexes that are for units."""
    with installations.migrated(database) as installation:
        plans = installation.python(PLANS)
    assert "open_slots_in_order" in plans["alone"]
    assert "unit" not in plans["alone"]
    assert "open_slots_in_order" in plans["window"]
    assert "open_slots_by_unit" in plans["rest"]
