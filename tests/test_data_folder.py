"""No other account of the machine reads what is stored here, whatever umask the programs were started with."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.environment import close_to_others, data_folder
from tests.support.files import facts_only, write_rows
from tests.support.installation import ROOT
from tests.support.installations import Installations

OTHERS = 0o077


@pytest.fixture
def _usual_umask() -> Iterator[None]:
    """That of a shell: the programs started here inherit it."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> dict[str, str]:
    paths = [folder, *folder.rglob("*")]
    modes = {path: path.lstat().st_mode for path in paths if not path.is_symlink()}
    return {str(path.relative_to(folder)): oct(mode) for path, mode in modes.items() if mode & OTHERS}


MADE = """
from django.core.files.uploadedfile import SimpleUploadedFile
from annotate.intake.report import keep_upload
from annotate.chores import make_release
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters

keep_upload(SimpleUploadedFile("rows.jsonl", b"{}"))
release = actions.plan(project=Project.objects.get(slug="p"), filters=ReleaseFilters(state="any"), by=None)
make_release.work(release.pk)
release.refresh_from_db()
result = release.state
"""


@pytest.mark.slow
@pytest.mark.usefixtures("_usual_umask")
def test_nothing_that_programs_write_is_open_to_others(installations: Installations, tmp_path: Path) -> None:
    with installations.migrated("sqlite") as place:
        assert open_to_others(place.folder)  # as an installation from before
        (place.folder / "static").unlink()
        place.manage("migrate")
        place.manage("collectstatic", "--noinput")
        place.manage("seed_demo")
        place.manage("create_project", "p", "--kind", "feedback")
        place.manage("import_items", "p", write_rows(tmp_path / "rows.jsonl", [facts_only()]))
        assert place.python(MADE) == "done"
        place.manage("backup", place.folder / "backup.zip")
        place.serve()
        place.manage("reconcile")
        place.close()
        place.log.unlink()  # the log of this test
        assert open_to_others(place.folder) == {}


def test_a_folder_from_before_is_closed_with_all_that_is_ours(tmp_path: Path) -> None:
    (tmp_path / "files" / "uploads").mkdir(parents=True)
    ours = [tmp_path / "touchstone.sqlite3", tmp_path / "files" / "uploads" / "0f"]
    theirs = [tmp_path / "notes.txt", tmp_path / "elsewhere"]
    for path in (*ours, *theirs):
        path.touch()
        path.chmod(0o644)
    (tmp_path / "files" / "link").symlink_to(theirs[1])
    tmp_path.chmod(0o755)
    close_to_others(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in (*ours, *theirs)] == [0o600, 0o600, 0o644, 0o644]
    assert (tmp_path / "files" / "uploads").stat().st_mode & OTHERS == 0


def test_a_folder_that_all_accounts_share_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    close_to_others(tmp_path)
    assert tmp_path.stat().st_mode & 0o7777 == 0o1777


@pytest.mark.usefixtures("_usual_umask")
def test_the_settings_close_it_at_every_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "var"))
    (tmp_path / "var").mkdir()
    assert open_to_others(data_folder(tmp_path)) == {}


def test_the_units_close_it_too() -> None:
    units = sorted((ROOT / "docs" / "deploy").glob("*.service"))
    assert len(units) == 4
    assert [unit.name for unit in units if "\nUMask=0077\n" not in unit.read_text()] == []
    assert "install -d -o touchstone -m 700 /data" in (ROOT / "docs" / "deploy" / "Dockerfile").read_text()
