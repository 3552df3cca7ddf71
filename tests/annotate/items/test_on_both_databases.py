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


METADATA = """
import csv
from django.test import Client
from annotate.items.queries import ItemFilters, matching, value_counts
from annotate.project.actions import create_project
from annotate.project.pages import column_counts
from tests.support.people import make_item, make_member

asks = "questions: [{name: fine, type: choice, options: [good, bad]}]"
project = create_project(slug="own", kind="form", definition="show: [{field: prompt}]\\n" + asks)
for number, value in enumerate(stored):
    make_item(project, key=f"k-{number}", facts={"prompt": "p"}, metadata={name: value for name in names})
make_item(project, key="without", facts={"prompt": "p"}, metadata={f"{name}x": "c" for name in names})
client = Client(headers={"host": "localhost"})
client.force_login(make_member(project, "lead").user)
result = {}
for name in names:
    found = lambda value: list(
        matching(project, ItemFilters(metadata=name, value=value)).order_by("key").values_list("key", flat=True)
    )
    listed = b"".join(client.get("/p/own/items.csv", {"metadata": name, "value": "c"})).decode("utf-8-sig")
    pages = [client.get("/p/own/items/", {"metadata": name}), client.get("/p/own/", {"by": name})]
    result[name] = {
        "items": found(""),
        "by_value": {value: len(found(value)) for value in asked},
        "counts": dict(value_counts(project, ItemFilters(metadata=name)).counts),
        "states": {row.value: row.total for row in column_counts(project, name, {"ready": len(stored)}).rows},
        "csv": [row["key"] for row in csv.DictReader(listed.splitlines())],
        "pages": [page.status_code for page in pages],
    }
"""
NAMES = [
    '"', 'the "best" one', "a'b", "back\\slash", "2024", "0", "-1", "a.b", "$.a", "$", "{a}", "{}", "{a,b}", "[0]", "%",
    "%s", "%(a)s", "100 %", "模型", "a__b", "model__contains", "?", "a b", " ", "#", "*", "a\nb", "🐈", "x" * 300,
]  # fmt: skip
STORED = [
    "c",
    "c",
    7,
    "7",
    1.5,
    True,
    "",
    None,
    ["c"],
    {"c": 1},
    "100 %",
    "模型",
    '"c"',
    "null",
    "1.50",
    2**53,
    1.0,
    10**20,
]
ONCE = ["1.5", "true", "100 %", "模型", '"c"', "null", "1.50", str(2**53), "1.0", str(10**20)]
COUNTS = {"c": 2, "7": 2, **dict.fromkeys(ONCE, 1)}


def test_metadata_columns_of_any_name_are_filtered_and_counted(installations: Installations, database: str) -> None:
    with installations.migrated(database) as installation:
        rows = installation.python(METADATA, names=NAMES, stored=STORED, asked=[*COUNTS, "d"])
    keys = sorted(f"k-{number}" for number in range(len(STORED)))
    found = COUNTS | {"1.50": 2, "d": 0}  # a text also finds the number that it spells
    wanted = {"items": keys, "by_value": found, "counts": COUNTS, "states": COUNTS}
    wanted |= {"csv": ["k-0", "k-1"], "pages": [200, 200]}
    assert {name: row for name, row in rows.items() if row != wanted} == {}
