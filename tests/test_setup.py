"""An installation that lacks something refuses with the cause and the remedy, or says so and loses nothing.

`check --deploy` and a start without SECRET_KEY: tests/security/test_deploy.py too.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import KEPT_KEY, data_folder
from tests.support.installation import ROOT, Installation
from tests.support.installations import Installations
from tests.support.programs import free_port
from tests.support.visitors import sessions

pytestmark = pytest.mark.slow

MB = 1024 * 1024
NO_ROOM = "The server has no space to save this"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with 12 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", folder], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(
            f"NOT TESTED, a disk cannot be mounted here (root with CAP_SYS_ADMIN can): {mounted.stderr.strip()}"
        )
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def on_small_disk(installations: Installations, small_disk: Path) -> Iterator[Installation]:
    """The demo on a disk that a test can fill."""
    with installations.migrated("sqlite") as made:
        shutil.copytree(made.folder, small_disk, symlinks=True, dirs_exist_ok=True)
    installation = Installation(small_disk, f"sqlite:///{small_disk / 'touchstone.sqlite3'}")
    installation.manage("seed_demo", "--live")  # small, without the replies of models
    yield installation
    installation.close()


def fill(disk: Path) -> Path:
    filler = disk / "filler"
    done = subprocess.run(["dd", "if=/dev/zero", f"of={filler}", "bs=4k"], capture_output=True, text=True)
    assert "No space left on device" in done.stderr
    return filler


def signed_in(installation: Installation, name: str) -> httpx2.Client:
    cookies = {"sessionid": sessions(installation, [name])[name], "csrftoken": "c" * 32}
    return httpx2.Client(base_url=installation.url, cookies=cookies, timeout=60)


# --- what is refused at the start -----------------------------------------------------------------------------------
@pytest.mark.parametrize("start", [["manage.py", "migrate"], ["manage.py", "doctor"]])
def test_without_a_key_production_does_not_start_and_says_how_to_make_one(tmp_path: Path, start: list[str]) -> None:
    installation = Installation(tmp_path, "", environment={"SECRET_KEY": "", "DATABASE_URL": "sqlite://:memory:"})
    done = subprocess.run(
        [sys.executable, *start], cwd=ROOT, env=installation.environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Touchstone cannot start: SECRET_KEY is not set. Set it to a long random text")
    assert "Traceback" not in done.stderr


def test_without_a_key_the_web_server_does_not_start(tmp_path: Path) -> None:
    installation = Installation(tmp_path, "", environment={"SECRET_KEY": "", "DATABASE_URL": "sqlite://:memory:"})
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind=127.0.0.1:0", "--no-control-socket"]
    done = subprocess.run(command, cwd=ROOT, env=installation.environment, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert "SECRET_KEY is not set" in done.stderr


def test_a_key_made_for_development_is_kept_and_private(tmp_path: Path) -> None:
    installation = Installation(tmp_path, "sqlite://:memory:", environment={"SECRET_KEY": "", "DEBUG": "true"})
    installation.manage("check")
    first = (tmp_path / KEPT_KEY).read_text()
    installation.manage("check")
    assert (tmp_path / KEPT_KEY).read_text() == first
    assert len(first) > 50
    assert (tmp_path / KEPT_KEY).stat().st_mode & 0o077 == 0


def test_commands_find_the_key_that_make_run_has_kept(tmp_path: Path) -> None:
    (tmp_path / KEPT_KEY).write_text("k" * 60)
    installation = Installation(tmp_path, "sqlite://:memory:", environment={"SECRET_KEY": ""})
    assert installation.manage("check").returncode == 0


@pytest.mark.parametrize(
    ("name", "value"), [("PORT", "eighty"), ("DATABASE_CONNECTIONS", "0"), ("UPLOAD_MAX_BYTES", "-1")]
)
def test_a_number_that_is_none_is_named(tmp_path: Path, name: str, value: str) -> None:
    done = Installation(tmp_path, "sqlite://:memory:").manage("check", check=False, **{name: value})
    assert done.returncode == 1
    assert f"Touchstone cannot start: {name} must be" in done.stderr
    assert value in done.stderr


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = Installation(tmp_path, "sqlite://:memory:").manage("check", check=False, DATA_DIR=f"{tmp_path}/file/below")
    assert done.returncode == 1
    assert f"DATA_DIR {tmp_path}/file/below cannot be created: Not a directory. Name another." in done.stderr


def test_a_data_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATA_DIR")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(ImproperlyConfigured, match=r"cannot be written\. Give this account the right, or name another"):
        data_folder(tmp_path)


def test_a_read_only_disk_is_named(on_small_disk: Installation) -> None:
    subprocess.run(["mount", "-o", "remount,ro", on_small_disk.folder], check=True)
    done = on_small_disk.manage("doctor", check=False)
    assert done.returncode == 1
    assert f"DATA_DIR {on_small_disk.folder} cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


# --- what is missing while it runs ------------------------------------------------------------------------------------
def test_without_redis_people_work_on_and_doctor_names_it(installations: Installations) -> None:
    nobody = f"redis://:open-sesame@127.0.0.1:{free_port()}/0"
    with installations.serving("sqlite", CELERY_BROKER_URL=nobody) as installation:
        installation.manage("seed_demo")
        with signed_in(installation, "bo") as bo:
            answer = bo.post("/p/demo/work/next/", data={"csrfmiddlewaretoken": "c" * 32}, follow_redirects=True)
        doctor = installation.manage("doctor", check=False)
    assert answer.status_code == 200
    assert doctor.returncode == 1
    assert "Start the broker, correct CELERY_BROKER_URL" in doctor.stdout
    assert "open-sesame" not in doctor.stdout + doctor.stderr


def test_on_a_full_disk_a_draft_is_refused_in_words_and_the_stored_one_stays(on_small_disk: Installation) -> None:
    held = on_small_disk.python(HELD)
    address = f"/p/demo/work/{held['slot']}/save/"
    long = {"csrfmiddlewaretoken": "c" * 32, **held["form"], "feedback": "Wort " * (MB // 5)}
    on_small_disk.serve(workers=1, threads=2)
    with signed_in(on_small_disk, "ana") as ana:
        filler = fill(on_small_disk.folder)
        refused = ana.post(address, data=long)
        assert (refused.status_code, NO_ROOM in refused.text) == (507, True)
        assert on_small_disk.python(STORED, pk=held["pk"]) == [held["form"]["revision"], held["feedback"]]
        filler.unlink()
        assert ana.post(address, data=long).status_code == 302
    assert on_small_disk.python(STORED, pk=held["pk"]) == [held["form"]["revision"] + 1, long["feedback"].rstrip()]


HELD = """
slot = Slot.objects.held().get(holder__username="ana")
mine = slot.annotations.get()
result = {"slot": slot.pk, "pk": mine.pk, "feedback": mine.draft["feedback"],
          "form": {"token": str(slot.token), "revision": mine.revision}}
