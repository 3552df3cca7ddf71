"""Zips on the page of files: unpacked by a worker, with a report of every file; hostile ones are refused as a whole."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotate.chores import run_batch
from annotate.intake import batches, report
from annotate.media.actions import add, remove_unnamed
from annotate.models import AuditEntry, Batch, MediaFile, Notification, Project
from annotate.project.actions import create_project
from tests.support.pages import client_of, said
from tests.support.people import make_member
from tests.support.pictures import packed, picture

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]

TEXT = """show: [{field: picture, as: image}, {field: report, as: file, optional: true}]
questions: [{name: ok, type: choice, options: [good, bad]}]
"""


@pytest.fixture
def project() -> Project:
    project: Project = create_project(slug="own", kind="form", definition=TEXT, reviews=0)
    return project


@pytest.fixture
def lead(project: Project) -> Client:
    return client_of(make_member(project, "lead").user)


def upload(lead: Client, *zips: Mapping[str, bytes] | bytes, name: str = "set.zip") -> Any:
    contents = [content if isinstance(content, bytes) else packed(content) for content in zips]
    return lead.post("/p/own/files/", {"chosen": [SimpleUploadedFile(name, content) for content in contents]})


def worked() -> Batch:
    batch = Batch.objects.get()
    run_batch.work(batch.pk)
    batch.refresh_from_db()
    return batch


def names() -> list[str]:
    return list(MediaFile.objects.values_list("name", flat=True))


def test_a_zip_is_unpacked_by_a_worker_and_every_file_is_reported(project: Project, lead: Client) -> None:
    add(project=project, name="p/b.png", data=picture(colour="blue"), by=None)
    add(project=project, name="p/c.png", data=picture(colour="green"), by=None)
    answer = upload(
        lead,
        {
            "p/a.png": picture(),
            "p/b.png": picture(colour="blue"),
            "p/c.png": picture(),
            "d.png": b"<svg/>",
            "e.zip": packed({}),
        },
    )
    batch = Batch.objects.get()
    assert answer["Location"] == f"/p/own/import/{batch.pk}/"
    page = lead.get(answer["Location"]).content.decode()
    assert "Unpacking will start in a moment." in page
    assert 'hx-trigger="every 2s"' in page
    batch = worked()
    assert (batch.state, batch.read, batch.kept, batch.duplicates, batch.rejected) == ("done", 5, 1, 1, 3)
    page = lead.get(answer["Location"]).content.decode()
    assert 'hx-trigger="every 2s"' not in page
    for sentence in (
        "“p/b.png” is here already, with the same content.",
        "“p/c.png” is stored already, with another content",
        "“d.png” holds HTML, SVG or XML",
        "“e.zip” is none of these",
    ):
        assert sentence in page
    file = MediaFile.objects.get(name="p/a.png")
    assert f'<a href="/p/own/files/{file.link}/">p/a.png</a>' in page
    assert (file.batch, file.added_by) == (batch, batch.created_by)
    assert names() == ["p/a.png", "p/b.png", "p/c.png"]


def test_the_zip_is_gone_and_what_happened_is_in_the_trail_the_list_and_the_inbox(lead: Client) -> None:
    upload(lead, {"a.png": picture()})
    batch = worked()
    assert not report.uploaded(batch.stored_as).exists()
    entry = AuditEntry.objects.get(verb="import.started")
    assert {"file_name": "set.zip", "format": "files"}.items() <= json.loads(entry.after).items()
    assert "1 of 1 files added" in said(lead.get("/p/own/import/").content.decode())
    assert "set.zip" in lead.get("/p/own/files/").content.decode()
    assert Notification.objects.get().verb == "imported"


def test_a_worker_that_stopped_is_continued_without_counting_a_file_twice(
    lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MEDIA_AT_ONCE", 2)
    upload(lead, {f"{n}.txt": b"%d" % n for n in range(6)} | {"bad": b"MZ\x00"})
    batch = Batch.objects.get()
    run_batch.work(batch.pk, most=2)
    batch.refresh_from_db()
    assert (batch.state, batch.read, batch.kept) == ("waiting", 2, 2)
    # Stored by the worker that was killed before it could count it.
    add(project=batch.project, name="2.txt", data=b"2", by=batch.created_by, batch=batch)
    batch = worked()
    assert (batch.state, batch.read, batch.kept, batch.duplicates, batch.rejected) == ("done", 7, 6, 0, 1)
    assert remove_unnamed(batch.project) == 6


def test_a_zip_of_which_nothing_can_be_stored_has_failed(lead: Client) -> None:
    upload(lead, {"a.html": b"<html>"})
    assert worked().state == "failed"
    page = lead.get(f"/p/own/import/{Batch.objects.get().pk}/").content.decode()
    assert "holds HTML" in page
    assert "/rejects/" not in page


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        ({"a.png": picture(), "../b.png": picture()}, "leads out of its folder"),
        ({"a.txt": bytes(3 * 1024 * 1024)}, "unpacks to more than 200 times its size"),
        ({".DS_Store": b""}, "holds no file"),
        (b"PK\x03\x04" + bytes(60), "is incomplete"),
    ],
)
def test_a_zip_that_cannot_be_taken_is_refused_whole_with_its_name(
    lead: Client, content: Any, cause: str, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    answer = upload(lead, content, name="bad.zip")
    assert answer.status_code == 422
    page = said(answer.content.decode())
    assert "“bad.zip”:" in page
    assert cause in page
    assert not Batch.objects.exists()
    assert not MediaFile.objects.exists()
    assert list(report.folder("uploads").iterdir()) == []


def test_files_and_zips_may_be_chosen_together(lead: Client) -> None:
    answer = upload(lead, picture(), {"a.txt": b"a"}, {"b.txt": b"b"}, name="x")
    assert answer["Location"] == "/p/own/files/"
    assert names() == ["x"]
    page = lead.get("/p/own/files/").content.decode()
    assert "1 file added." in page
    assert "2 zips are being unpacked" in page
    answer = upload(lead, {"c.txt": b"c"}, b"MZ\x00", name="y")
    assert answer.status_code == 422
    assert "1 zip is being unpacked" in answer.content.decode()


def test_what_a_zip_brought_is_no_choice_where_items_are_filtered_by_import(project: Project, lead: Client) -> None:
    upload(lead, {"a.png": picture()})
    worked()
    assert "set.zip" not in lead.get("/p/own/items/").content.decode()


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(28, "No space left on device"), "The server could not continue: No space left on device."),
        (ZeroDivisionError(), "A bug in Touchstone stopped the import; see its log."),
    ],
)
def test_a_zip_that_stops_half_way_says_that_files_are_kept(
    lead: Client, monkeypatch: pytest.MonkeyPatch, error: Exception, sentence: str
) -> None:
    def fail(*_file: Any, **_options: Any) -> None:
        raise error

    upload(lead, {"a.png": picture()})
    monkeypatch.setattr("annotate.media.bundles.add", fail)
    batch = worked()
    assert (batch.state, batch.problems[0]["message"]) == ("failed", f"{sentence} Files that were added are kept.")
