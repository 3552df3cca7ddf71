"""What earlier versions stored is read by this one: each of their backups is restored, migrated and compared.

A fixture holds a backup of that version's demo, and what its reports and exports said (scripts/upgrade_fixture.py).
"""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from lib.stats.figures import ALL_ALIKE
from scripts.upgrade_fixture import KEPT, SAY
from tests.support.installations import Installations

pytestmark = [pytest.mark.slow, pytest.mark.long]

VERSIONS = sorted(path.name for path in KEPT.iterdir())


@pytest.mark.parametrize("version", VERSIONS)
def test_reports_and_exports_of_an_upgraded_backup_are_what_they_were(
    installations: Installations, database: str, version: str
) -> None:
    then = json.loads(gzip.decompress((KEPT / version / "said.json.gz").read_bytes()))
    with installations.migrated(database) as installation:
        installation.manage("restore", KEPT / version / "backup.zip")
        assert "No changes" in installation.manage("makemigrations", "--check", "--dry-run").stdout
        assert installation.manage("migrate", "--check", check=False).returncode == 0
        installation.manage("check_items")
        now = json.loads(installation.manage("shell", "--no-imports", "--command", SAY).stdout.splitlines()[-1])
    assert list(differing(then["rows"], now["rows"])) == []
    expected = figures(with_todays_intervals(then["reports"]))
    assert list(differing(expected, figures(now["reports"], then["reports"]))) == []
    assert sum(len(rows) for rows in then["rows"].values()) > 150


def test_a_damaged_backup_of_an_earlier_version_leaves_the_installation_empty(
    installations: Installations, tmp_path: Any
) -> None:
    content = bytearray((KEPT / VERSIONS[0] / "backup.zip").read_bytes())
    middle = len(content) // 2
    content[middle : middle + 200] = bytes(200)
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(content)
    with installations.migrated("sqlite") as installation:
        refused = installation.manage("restore", damaged, check=False)
        assert refused.returncode == 1
        assert "Use another copy" in refused.stderr
        assert installation.manage("migrate", "--check", check=False).returncode == 0
        assert installation.python("result = Project.objects.count()") == 0
        installation.manage("restore", KEPT / VERSIONS[0] / "backup.zip")


def figures(reports: dict[str, Any], known: dict[str, Any] | None = None) -> dict[str, Any]:
    """Reports by project and name, those that are known, without the wording of why there is none."""
    return {
        slug: {name: "refused" if isinstance(reports[slug][name], str) else reports[slug][name] for name in by_name}
        for slug, by_name in (known or reports).items()
    }


def with_todays_intervals(reports: dict[str, Any]) -> dict[str, Any]:
    """Since decision 79 an interval without width is null on leaderboards, and a note says why."""
    for by_name in reports.values():
        for row in by_name["leaderboard"]["rows"] if isinstance(by_name.get("leaderboard"), dict) else ():
            low, high = row["interval"]["overall"] or (None, None)
            if low is not None and low == high:
                row["interval"] = row["interval"] | {"overall": None}
                row["interval_note"] = ALL_ALIKE
    return reports


def differing(then: Any, now: Any, path: str = "") -> Iterator[str]:
    """The places where the two differ, with both values."""
    if isinstance(then, dict) and isinstance(now, dict):
        for name in then.keys() | now.keys():
            yield from differing(then.get(name), now.get(name), f"{path}.{name}")
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for number, (left, right) in enumerate(zip(then, now, strict=True)):
            yield from differing(left, right, f"{path}[{number}]")
    elif not same(then, now):
        yield f"{path}: {then!r} → {now!r}"


def same(then: Any, now: Any) -> bool:
    """Numbers of a bootstrap are the same but for the rounding of the last digits, which depends on the machine."""
    if isinstance(then, float) and isinstance(now, float):
        return then == pytest.approx(now, rel=1e-9, abs=1e-12)
    return bool(then == now)
