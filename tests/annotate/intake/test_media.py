"""Rows that name files: files come in a zip with them or were added before, and missing ones are named."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from annotate.chores import run_batch
from annotate.intake import report
from annotate.media.actions import add
from annotate.models import Batch, Item, MediaFile, Project
from annotate.project.actions import create_project
from tests.support.pages import client_of, said
from tests.support.people import make_member
from tests.support.pictures import packed, pdf, picture

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


def rows_naming(*names: str, **columns: str) -> bytes:
    return b"".join(
        json.dumps({"key": f"k{n}", "picture": name, **columns}).encode() + b"\n" for n, name in enumerate(names)
    )


def upload(lead: Client, content: bytes, name: str = "set.zip") -> Any:
    data = {"drafts": "suggestion", "duplicates": "skip", "checks": "on", "file": SimpleUploadedFile(name, content)}
    return lead.post("/p/own/import/", data)


def command(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command("import_items", "own", *arguments, "--json", stdout=out)
    return dict(json.loads(out.getvalue()))


# --- a zip ----------------------------------------------------------------------------------------------------------
def test_a_zip_brings_rows_and_their_files(lead: Client) -> None:
    answer = upload(lead, packed({"set/rows.jsonl": rows_naming("./p/a.png", "p/b.png"), "set/p/a.png": picture(),
                                  "set/p/b.png": picture("JPEG")}))  # fmt: skip
    batch = Batch.objects.get()
    assert batch.file_name == "set.zip: rows.jsonl"
    page = said(lead.get(answer["Location"]).content.decode())
    assert "2 files come with the rows." in page
    assert "not in the project" not in page
    assert not MediaFile.objects.exists()
    lead.post(f"/p/own/import/{batch.pk}/confirm/")
    run_batch.work(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, batch.kept, batch.problems) == ("done", 2, [])
    assert [file.added_by for file in MediaFile.objects.all()] == [batch.created_by] * 2
    assert Item.objects.get(key="k0").facts == {"picture": "p/a.png"}
    assert not report.uploaded(batch.stored_as).exists()
    assert not report.bundle(batch.stored_as).exists()


def test_a_file_of_the_zip_that_cannot_be_kept_is_named_and_so_are_its_rows(lead: Client) -> None:
    upload(lead, packed({"rows.jsonl": rows_naming("a.png", "b.png"), "a.png": picture(), "b.png": b"<html>"}))
    batch = Batch.objects.get()
    lead.post(f"/p/own/import/{batch.pk}/confirm/")
    run_batch.work(batch.pk)
    batch.refresh_from_db()
    assert (batch.kept, batch.rejected) == (1, 1)
    messages = {problem["path"]: problem["message"] for problem in batch.problems}
    assert messages["b.png"].startswith("“b.png” holds HTML")
    assert messages["picture"].startswith("names the file “b.png”, which is not in the project")


def test_a_discarded_zip_leaves_nothing(lead: Client, django_capture_on_commit_callbacks: Any) -> None:
    upload(lead, packed({"rows.jsonl": rows_naming("a.png"), "a.png": picture()}))
    batch = Batch.objects.get()
    assert report.bundle(batch.stored_as).exists()
    with django_capture_on_commit_callbacks(execute=True):
        lead.post(f"/p/own/import/{batch.pk}/discard/")
    assert not report.bundle(batch.stored_as).exists()
    assert not report.uploaded(batch.stored_as).exists()


def test_a_hostile_zip_is_refused_at_the_field(lead: Client) -> None:
    answer = upload(lead, packed({"rows.jsonl": rows_naming("a.png"), "../a.png": picture()}))
    assert answer.status_code == 422
    assert "leads out of its folder" in answer.content.decode()
    assert not Batch.objects.exists()


def test_the_command_takes_a_zip_and_a_dry_run_stores_nothing(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "set.zip"
    path.write_bytes(packed({"rows.csv": b"key,picture\n1,a.png\n2,gone.png\n", "a.png": picture()}))
    counts = command(str(path), "--dry-run")
    assert (counts["kept"], counts["rejected"], MediaFile.objects.count()) == (1, 1, 0)
    counts = command(str(path))
    assert (counts["kept"], counts["rejected"], MediaFile.objects.count()) == (1, 1, 1)
    assert counts["problems"][0]["path"] == "picture"
    path.write_bytes(packed({"a.png": picture()}))
    with pytest.raises(CommandError):
        command(str(path))


# --- missing files --------------------------------------------------------------------------------------------------
def test_a_missing_file_is_named_with_row_and_column(project: Project, tmp_path: Path) -> None:
    add(project=project, name="a.png", data=picture(), by=None)
    rows = tmp_path / "rows.jsonl"
    rows.write_bytes(rows_naming("a.png", "b.png"))
    counts = command(str(rows))
    (problem,) = counts["problems"]
    assert (counts["kept"], problem["line"], problem["path"]) == (1, 2, "picture")
    assert problem["message"] == (
        "names the file “b.png”, which is not in the project. Add it under Data → Files, or bring it in a zip with the "
        "rows."
    )


def test_what_every_row_lacks_is_one_line_with_a_count(project: Project, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_bytes(rows_naming(*(f"{n}.png" for n in range(50))))
    with pytest.raises(CommandError):
        command(str(rows))
    (problem, _summary) = sorted(Batch.objects.get().problems, key=lambda found: -found.get("count", 1))
    assert problem["count"] == 50


def test_addresses_and_files_that_are_no_images_are_refused(project: Project, tmp_path: Path) -> None:
    add(project=project, name="a.pdf", data=pdf(), by=None)
    rows = tmp_path / "rows.jsonl"
    rows.write_bytes(rows_naming("https://example.invalid/a.png", "a.pdf"))
    with pytest.raises(CommandError):
        command(str(rows))
    messages = [problem["message"] for problem in Batch.objects.get().problems]
    assert any("files are never fetched" in message for message in messages)
    assert any("“a.pdf”, which is no image" in message for message in messages)
