"""Every migration, backward and forward one by one, on a database with work in it."""

import pytest

from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = [pytest.mark.slow, pytest.mark.long]


def test_the_tables_are_what_the_models_say(installations: Installations) -> None:
    with installations.migrated("sqlite") as installation:
        assert "No changes" in installation.manage("makemigrations", "--check", "--dry-run").stdout


def test_every_migration_keeps_what_people_have_done(installations: Installations, database: str) -> None:
    """The rows, in the columns that were there from the beginning, are the same at every step."""
    with installations.migrated(database) as installation:
        installation.manage("seed_demo", "--live")  # without thousands of calls, which every step would read
        items = installation.python("result = Item.objects.count()")
        steps = installation.python(WALK)
        assert installation.manage("check_items", check=False).returncode == 0
        assert installation.manage("migrate", "--check", check=False).returncode == 0
    assert len(steps) > 2
    assert steps[-1][0].startswith("apply_success")
    assert len(steps) % 2, "as many forward as backward"
    assert all(rows == steps[0][1] for _name, rows in steps)
    assert steps[0][1]["annotate.item"][0] == items > 0


def test_what_earlier_versions_stored_is_known_to_this_one(installations: Installations, database: str) -> None:
    """One version after the other: the way back to the first of them takes longest."""
    with installations.migrated(database) as installation:
        slots_made_for_one_person_are_known_by_a_column(installation)
        events_of_a_reopening_are_known_by_a_key(installation)
        problems_of_imports_follow_the_reworded_texts(installation)


def test_slots_of_items_that_belong_together_get_their_unit(installations: Installations, database: str) -> None:
    """Of the slots as version 0043 wrote them, in a project whose newest definition names a unit."""
    with installations.migrated(database) as installation:
        units, today, columns = installation.python(MIGRATING + UNITS, before="0043_columns_of_the_list")
    assert units == [today, today, None, None, None]
    assert "unit" not in columns


def slots_made_for_one_person_are_known_by_a_column(installation: Installation) -> None:
    """Of the slots as version 0028 wrote them, those that were numbered from 1000 on."""
    own, columns = installation.python(MIGRATING + OWN_SLOTS, before="0028_run_texts")
    assert own == [["annotate", 1000, "open"], ["annotate", 32000, "submitted"]]
    assert "own" not in columns


def events_of_a_reopening_are_known_by_a_key(installation: Installation) -> None:
    """Of the events as version 0030 wrote them, those with its note: whatever the language it was written in."""
    events, columns = installation.python(MIGRATING + REOPENINGS, before="0030_mark_own_slots")
    assert events == [
        ["reopened", "English"],
        ["reclosed", "English"],
        ["reopened", "Chinese"],
        ["accepted", None],
        ["reopened", None],
        ["reopened", None],
    ]
    assert "reopening_id" not in columns


def problems_of_imports_follow_the_reworded_texts(installation: Installation) -> None:
    """Of the problems as version 0033 wrote them: sentences, sentences among their values, and texts of others."""
    sentences, untouched = installation.python(MIGRATING + PROBLEMS, before="0033_plain_labels")
    line = {"id": "line %(line)s", "values": {"line": 7}}
    key_text, look_text = "The key “%(key)s” is already in %(where)s; that one is used.", "contains what looks like"
    assert sentences[0] == {"id": key_text, "values": {"key": "The file holds no rows.", "where": line}}
    assert sentences[1]["id"].startswith(look_text)
    assert sentences[1]["values"]["what"] == {"id": "an IP address", "values": {}}
    assert sentences[2] == {"id": "unknown", "values": {}}
    assert sentences[3] is None
    assert untouched == ["old text", [], 1]


def test_saved_views_of_boards_go_into_the_shared_table_and_back(installations: Installations, database: str) -> None:
    """Of the views as boards stored them, with a board's name and options."""
    with installations.migrated(database) as installation:
        shared, back = installation.python(MIGRATING + SAVED_VIEWS, before="0041_tours")
    assert shared == [["Strict", "trust", "epsilon=0.05", True, "ada-0041_tours"]]
    assert back == [["Strict", "trust"]]


