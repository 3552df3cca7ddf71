"""What a restore refuses, and that it then has changed nothing. Whole installations: tests/faults/test_backup.py."""

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import DataError, connection
from pytest_django import Settings

from annotate.errors import Refused
from annotate.models import Item, User
from annotate.upkeep import backups, restoration
from annotate.upkeep.backups import tables
from tests.support.disk import Disk
from tests.support.files import command
from tests.support.reviews import make_case

pytestmark = pytest.mark.django_db
Contents = dict[str, bytes]


@pytest.fixture
def archive(settings: Settings, tmp_path: Path) -> Path:
    """A backup of a small project with one file; the installation is empty afterwards."""
    settings.DATA_DIR = tmp_path / "before"
    (tmp_path / "before" / "files").mkdir(parents=True)
    (tmp_path / "before" / "files" / "upload").write_bytes(b"rows")
    make_case().under_review()
    backups.write(tmp_path / "b.zip")
    settings.DATA_DIR = tmp_path / "after"
    empty()
    return tmp_path / "b.zip"


def empty() -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA defer_foreign_keys = ON")
        for model in tables().values():
            cursor.execute(f'DELETE FROM "{model._meta.db_table}"')


def changed(archive: Path, change: Callable[[Contents], None]) -> Path:
    with zipfile.ZipFile(archive) as old:
        contents = {name: old.read(name) for name in old.namelist()}
    change(contents)
    with zipfile.ZipFile(archive, "w") as new:
        for name, content in contents.items():
            new.writestr(name, content)
    return archive


def manifest_with(**values: Any) -> Callable[[Contents], None]:
    def change(contents: Contents) -> None:
        manifest = json.loads(contents["manifest.json"])
        contents["manifest.json"] = json.dumps(manifest | values).encode()

    return change


def refuse(archive: Path, words: str) -> None:
    with pytest.raises(Refused, match=words):
        restoration.restore(archive)
    assert not any(model._base_manager.exists() for model in tables().values())
    assert not list(archive.parent.glob("after/files/**/*"))
    assert not (archive.parent / "after" / "restoring").exists()


def test_everything_is_there_again(archive: Path) -> None:
    restoration.restore(archive)
    item = Item.objects.get()
    assert (item.state, item.annotations.count(), User.objects.count()) == ("reviewing", 3, 5)
    assert (archive.parent / "after" / "files" / "upload").read_bytes() == b"rows"


def test_its_files_are_on_the_disk_before_the_rows_are(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(monkeypatch)
    restoration.restore(archive)
    folder = archive.parent / "after"
    assert all(disk.holds(folder / "restoring" / name) for name in ("", "upload"))
    assert disk.moved == [folder / "files"]
    assert disk.unsynced == []


def test_an_installation_in_use_is_left_alone(archive: Path) -> None:
    User.objects.create_user("somebody")
    with pytest.raises(Refused, match=r"needs an empty installation, and this one has annotate\.user"):
        restoration.restore(archive)
    assert list(User.objects.values_list("username", flat=True)) == ["somebody"]


def test_files_of_others_are_left_alone(archive: Path) -> None:
    mine = archive.parent / "after" / "files" / "mine"
    mine.parent.mkdir(parents=True)
    mine.write_text("dear")
    with pytest.raises(Refused, match="files/mine"):
        restoration.restore(archive)
    assert mine.read_text() == "dear"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"nowhere\.zip cannot be restored: No such file"):
        restoration.restore(tmp_path / "nowhere.zip")


def test_a_file_that_is_no_archive_is_refused(archive: Path) -> None:
    archive.write_text("hello")
    refuse(archive, "damaged or no backup")


def test_an_archive_of_something_else_is_refused(archive: Path) -> None:
    refuse(changed(archive, dict.clear), "no readable manifest")


@pytest.mark.parametrize("values", [{"format": "other"}, {"tables": []}, {"files": {"a": 1}}])
def test_a_foreign_manifest_is_refused(archive: Path, values: dict[str, Any]) -> None:
    refuse(changed(archive, manifest_with(**values)), "manifest says something else")


def test_a_later_layout_is_refused(archive: Path) -> None:
    refuse(changed(archive, manifest_with(version=2)), "this program reads version 1")


def test_a_backup_of_a_newer_version_says_what_to_install(archive: Path) -> None:
    with zipfile.ZipFile(archive) as file:
        known = json.loads(file.read("manifest.json"))["migrations"]
    newer = manifest_with(migrations=[*known, "annotate.9999_later"])
    refuse(changed(archive, newer), r"newer version, with annotate\.9999_later")


@pytest.mark.parametrize("migrations", [None, "annotate.0001_initial", [7], ["annotate"]])
def test_migrations_that_are_no_list_of_names_are_refused(archive: Path, migrations: object) -> None:
    refuse(changed(archive, manifest_with(migrations=migrations)), "manifest says something else")


def test_other_tables_are_refused(archive: Path) -> None:
    refuse(changed(archive, manifest_with(tables={})), "other tables")


def test_a_cut_archive_is_refused(archive: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:-2000])
    refuse(archive, "damaged or no backup")


@pytest.mark.parametrize("place", [0.2, 0.5, 0.8])
def test_flipped_bits_are_refused(archive: Path, place: float) -> None:
    content = bytearray(archive.read_bytes())
    with zipfile.ZipFile(archive) as file:
        inside = max(file.infolist(), key=lambda member: member.compress_size)
    start = inside.header_offset + 30 + len(inside.filename) + 20
    content[start + int((inside.compress_size - 20) * place)] ^= 0xFF
    archive.write_bytes(content)
    refuse(archive, "damaged")


