"""A backup of a whole installation, restored on either database, is the same row by row and file by file."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = [pytest.mark.slow, pytest.mark.postgres]

UNUSUAL = """
item = Item.objects.order_by("pk").first()
item.facts["user_query"] = "\\u2028 \\U0001f469\\u200d\\U0001f467 \\u200fעברית\\u200f \\x01 e\\u0301 \\r\\n"
item.save()
draft = Annotation.objects.filter(item=item).first()
Annotation.objects.filter(pk=draft.pk).update(draft={"b": [1, 1.0, 0.1, 1e-7, 1e22, 2**70, None, True], "a": {}})
Release.objects.create(project_id=item.project_id, version=1, stored_as="releases/1.jsonl")
"""


def fill(installation: Installation) -> None:
    """The demo with its two weeks of work, texts and numbers that databases treat differently, and files."""
    installation.manage("seed_demo")
    installation.python(UNUSUAL)
    releases = installation.folder / "files" / "releases"
    releases.mkdir(parents=True)
    (releases / "1.jsonl").write_bytes(bytes(range(256)) * 5000)
    (releases / "名字 é.txt").write_text("")


def backed_up(installation: Installation, path: Path) -> dict[str, Any]:
    installation.manage("backup", path)
    with zipfile.ZipFile(path) as archive:
        manifest: dict[str, Any] = json.loads(archive.read("manifest.json"))
    return manifest


def same(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert left["tables"] == right["tables"]
    assert left["files"] == right["files"]
    assert left["migrations"] == right["migrations"]


@pytest.mark.parametrize("first", ["sqlite", "postgres"])
def test_counts_and_hashes_survive_both_databases_and_the_way_back(
    installations: Installations, tmp_path: Path, first: str
) -> None:
    other = {"sqlite": "postgres", "postgres": "sqlite"}[first]
    with installations.migrated(first) as one:
        fill(one)
        items = one.python("result = Item.objects.count()")
        original = backed_up(one, tmp_path / "1.zip")
    with installations.migrated(other) as two:
        two.manage("restore", tmp_path / "1.zip")
        same(original, backed_up(two, tmp_path / "2.zip"))
    with installations.migrated(first) as three:
        told = json.loads(three.manage("restore", tmp_path / "2.zip", "--json").stdout)
        same(original, backed_up(three, tmp_path / "3.zip"))
    assert original["tables"]["annotate.item"]["rows"] == items > 0
    assert told["rows"] == sum(table["rows"] for table in original["tables"].values())
    assert set(original["files"]) >= {"releases/1.jsonl", "releases/名字 é.txt"}


def test_work_goes_on_after_a_restore(installations: Installations, tmp_path: Path, database: str) -> None:
    """New rows get free numbers, and people sign in with their old passwords."""
    with installations.migrated("sqlite") as old:
        old.manage("seed_demo", DEMO_PASSWORD="only for this test")
        old.manage("backup", tmp_path / "b.zip")
    with installations.migrated(database) as new:
        new.manage("restore", tmp_path / "b.zip")
        assert new.python(GO_ON) == ["submitted", True]


GO_ON = """
from annotate.items import drafts, queue
from annotate.work import submit
ana = Member.objects.select_related("project", "user").get(user__username="ana", project__slug="demo")
slot = Slot.objects.held_by(ana.user).filter(project=ana.project).select_related("item").get()
draft = slot.annotations.get(author=ana.user)
submit.submit(annotation=draft, token=slot.token, by=ana.user)
slot.refresh_from_db()
result = [slot.state, ana.user.check_password("only for this test")]
"""


def test_a_database_that_cannot_hold_a_text_says_so_and_stays_empty(
    installations: Installations, tmp_path: Path
) -> None:
    """PostgreSQL has no NUL; SQLite may have got one from elsewhere."""
    with installations.migrated("sqlite") as old:
        old.python("User.objects.create_user('ada', first_name='nul \\x00')")
        old.manage("backup", tmp_path / "b.zip")
    with installations.migrated("postgres") as new:
        refused = new.manage("restore", tmp_path / "b.zip", check=False)
        assert refused.returncode == 1
        assert "cannot hold what is in" in refused.stderr
        assert "Traceback" not in refused.stderr
        assert new.python("result = User.objects.count()") == 0


def test_a_backup_is_of_one_moment_and_holds_up_nobody(installations: Installations, database: str) -> None:
    """Somebody joins while the backup is being read: the join succeeds and is not in the backup."""
    with installations.migrated(database) as installation:
        assert installation.python(MEANWHILE) == [0, 1]


MEANWHILE = """
from threading import Thread
from annotate.upkeep.backups import _one_moment
def join():
    User.objects.create_user("ada")
    from django.db import connection
    connection.close()
with _one_moment():
    User.objects.count()
    other = Thread(target=join)
    other.start()
    other.join()
    inside = User.objects.count()
result = [inside, User.objects.count()]
"""


def test_memory_does_not_grow_with_the_installation(installations: Installations, tmp_path: Path) -> None:
    """60 MB of rows are written and read back within 25 MB."""
    with installations.migrated("sqlite") as old, installations.migrated("sqlite") as new:
        old.python(MANY)
        assert old.python(PEAK, module="backups", verb="write", path=str(tmp_path / "b.zip")) < 25_000_000
        assert new.python(PEAK, module="restoration", verb="restore", path=str(tmp_path / "b.zip")) < 25_000_000
        assert new.python("result = Item.objects.count()") == 3000


MANY = """
project = Project.objects.create(slug="many", name="Many", kind_slug="feedback")
for start in range(0, 3000, 100):
    Item.objects.bulk_create(
        Item(project=project, key=str(number), content_hash=str(number), facts={"text": f"{number:020}" * 1000})
        for number in range(start, start + 100)
    )
"""
PEAK = """
import importlib, tracemalloc
from pathlib import Path
act = getattr(importlib.import_module(f"annotate.upkeep.{module}"), verb)
tracemalloc.start()
act(Path(path))
result = tracemalloc.get_traced_memory()[1]
tracemalloc.stop()
"""