MIGRATING = """
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

def migrated(name):
    MigrationExecutor(connection).migrate([("annotate", name)])
    return MigrationExecutor(connection).loader.project_state([("annotate", name)]).apps.get_model

def columns(table):
    with connection.cursor() as cursor:
        return [column.name for column in connection.introspection.get_table_description(cursor, table)]

old = migrated(before)
ada = old("annotate", "User").objects.create(username=f"ada-{before}")
project = old("annotate", "Project").objects.create(slug=before, name="Old", kind_slug="feedback")
item = old("annotate", "Item").objects.create(
    project=project, key="k", title="t", facts={}, content_hash="k", state="accepted", purpose="calibration")
"""
OWN_SLOTS = """
for stage, no, state, person in [("annotate", 1, "submitted", None), ("annotate", 999, "open", None),
                                 ("annotate", 1000, "open", ada), ("annotate", 32000, "submitted", None),
                                 ("adjudicate", 1, "open", None)]:
    old("annotate", "Slot").objects.create(
        item=item, project=project, stage=stage, round=1, no=no, state=state, reserved_for=person)
new = migrated("0030_mark_own_slots")
own = new("annotate", "Slot").objects.filter(own=True).order_by("no")
result = [[list(row) for row in own.values_list("stage", "no", "state")]]
migrated(before)
result.append(columns("annotate_slot"))
"""
REOPENINGS = """
from datetime import timedelta
from django.utils import timezone

guideline = old("annotate", "Guideline").objects.create(project=project, version=2, text="Be kind.")
notes = {"English": "Guidelines, version 2 (reopening 1): Kinder.", "Chinese": "指南第 2 版（重新开放 2）", "none": ""}
now = timezone.now()
pks = {old("annotate", "Reopening").objects.create(
    project=project, guideline=guideline, note=note, state="done", ended_at=now).pk: name
    for name, note in notes.items()}
for verb, note, at in [("reopened", notes["English"], now), ("reclosed", notes["English"], now),
                       ("reopened", notes["Chinese"], now), ("accepted", notes["English"], now),
                       ("reopened", "", now), ("reopened", notes["English"], now - timedelta(days=1))]:
    old("annotate", "Event").objects.create(
        item=item, project=project, verb=verb, note=note, at=timezone.now() if at == now else at)
new = migrated("0032_link_events_to_reopenings")
events = new("annotate", "Event").objects.order_by("pk").values_list("verb", "reopening")
result = [[[verb, pks.get(key)] for verb, key in events]]
migrated(before)
result.append(columns("annotate_event"))
"""
PROBLEMS = """
said = [
    {"id": "The key “%(key)s” stands in %(where)s already; that one counts.",
     "values": {"key": "The file holds no rows.", "where": {"id": "line %(line)s", "values": {"line": 7}}}},
    {"id": "holds what looks like %(what)s (%(shown)s). Is it meant to be there?",
     "values": {"what": {"id": "an address of a computer", "values": {}}, "shown": "1.•••"}},
    {"id": "unknown", "values": {}}, None]
batch = {"project": project, "file_name": "a.jsonl", "format": "jsonl"}
problems = [{"file": "a.jsonl", "line": 1, "path": "", "message": "old text", "level": "error"}
            | ({"said": sentence} if sentence else {}) for sentence in said]
kept = old("annotate", "Batch").objects.create(**batch, problems=problems)
old("annotate", "Batch").objects.create(**batch)
new = migrated("0034_reword_stored_problems")
rows = list(new("annotate", "Batch").objects.order_by("pk").values_list("problems", flat=True))
result = [[problem.get("said") for problem in rows[0]], [rows[0][0]["message"], rows[1]]]
migrated(before)
result[1].append(old("annotate", "Batch").objects.filter(pk=kept.pk, problems=rows[0]).count())
"""
UNITS = """
from annotate.items.slots import unit_digest

texts = ["show: [{field: a}]\\nquestions: [{name: q, type: text}]\\n" + unit for unit in ("unit: b", "unit: doc")]
for version, text in enumerate(texts, start=1):
    old("annotate", "Definition").objects.create(project=project, version=version, text=text)
for n, (doc, stage) in enumerate([("d", "annotate"), ("d", "annotate"), ("", "annotate"), (None, "annotate"),
                                  ("d", "adjudicate")]):
    told = old("annotate", "Item").objects.create(project=project, key=f"k{n}", title="t", facts={"a": "x"},
        metadata={"doc": doc} if doc is not None else None, content_hash=str(n), state="ready")
    old("annotate", "Slot").objects.create(item=told, project=project, stage=stage, round=1)
new = migrated("0045_fill_units")
units = list(new("annotate", "Slot").objects.order_by("pk").values_list("unit", flat=True))
class Named:
    pk = project.pk
    class kind:
        unit_of = staticmethod(lambda facts, metadata: "d")
result = [units, unit_digest(Named, {}, {})]
migrated(before)
result.append(columns("annotate_slot"))
"""
SAVED_VIEWS = """
def judging(name):
    MigrationExecutor(connection).migrate([("judging", name)])
    return MigrationExecutor(connection).loader.project_state([("judging", name)]).apps.get_model

boards = judging("0013_changes_are_counted")
boards("judging", "SavedView").objects.create(
    project_id=project.pk, owner_id=ada.pk, name="Strict", page="trust", query="epsilon=0.05", shared=True)
views = judging("0015_drop_saved_views")("annotate", "SavedView").objects
result = [[list(row) for row in views.values_list("name", "page", "query", "shared", "owner__username")]]
boards = judging("0013_changes_are_counted")
result.append([list(row) for row in boards("judging", "SavedView").objects.values_list("name", "page")])
"""
WALK = """
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from annotate.upkeep.backups import fingerprint

graph = MigrationExecutor(connection).loader.graph
[newest] = graph.leaf_nodes("annotate")
names = [name for app, name in graph.forwards_plan(newest) if app == "annotate"]
# What judges said goes with its tables, which stand on those of annotate; they come back empty at the end.
others = [node for node in graph.leaf_nodes() if node[0] == "judging"]


apps = MigrationExecutor(connection).loader.project_state([("annotate", names[0])]).apps
first = [model._meta for model in apps.get_models() if model._meta.app_label == "annotate"]

def stored(table):
    quote = connection.ops.quote_name
    columns = ", ".join(quote(field.column) for field in table.concrete_fields)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM {quote(table.db_table)} ORDER BY {quote(table.pk.column)}")
        return [repr(row).encode() for row in cursor]

def rows():
    return {table.label_lower: fingerprint(stored(table)) for table in first}

def look(action, migration=None, fake=False):
    if action.endswith("apply_success") and migration.app_label == "annotate":
        result.append([f"{action} {migration.name}", rows()])

result = [["newest", rows()]]
for targets in [[("annotate", names[0])], [newest], others]:
    MigrationExecutor(connection, look).migrate(targets)
"""
