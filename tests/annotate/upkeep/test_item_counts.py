"""Items are counted by the database, whoever writes them and however."""

from collections import Counter
from collections.abc import Callable

import pytest
from django.db import connection

from annotate.bulk_rows import BulkInsert
from annotate.items import flow
from annotate.models import Item, ItemCount, Project
from annotate.project import overview
from annotate.upkeep.schema_check import check_stored
from tests.support.files import command
from tests.support.installations import Installations
from tests.support.people import make_item, make_project

pytestmark = pytest.mark.django_db


def by_bulk_insert() -> None:
    columns = ("key", "content_hash", "facts", "purpose")
    rows = [(f"copied-{n}", "", {}, "gold" if n % 3 else "work") for n in range(7)]
    BulkInsert(Item, columns, project_id=Project.objects.latest("pk").pk).insert(rows)


def by_plain_sql() -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE annotate_item SET state = 'accepted', purpose = 'gold' WHERE priority = 1")


WRITERS: dict[str, Callable[[], object]] = {
    "a step": lambda: flow.move(Item.objects.earliest("pk"), "dropped", by=None, drop_reason="other"),
    "a bulk insert": by_bulk_insert,
    "plain SQL": by_plain_sql,
    "an update of all": lambda: Item.objects.update(state="reviewing"),
    "an update of something else": lambda: Item.objects.update(priority=3),
    "a move to another project": lambda: Item.objects.update(project=make_project()),
    "a deletion": lambda: Item.objects.earliest("pk").delete(),
    "a deleted project": lambda: Project.objects.latest("pk").delete(),
    "a deleted project with its import": lambda: Project.objects.all().delete(),
}


def two_projects() -> Project:
    make_item(make_project())
    project = make_project()
    for priority in range(3):
        make_item(project, priority=priority)
    return project


def stored() -> Counter[tuple[int, str, str]]:
    totals = ItemCount.objects.all().totals("project", "purpose", "state")
    return Counter({(project, purpose, state): n for project, purpose, state, n in totals})


@pytest.mark.parametrize("writer", WRITERS)
def test_every_change_is_counted(writer: str) -> None:
    two_projects()
    WRITERS[writer]()
    assert stored() == Counter(Item.objects.values_list("project", "purpose", "state"))
    assert not [fault for fault in check_stored().faults if not fault["key"]]


def test_the_overview_counts_work_items_by_state_and_the_others_together() -> None:
    project = two_projects()
    by_bulk_insert()
    states = overview.states(project)
    assert (states.counts, states.aside) == (Counter(ready=3, imported=3), 4)


def test_a_wrong_count_is_named_and_mended() -> None:
    project = two_projects()
    other = Project.objects.earliest("pk")
    ItemCount.objects.filter(project=project, state="ready").update(items=5)
    code, report, message = command("check_items", project.slug)
    assert code == 1
    assert [(fault["project"], fault["key"]) for fault in report["faults"]] == [(project.slug, "")]
    assert f"{project.slug} number of work items that are ready: is stored as 5, but there are 3." in message
    assert "manage.py check_items --recount" in message
    assert command("check_items", other.slug)[0] == 0
    assert command("check_items", "--recount")[0] == 0
    assert stored() == {(project.pk, "work", "ready"): 3, (other.pk, "work", "ready"): 1}


def test_every_trigger_is_there_after_all_migrations() -> None:
    """A migration that copies the table of items on SQLite drops them, and nothing would be counted any more."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        names = {name for (name,) in cursor.fetchall()}
    assert {f"{event}s_of_items_are_counted" for event in ("insert", "update", "delete")} <= names


SHARED = """
from collections import Counter
from annotate.models import Item, ItemCount, Project
from tests.annotate.upkeep.test_item_counts import WRITERS, stored, two_projects
"""
EVERY_WRITER = f"""{SHARED}
def right():
    return stored() == Counter(Item.objects.values_list("project", "purpose", "state"))

wrong = []
for name, write in WRITERS.items():
    two_projects()
    write()
    wrong += [] if right() else [name]
    Project.objects.all().delete()
two_projects()
result = wrong
"""
WHILE_OTHERS_WRITE = f"""{SHARED}
import psycopg
from django.conf import settings
from django.db import connection

project = two_projects()
first, second, third = Item.objects.filter(project=project).order_by("pk").values_list("pk", flat=True)
with psycopg.connect(**connection.get_connection_params() | dict(cursor_factory=psycopg.ClientCursor)) as other:
    other.execute("UPDATE annotate_item SET state = 'accepted' WHERE id = %s", [first])
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '1s'")
        cursor.execute("UPDATE annotate_item SET state = 'accepted' WHERE id = %s", [second])
    other.execute("UPDATE annotate_item SET state = 'accepted' WHERE id = %s", [third])
rows = ItemCount.objects.filter(project=project, state="accepted").count()
result = [stored()[project.pk, "work", "accepted"], rows]
"""
SUMS = f"""{SHARED}
result = sorted([list(key), n] for key, n in stored().items())
"""


@pytest.mark.slow
def test_both_databases_count_alike(installations: Installations, database: str) -> None:
    """Whoever writes; and the migration counts what is there."""
    with installations.migrated(database) as installation:
        assert installation.python(EVERY_WRITER) == []
        before = installation.python(SUMS)
        assert before
        installation.manage("migrate", "annotate", "0051")
        installation.manage("migrate", "annotate")
        assert installation.python(SUMS) == before


@pytest.mark.slow
def test_people_who_submit_at_the_same_time_do_not_wait_for_each_other(installations: Installations) -> None:
    with installations.migrated("postgres") as installation:
        assert installation.python(WHILE_OTHERS_WRITE) == [3, 2]
