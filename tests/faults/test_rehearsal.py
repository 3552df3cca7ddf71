"""`doctor --restore-latest`: the newest backup restored for real, or the reason why it would not help."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = [pytest.mark.slow, pytest.mark.long]

WORK = """
from tests.support.people import DRAFT, make_item, make_project
project = make_project()
for _number in range(3):
    make_item(project, suggestion=DRAFT)
"""


def finding(installation: Installation, folder: Path) -> dict[str, Any]:
    done = installation.manage("doctor", "--json", "--restore-latest", folder, check=False)
    (found,) = [check for check in json.loads(done.stdout)["checks"] if check["name"] == "newest backup"]
    assert done.returncode == 0 or found["state"] == "missing" or "newest backup" not in done.stderr
    return found


def test_the_newest_backup_is_restored_and_compared(installations: Installations, tmp_path: Path) -> None:
    with installations.migrated("sqlite") as installation:
        assert "no backup" in finding(installation, tmp_path)["found"]
        installation.manage("backup", tmp_path / "first.zip")
        installation.python(WORK)
        installation.manage("backup", tmp_path / "second.zip")
        os.utime(tmp_path / "first.zip", (0, 0))
        found = finding(installation, tmp_path)
        assert (found["state"], found["remedy"]) == ("ok", "")
        assert found["found"].startswith("second.zip of ")
        assert "0 files restored and the same, 6 items and drafts valid" in found["found"]
        assert not list(installation.folder.glob("rehearsal-*"))


def test_a_damaged_backup_is_told_and_the_installation_is_as_before(
    installations: Installations, tmp_path: Path
) -> None:
    with installations.migrated("sqlite") as installation:
        installation.python(WORK)
        installation.manage("backup", tmp_path / "whole.zip")
        content = bytearray((tmp_path / "whole.zip").read_bytes())
        content[200:260] = bytes(60)
        (tmp_path / "damaged.zip").write_bytes(content)
        os.utime(tmp_path / "whole.zip", (0, 0))
        found = finding(installation, tmp_path)
        assert found["state"] == "missing"
        assert "damaged" in found["found"]
        assert "manage.py backup" in found["remedy"]
        assert installation.python("result = Item.objects.count()") == 3


def test_rows_that_are_not_valid_are_counted_and_one_is_named(installations: Installations, tmp_path: Path) -> None:
    with installations.migrated("sqlite") as installation:
        installation.python(WORK)
        installation.python("Annotation.objects.update(draft={})")
        installation.manage("backup", tmp_path / "invalid.zip")
        found = finding(installation, tmp_path)
        assert found["state"] == "missing"
        assert "stored rows are not valid: project-1 item-" in found["found"]