"""
STORED = """
mine = Annotation.objects.get(pk=pk)
result = [mine.revision, mine.draft["feedback"].rstrip()]
"""


def test_on_a_full_disk_an_upload_is_refused_in_words(on_small_disk: Installation) -> None:
    on_small_disk.serve(workers=1, threads=2)
    rows = b"\n".join(b'{"key": "%d"}' % number for number in range(300_000))
    with signed_in(on_small_disk, "lead") as lead:
        filler = fill(on_small_disk.folder)
        refused = lead.post(
            "/p/demo/import/", data={"csrfmiddlewaretoken": "c" * 32}, files={"file": ("rows.jsonl", rows)}
        )
        assert (refused.status_code, NO_ROOM in refused.text) == (507, True)
        filler.unlink()
    assert on_small_disk.python("result = Item.objects.count()") > 40
    assert not list((on_small_disk.folder / "incoming").iterdir())


def test_on_a_full_disk_a_backup_and_a_seed_leave_nothing_half_done(on_small_disk: Installation) -> None:
    filler = fill(on_small_disk.folder)
    refused = on_small_disk.manage("backup", on_small_disk.folder / "b.zip", check=False)
    assert (refused.returncode, "No space left on device" in refused.stderr) == (1, True)
    doctor = on_small_disk.manage("doctor", check=False)
    assert (doctor.returncode, "make room" in doctor.stdout) == (1, True)
    filler.unlink()
    assert not list(on_small_disk.folder.glob("b.zip*"))
    assert on_small_disk.manage("seed_demo", "--live").returncode == 0
