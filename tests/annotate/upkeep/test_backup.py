import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from pytest_django import Settings

from annotate.errors import Refused
from annotate.models import Annotation, AuditEntry, Item, Project
from annotate.upkeep import backups
from annotate.upkeep.backups import LEFT_OUT, MADE_AGAIN, SHORT_LIVED, decoded, fingerprint, lines, tables
from tests.support.files import command
from tests.support.reviews import make_case

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


def test_every_table_is_in_it_or_left_out_by_name() -> None:
    kept = set(tables())
    links = {"annotate.user_groups", "annotate.user_user_permissions"}  # groups and permissions are not used
    counted = {"judging.answerchanges", "judging.verdictchanges"}  # by triggers, anew in each installation
    for model in apps.get_models(include_auto_created=True):
        label = model._meta.label_lower
        left_out = model._meta.app_label in LEFT_OUT or label in links | SHORT_LIVED | MADE_AGAIN | counted
        assert (label in kept) != left_out, label


def test_it_holds_rows_files_and_a_manifest_with_their_checksums(folder: Path) -> None:
    make_case().item()
    (folder / "files" / "releases").mkdir(parents=True)
    (folder / "files" / "releases" / "v1.jsonl").write_bytes(b"{}\n")
    manifest = backups.write(folder / "b.zip")
    with zipfile.ZipFile(folder / "b.zip") as archive:
        assert json.loads(archive.read("manifest.json")) == manifest
        items = archive.read("tables/annotate.item.jsonl")
        assert archive.read("files/releases/v1.jsonl") == b"{}\n"
    assert manifest["tables"]["annotate.item"]["rows"] == items.count(b"\n") == 1
    assert manifest["files"]["releases/v1.jsonl"] == {
        "bytes": 3,
        "sha256": "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356",
    }


def test_only_its_owner_can_read_it(folder: Path) -> None:
    backups.write(folder / "b.zip")
    assert (folder / "b.zip").stat().st_mode & 0o077 == 0


def test_it_never_overwrites_a_file(folder: Path) -> None:
    (folder / "b.zip").write_text("dear")
    with pytest.raises(Refused, match=r"b\.zip exists already"):
        backups.write(folder / "b.zip")
    assert (folder / "b.zip").read_text() == "dear"


def test_a_full_disk_leaves_nothing_half_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", no_room)
    with pytest.raises(Refused, match="No space left on device"):
        backups.write(folder / "b.zip")
    assert not list(folder.glob("b.zip*"))


def test_a_file_that_is_removed_meanwhile_is_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "files").mkdir()
    for name in ("stays", "withdrawn"):
        (folder / "files" / name).write_bytes(b"words")
    listed = list(backups.stored_files())
    monkeypatch.setattr(backups, "stored_files", lambda: iter(listed))
    (folder / "files" / "withdrawn").unlink()
    assert set(backups.write(folder / "b.zip")["files"]) == {"stays"}
    with zipfile.ZipFile(folder / "b.zip") as archive:
        assert [name for name in archive.namelist() if name.startswith("files/")] == ["files/stays"]


def test_a_link_to_a_file_elsewhere_is_not_followed(folder: Path) -> None:
    (folder / "files").mkdir()
    (folder / "files" / "passwords").symlink_to("/etc/passwd")
    assert backups.write(folder / "b.zip")["files"] == {}


@pytest.mark.parametrize(
    "value", [1, 1.0, 0.1, 1e-7, 1e22, -0.0, 2**70, "é\u2028\U0001f600", [], [1e22, [-0.0]], {"b": 1, "a": None}]
)
def test_a_row_reads_back_as_it_was_written(value: Any) -> None:
    case = make_case()
    Item.objects.create(project=case.project, key="k", facts={"value": value}, content_hash="x")
    [line] = lines(Item)
    again = decoded(Item, line)
    assert again.facts == {"value": value}
    assert again.changed_at == Item.objects.get().changed_at
    assert decoded(Project, next(lines(Project))).second_share == Project.objects.get().second_share


def test_the_fingerprint_does_not_depend_on_the_order_of_keys() -> None:
    case = make_case()
    item = Item.objects.create(project=case.project, key="k", facts={"a": 1, "b": 2}, content_hash="x")
    before = fingerprint(lines(Item))
    Item.objects.filter(pk=item.pk).update(facts={"b": 2, "a": 1})
    assert fingerprint(lines(Item)) == before == (1, before[1])


def test_the_fingerprint_depends_on_every_value() -> None:
    make_case().item()
    before = fingerprint(lines(Annotation))
    Annotation.objects.update(prompt_version="v5")
    assert fingerprint(lines(Annotation)) != before


@pytest.mark.django_db(transaction=True)
def test_a_backup_reads_one_moment_and_leaves_no_transaction_open(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_case().item()
    seen: list[bool] = []

    def watched(model: Any) -> Any:
        seen.append(in_transaction())
        return lines(model)

    monkeypatch.setattr(backups, "lines", watched)
    manifest = backups.write(folder / "b.zip")
    assert manifest["tables"]["annotate.item"]["rows"] == 1
    assert set(seen) == {True}
    assert not in_transaction()
    Item.objects.update(title="Written afterwards.")


def in_transaction() -> bool:
    return bool(connection.connection.in_transaction)


# --- by command -------------------------------------------------------------------------------------------------------
def test_the_command_says_what_it_wrote_and_the_reading_is_recorded(folder: Path) -> None:
    make_case().item()
    code, report, _said = command("backup", folder / "b.zip")
    assert (code, report["file"], report["files"]) == (0, str(folder / "b.zip"), 0)
    assert report["bytes"] == (folder / "b.zip").stat().st_size
    with zipfile.ZipFile(folder / "b.zip") as archive:
        tables_written = json.loads(archive.read("manifest.json"))["tables"]
    assert report["rows"] == sum(table["rows"] for table in tables_written.values()) > 0
    assert AuditEntry.objects.filter(verb="read.backup").count() == 1


def test_the_command_ends_with_1_where_the_file_is_there_already(folder: Path) -> None:
    (folder / "b.zip").write_text("dear")
    code, _report, said = command("backup", folder / "b.zip")
    assert (code, "exists already" in said) == (1, True)
    assert not AuditEntry.objects.exists()
