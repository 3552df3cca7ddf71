"""What becomes of files: erased with the only item that names them, listed in releases, in backups, and diagnosed."""

import zipfile
from pathlib import Path
from typing import Any

import pytest

from annotate.chores import erase_withdrawn, make_release
from annotate.errors import Refused
from annotate.media import storage
from annotate.media.actions import add, remove_files_of
from annotate.models import Item, MediaFile, Project, Run
from annotate.project.actions import create_project
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters
from annotate.releases.manifests import card
from annotate.runs.plan import plan_run
from annotate.survey import withdrawal
from annotate.upkeep import backups
from annotate.upkeep.diagnosis import stored_media
from tests.support.endpoints import make_endpoint
from tests.support.people import make_item
from tests.support.pictures import picture
from tests.support.surveys import open_survey, sent
from tests.support.withdrawn import reported_by

pytestmark = pytest.mark.django_db

TEXT = """show: [{field: picture, as: image}, {field: report, as: file, optional: true}]
questions: [{name: ok, type: choice, options: [good, bad]}]
"""


@pytest.fixture(autouse=True)
def _own_files(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path
    media = {
        "BACKEND": "annotate.media.storage.DurableStorage",
        "OPTIONS": {"location": tmp_path / "files" / "media"},
    }
    settings.STORAGES = {**settings.STORAGES, "media": media}


@pytest.fixture
def project() -> Project:
    project: Project = create_project(slug="own", kind="form", definition=TEXT, reviews=0)
    return project


def stored(project: Project, name: str, colour: str) -> MediaFile:
    return add(project=project, name=name, data=picture(colour=colour), by=None)[0]


def test_files_go_with_the_last_item_that_names_them(project: Project) -> None:
    own, shared = stored(project, "own.png", "red"), stored(project, "shared.png", "blue")
    stored(project, "unnamed.png", "green")
    first = make_item(project, facts={"picture": "own.png", "report": "shared.png"})
    make_item(project, facts={"picture": "shared.png"})
    assert remove_files_of(first) == 1
    assert remove_files_of(first) == 0
    assert set(MediaFile.objects.values_list("name", flat=True)) == {"shared.png", "unnamed.png"}
    assert not storage.media_storage().exists(own.stored_as)
    assert storage.media_storage().exists(shared.stored_as)


def test_a_withdrawal_removes_files_of_items_made_from_the_case(project: Project) -> None:
    participant = sent(open_survey())
    file = stored(project, "own.png", "red")
    made = make_item(project, facts={"picture": "own.png"}, parent=reported_by(participant)[0])
    erase_withdrawn.work(withdrawal.begin(participant).pk)
    assert Item.objects.get(pk=made.pk).facts != {"picture": "own.png"}
    assert not MediaFile.objects.exists()
    assert not storage.media_storage().exists(file.stored_as)


def test_a_release_lists_the_files_that_its_rows_name(project: Project) -> None:
    file = stored(project, "p/a.png", "red")
    stored(project, "unnamed.png", "blue")
    make_item(project, facts={"picture": "p/a.png"})
    release = actions.plan(project=project, filters=ReleaseFilters(state="any"), by=None)
    make_release.work(release.pk)
    release.refresh_from_db()
    assert release.manifest["media"] == [
        {"name": "p/a.png", "sha256": file.sha256, "type": "image/png", "bytes": file.size}
    ]
    assert "The rows name 1 files. They are not part of this release" in card(release.manifest)


def test_a_backup_holds_the_files(project: Project, tmp_path: Path) -> None:
    file = stored(project, "a.png", "red")
    manifest = backups.write(tmp_path / "all.zip")
    assert manifest["tables"]["annotate.mediafile"]["rows"] == 1
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        assert archive.read(f"files/media/{file.stored_as}") == storage.opened(file.stored_as).read()


def test_the_doctor_misses_bytes_and_finds_stray_ones(project: Project) -> None:
    assert stored_media().found == "none"
    file = stored(project, "a.png", "red")
    assert (stored_media().state, stored_media().found) == ("ok", "1 stored")
    storage.keep(f"{project.pk}/ab/stray", b"x")
    assert stored_media().state == "note"
    storage.media_storage().delete(file.stored_as)
    assert (stored_media().state, stored_media().found) == ("missing", "1 of 1 are gone, such as own: a.png")


def test_no_model_is_asked_about_images_that_it_cannot_see(project: Project) -> None:
    make_item(project, facts={"picture": "a.png"})
    endpoint = make_endpoint()
    with pytest.raises(Refused, match=r"show images \(picture\)"):
        plan_run(project=project, purpose="preannotate", endpoint=endpoint, by=None)
    assert not Run.objects.exists()
