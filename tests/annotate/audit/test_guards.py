"""What the database itself refuses, and what a backup brings along."""

from pathlib import Path

import pytest

from tests.support.installations import Installations

pytestmark = pytest.mark.slow

TAMPER = """
from django.db import DatabaseError, connection, transaction
from annotate.audit.trail import record, verify

project = Project.objects.create(slug="p", name="P", kind_slug="feedback")
for name in "abc":
    with transaction.atomic():
        record("project.changed", project, after={"name": name})
statements = ["UPDATE annotate_auditentry SET account = 'x' WHERE number = 2",
              "DELETE FROM annotate_auditentry WHERE number = 3", "DELETE FROM annotate_auditentry"]
statements += ["TRUNCATE annotate_auditentry"] if connection.vendor == "postgresql" else []
result = []
for statement in statements:
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement)
        result.append("done")
    except DatabaseError as refused:
        result.append(str(refused).splitlines()[0])
project.delete()
result.append([verify().entries, verify().problem])
"""
APPEND = """
from concurrent.futures import ThreadPoolExecutor
from django.db import connection, transaction
from annotate.audit.trail import record, verify

project = Project.objects.create(slug="p", name="P", kind_slug="feedback")

def append(number):
    with transaction.atomic():
        record("project.changed", project, after={"name": str(number)})
    connection.close()

with ThreadPoolExecutor(8) as pool:
    list(pool.map(append, range(40)))
result = [verify().entries, verify().problem]
"""
VERIFY = "from annotate.audit.trail import verify\nresult = [verify().entries, verify().problem]"


def test_the_database_refuses_to_change_and_to_delete_entries(installations: Installations, database: str) -> None:
    with installations.migrated(database) as installation:
        *answers, verification = installation.python(TAMPER)
    assert set(answers) == {"Entries of the audit trail are never changed or deleted."}
    assert verification == [3, ""]


def test_entries_written_at_the_same_time_form_one_chain(installations: Installations, database: str) -> None:
    with installations.migrated(database) as installation:
        assert installation.python(APPEND) == [40, ""]


def test_a_restored_backup_has_the_same_chain(installations: Installations, database: str, tmp_path: Path) -> None:
    with installations.migrated(database) as installation:
        installation.manage("create_project", "fb", "--kind", "feedback")
        installation.manage("backup", str(tmp_path / "b.zip"))
    with installations.migrated(database) as other:
        other.manage("restore", str(tmp_path / "b.zip"))
        entries, problem = other.python(VERIFY)
        other.manage("create_project", "more", "--kind", "feedback")
        assert (other.python(VERIFY), problem) == ([entries + 1, ""], "")
