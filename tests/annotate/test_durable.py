"""Files that people are told are stored survive a power cut (rows: tests/test_stored_on_disk.py)."""

from contextlib import suppress
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings

from annotate import durable
from annotate.chores import make_release
from annotate.formats.rows import Problem
from annotate.intake import report as importing_files
from annotate.models import Release
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters
from annotate.releases.files import copy_whole, path_of, write_pieces, write_whole
from annotate.upkeep import backups
from tests.support.disk import Disk
from tests.support.reviews import make_case


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def test_an_upload_is_on_the_disk_with_all_folders_above_it(disk: Disk, folder: Path) -> None:
    name, _sha256 = importing_files.keep_upload(SimpleUploadedFile("rows.jsonl", b"{}\n"))
    path = importing_files.uploaded(name)
    assert path.read_bytes() == b"{}\n"
    assert all(disk.holds(place) for place in (path, path.parent, folder / "files", folder))


def test_refused_rows_are_on_the_disk(disk: Disk) -> None:
    importing_files.add_rejects("refused", [Problem("rows.jsonl", 1, "", "No row.")])
    path = importing_files.rejects("refused")
    assert disk.holds(path)
    assert disk.holds(path.parent)


@pytest.mark.django_db
def test_a_release_is_on_the_disk_with_its_index_before_it_has_its_name(disk: Disk) -> None:
    case = make_case()
    case.item()
    planned = actions.plan(project=case.project, filters=ReleaseFilters(state="any"), by=None)
    make_release.work(planned.pk)
    path = path_of(Release.objects.get(state=Release.State.DONE).stored_as)
    assert path in disk.moved
    assert len(disk.moved) == 2
    assert disk.unsynced == []


@pytest.mark.django_db
def test_a_backup_is_on_the_disk_before_it_has_its_name(disk: Disk, folder: Path) -> None:
    backups.write(folder / "b.zip")
    assert disk.moved == [folder / "b.zip"]
    assert disk.unsynced == []


def test_files_that_commands_write_are_on_the_disk(disk: Disk, folder: Path) -> None:
    write_whole(folder / "whole", b"words")
    copy_whole(folder / "whole", folder / "copied")
    write_pieces(folder / "pieces", iter([b"wor", b"ds"]))
    assert {path.read_bytes() for path in disk.moved} == {b"words"}
    assert len(disk.moved) == 3
    assert disk.unsynced == []


def test_a_file_that_fails_half_way_leaves_the_old_one(folder: Path) -> None:
    path = folder / "file"
    path.write_bytes(b"old")
    with suppress(InterruptedError), durable.replacing(path) as file:
        file.write(b"new")
        raise InterruptedError
    assert [(path.name, path.read_bytes()) for path in folder.iterdir()] == [("file", b"old")]