def test_a_missing_table_is_named(archive: Path) -> None:
    def without_items(contents: Contents) -> None:
        del contents["tables/annotate.item.jsonl"]

    refuse(changed(archive, without_items), r"tables/annotate\.item\.jsonl is missing")


def test_a_missing_row_is_noticed(archive: Path) -> None:
    def without_events(contents: Contents) -> None:
        contents["tables/annotate.event.jsonl"] = b""

    refuse(changed(archive, without_events), r"tables/annotate\.event is not what was backed up")


def test_a_changed_value_is_noticed(archive: Path) -> None:
    def promote(contents: Contents) -> None:
        name = "tables/annotate.user.jsonl"
        contents[name] = contents[name].replace(b'"is_superuser":false', b'"is_superuser":true')

    refuse(changed(archive, promote), r"tables/annotate\.user is not what was backed up")


def test_a_row_that_points_nowhere_is_noticed(archive: Path) -> None:
    def without_people(contents: Contents) -> None:
        contents["tables/annotate.user.jsonl"] = b""

    refuse(changed(archive, without_people), "does not fit together")


@pytest.mark.parametrize("line", [b"[]\n", b"{}\n", b"not json\n", b'{"id": "x"}\n', b"\xff\n"])
def test_a_line_that_is_no_row_is_named(archive: Path, line: bytes) -> None:
    def broken(contents: Contents) -> None:
        contents["tables/annotate.skip.jsonl"] = line

    refuse(changed(archive, broken), r"damaged at tables/annotate\.skip\.jsonl, line 1")


@pytest.mark.parametrize("name", ["../outside", "/outside", "a/../../outside", "..\\outside", ""])
def test_a_file_that_wants_out_of_its_folder_is_refused(archive: Path, name: str) -> None:
    def escaping(contents: Contents) -> None:
        contents[f"files/{name}"] = b"rows"
        manifest_with(files={name: {"bytes": 4, "sha256": ""}})(contents)

    refuse(changed(archive, escaping), "outside its folder")
    assert not list(archive.parent.rglob("outside"))


def test_a_changed_file_is_noticed(archive: Path) -> None:
    def other_rows(contents: Contents) -> None:
        contents["files/upload"] = b"lies"

    refuse(changed(archive, other_rows), "files/upload is not what was backed up")


# --- by command -------------------------------------------------------------------------------------------------------
def test_the_command_says_what_it_restored(archive: Path) -> None:
    code, report, _said = command("restore", archive)
    assert (code, report["files"], Item.objects.count()) == (0, 1, 1)
    with zipfile.ZipFile(archive) as written:
        manifest = json.loads(written.read("manifest.json"))
    assert report["made_at"] == manifest["made_at"]
    assert report["rows"] == sum(table["rows"] for table in manifest["tables"].values())


def test_the_command_ends_with_1_and_says_why_not(archive: Path) -> None:
    User.objects.create_user("somebody")
    code, _report, said = command("restore", archive)
    assert (code, "needs an empty installation" in said) == (1, True)


def test_a_database_that_cannot_hold_the_rows_is_no_damaged_file(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_long(*_arguments: object) -> None:
        raise DataError("value too long")

    monkeypatch.setattr(restoration, "fill", too_long)
    refuse(archive, "This database cannot hold what is in .*: value too long")


# --- older versions and rehearsals ------------------------------------------------------------------------------------
def test_an_older_version_is_the_last_migration_of_each_app_and_nothing_of_later_apps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    today = ["annotate.0001_initial", "annotate.0002_b", "judging.0001_initial", "sessions.0001_initial"]
    monkeypatch.setattr(restoration, "applied_migrations", lambda: today)
    assert restoration._last_of_each_app(["sessions.0001_initial", "annotate.0002_b", "annotate.0001_initial"]) == [
        ("annotate", "0002_b"),
        ("judging", None),
        ("sessions", "0001_initial"),
    ]


def test_the_newest_backup_is_the_one_written_last(tmp_path: Path) -> None:
    for number, name in enumerate(["b.zip", "a.zip", "c.zip"]):
        with zipfile.ZipFile(tmp_path / name, "w") as made:
            made.writestr("x", "y")
        os.utime(tmp_path / name, (number, number))
    os.utime(tmp_path / "a.zip", (9, 9))
    (tmp_path / "d.zip").write_text("no archive")
    assert restoration.newest(tmp_path) == tmp_path / "a.zip"


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("CommandError: 2 rows are not valid:\n  fb a: facts\n  fb b: facts", "2 rows are not valid:   fb a: facts"),
        ("Traceback (most recent call last):\n  File …\nValueError: no", "ValueError: no"),
    ],
)
def test_a_failed_rehearsal_is_told_in_one_line(output: str, reason: str) -> None:
    assert restoration._reason(output) == reason


@pytest.mark.slow
def test_a_rehearsal_restores_into_a_place_of_its_own_and_removes_it(
    settings: Settings, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DATA_DIR.mkdir()
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "config.settings")  # what the commands read, and not those of tests
    rehearsal = restoration.rehearse(tmp_path)
    with zipfile.ZipFile(archive) as written:
        manifest = json.loads(written.read("manifest.json"))
    assert (rehearsal.path, rehearsal.files, rehearsal.age_days) == (archive, 1, 0)
    assert rehearsal.rows == sum(table["rows"] for table in manifest["tables"].values())
    assert rehearsal.checked > 0
    assert not Item.objects.exists()
    assert not list(settings.DATA_DIR.iterdir())


def test_a_command_that_refuses_in_the_rehearsal_is_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "config.settings")
    with pytest.raises(Refused, match=r"nowhere\.zip cannot be restored: No such file or directory"):
        restoration._manage(str(tmp_path), "restore", str(tmp_path / "nowhere.zip"), "--json")
