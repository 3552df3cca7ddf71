import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks

from annotate import bell
from annotate.chores import run_batch
from annotate.intake import previews, report
from annotate.models import Batch, Item, Project
from annotate.upkeep.reconciliation import reconcile
from tests.support.files import bring, facts_only, jsonl, row
from tests.support.pages import client_of
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


@pytest.fixture
def lead(project: Project) -> Client:
    return client_of(make_member(project, "lead").user)


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The batches for which the worker's bell was rung."""
    ids: list[int] = []
    monkeypatch.setattr(bell, "ring", lambda task, pk: ids.append(pk))
    return ids


def upload(client: Client, content: bytes, *, name: str = "rows.jsonl", **given: Any) -> HttpResponse:
    data = {"drafts": "suggestion", "duplicates": "skip", "checks": "on"} | given
    return client.post("/p/fb/import/", data | {"file": SimpleUploadedFile(name, content)})


def test_an_example_of_the_kind_is_at_hand(lead: Client) -> None:
    assert 'href="/projects/new/example/?kind=feedback"' in lead.get("/p/fb/import/").content.decode()


def test_the_form_says_whose_text_an_imported_draft_counts_as(lead: Client) -> None:
    page = lead.get("/p/fb/import/").content.decode()
    assert "A suggestion counts as a model's text wherever authorship is measured" in page


# --- uploading and looking ------------------------------------------------------------------------------------------
def test_an_upload_leads_to_a_preview_and_imports_nothing(lead: Client) -> None:
    answer = upload(lead, jsonl([row(1), row(2, feedback=7)]))
    batch = Batch.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/p/fb/import/{batch.pk}/")
    page = lead.get(answer["Location"]).content.decode()
    assert "How many moons has planet 1?" in page
    assert "That is one moon too many." in page
    assert "must be text, not 7." in page
    assert (batch.state, Item.objects.count()) == ("preview", 0)


def test_the_file_is_stored_under_a_random_name(lead: Client) -> None:
    upload(lead, jsonl([row(1)]), name="../../evil\x07 name.jsonl")
    batch = Batch.objects.get()
    assert "/" not in batch.file_name
    assert batch.file_name.isprintable()
    stored = report.uploaded(batch.stored_as)
    assert stored.read_bytes() == jsonl([row(1)])
    assert stored.parent == report.folder("uploads")
    assert "evil" not in stored.name


def test_a_name_without_known_ending_asks_for_the_format(lead: Client) -> None:
    answer = upload(lead, jsonl([row(1)]), name="rows.txt")
    assert answer.status_code == 422
    assert "Known endings" in answer.content.decode()
    assert not Batch.objects.exists()
    assert upload(lead, jsonl([row(1)]), name="rows.txt", format="jsonl").status_code == 302


def test_no_file_is_said_beside_the_field(lead: Client) -> None:
    answer = lead.post("/p/fb/import/", {"drafts": "suggestion", "duplicates": "skip"})
    assert answer.status_code == 422
    assert "This field is required." in answer.content.decode()


def test_what_is_too_large_is_refused_before_it_is_read(lead: Client, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 1000
    answer = upload(lead, b"x" * 200_000)
    assert (answer.status_code, Batch.objects.exists()) == (413, False)
    assert "1000\xa0bytes" in answer.content.decode()
    assert upload(lead, b"x" * 2000).status_code == 422


def test_the_preview_can_be_read_in_another_way(lead: Client) -> None:
    upload(lead, jsonl([row(1)]))
    batch = Batch.objects.get()
    answer = lead.post(
        f"/p/fb/import/{batch.pk}/settings/", {"format": "jsonl", "drafts": "final", "duplicates": "round"}
    )
    assert answer.status_code == 302
    batch.refresh_from_db()
    assert batch.settings["drafts"] == "final"
    assert batch.settings["checks"] is False
    assert "Accepted" in lead.get(answer["Location"]).content.decode()


def test_bad_settings_are_said_and_change_nothing(lead: Client) -> None:
    upload(lead, jsonl([row(1)]))
    batch = Batch.objects.get()
    answer = lead.post(f"/p/fb/import/{batch.pk}/settings/", {"format": "chess", "drafts": "final"})
    assert answer.status_code == 422
    batch.refresh_from_db()
    assert batch.settings["drafts"] == "suggestion"


def test_the_published_format_is_asked_the_same_question(lead: Client) -> None:
    upload(lead, jsonl([row(1)]), format="fbbench", drafts="facts")
    assert Batch.objects.get().settings["options"] == {"as": "facts"}


def test_a_table_has_its_separator(lead: Client) -> None:
    upload(lead, b"key;bench_type\n", name="a.csv", **{"csv-separator": "semicolon"})
    assert Batch.objects.get().settings["options"] == {"separator": "semicolon", "apostrophes": "restored"}


def test_the_very_same_file_is_recognised(lead: Client, rung: list[int]) -> None:
    for _time in range(2):
        upload(lead, jsonl([row(1)]))
        batch = Batch.objects.first()
        page = lead.get(f"/p/fb/import/{batch.pk}/").content.decode()
        lead.post(f"/p/fb/import/{batch.pk}/confirm/")
        reconcile()
    assert "This exact file was imported before" in page


# --- confirming, progress, report -----------------------------------------------------------------------------------
def test_a_confirmed_file_is_imported_by_the_worker(lead: Client, rung: list[int]) -> None:
    upload(lead, jsonl([row(1), row(2, feedback=7)]))
    batch = Batch.objects.get()
    address = f"/p/fb/import/{batch.pk}/"
    assert lead.post(f"{address}confirm/").status_code == 302
    assert rung == [batch.pk]
    waiting = lead.get(address).content.decode()
    assert 'hx-trigger="every 2s"' in waiting
    reconcile()
    done = lead.get(address, headers={"HX-Request": "true"}).content.decode()
    assert done.lstrip().startswith('<div class="stack" id="batch"')
    assert "hx-trigger" not in done
    assert "must be text, not 7." in done
    assert Item.objects.count() == 1


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([{"key": "a"}, {"key": "b"}], "No row of this file can be imported"),
        ([row(1)], "Every row of this file is already stored"),
    ],
)
def test_a_file_of_which_no_row_is_kept_cannot_be_imported(
    project: Project, lead: Client, rung: list[int], tmp_path: Path, rows: list[Any], why: str
) -> None:
    bring(project, tmp_path, row(1))
    upload(lead, jsonl(rows))
    batch = Batch.objects.get(state="preview")
    address = f"/p/fb/import/{batch.pk}/"
    page = lead.get(address).content.decode()
    assert why in page
    assert f'action="{address}confirm/"' not in page
    answer = lead.post(f"{address}confirm/", follow=True)
    batch.refresh_from_db()
    assert (batch.state, rung) == ("preview", [])
    assert why in answer.content.decode()


def test_a_file_whose_end_was_not_read_can_be_imported(
    lead: Client, rung: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previews, "ROWS", 2)
    upload(lead, jsonl([{"key": "a"}, {"key": "b"}, row(3)]))
    batch = Batch.objects.get()
    confirm = f"/p/fb/import/{batch.pk}/confirm/"
    assert f'action="{confirm}"' in lead.get(f"/p/fb/import/{batch.pk}/").content.decode()
    lead.post(confirm)
    assert rung == [batch.pk]


def test_names_in_back_ticks_are_shown_as_code_and_many_rows_as_a_count(lead: Client) -> None:
    upload(lead, jsonl([row(0), *(facts_only(no, mood="`<b>x</b>`") for no in range(1, 13))]))
    page = lead.get(f"/p/fb/import/{Batch.objects.get().pk}/").content.decode()
    assert "<code>provenance</code>" in page
    assert page.count("is not a field of this kind") == 1
    assert "12 like this" in page
    assert "1, 2" not in page.split("12 like this")[0]


def test_confirming_twice_rings_once(lead: Client, rung: list[int]) -> None:
    upload(lead, jsonl([row(1)]))
    batch = Batch.objects.get()
    for _time in range(2):
        assert lead.post(f"/p/fb/import/{batch.pk}/confirm/").status_code == 302
    assert rung == [batch.pk]


def test_a_discarded_file_is_gone(
    lead: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    upload(lead, jsonl([row(1)]))
    batch = Batch.objects.get()
    with django_capture_on_commit_callbacks(execute=True):
        assert lead.post(f"/p/fb/import/{batch.pk}/discard/").status_code == 302
        assert report.uploaded(batch.stored_as).exists(), "until it is certain"
    assert not Batch.objects.exists()
    assert not report.uploaded(batch.stored_as).exists()


def test_what_is_confirmed_cannot_be_discarded(lead: Client, rung: list[int]) -> None:
    upload(lead, jsonl([row(1)]))
    batch = Batch.objects.get()
    lead.post(f"/p/fb/import/{batch.pk}/confirm/")
    lead.post(f"/p/fb/import/{batch.pk}/discard/")
    assert Batch.objects.get().state == "waiting"


def test_rejects_are_downloaded_as_a_file(lead: Client, rung: list[int]) -> None:
    upload(lead, jsonl([row(1, feedback=7), row(2)]), name="moons.jsonl")
    batch = Batch.objects.get()
    address = f"/p/fb/import/{batch.pk}/"
    assert lead.get(f"{address}rejects/").status_code == 404
    lead.post(f"{address}confirm/")
    reconcile()
    answer = lead.get(f"{address}rejects/")
    assert answer["Content-Disposition"] == 'attachment; filename="moons-rejects.jsonl"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert b'"line": 1' in b"".join(answer.streaming_content)


def test_problems_are_paged(lead: Client, rung: list[int]) -> None:
    upload(lead, jsonl([row(0), *(facts_only(no, **{f"mood {no}": "good"}) for no in range(1, 61))]))
    batch = Batch.objects.get()
    lead.post(f"/p/fb/import/{batch.pk}/confirm/")
    reconcile()
    second = lead.get(f"/p/fb/import/{batch.pk}/?page=2").content.decode()
    assert second.count("<code class=") == 10
    assert "Page 2 of 2" in second


def test_problems_are_said_in_the_language_of_whoever_reads(project: Project, lead: Client, rung: list[int]) -> None:
    user = project.members.get().user
    user.language = "zh-hans"
    user.save()
    rows = [row(1), row(1), row(2, feedback=7), facts_only(3, mail="m@example.org"), {"key": "x"}]
    upload(lead, jsonl(rows) + b"{oops\n")
    batch = Batch.objects.get()
    lead.post(f"/p/fb/import/{batch.pk}/confirm/")
    run_batch.work(batch.pk)
    batch.refresh_from_db()
    chinese = [problem["message"] for problem in batch.problems]
    page = words(lead.get(f"/p/fb/import/{batch.pk}/"))
    assert all(message in page for message in chinese)
    other = words(client_of(make_member(project, "lead").user).get(f"/p/fb/import/{batch.pk}/"))
    assert "The key “row-1” is already in line 1; that one is used." in other
    assert "must be text, not 7." in other
    assert not [message for message in chinese if message in other]


def words(page: HttpResponse) -> str:
    """With names in back-ticks, as messages have them before they are shown as code."""
    return html.unescape(re.sub("</?code>", "`", page.content.decode()))


def test_text_of_the_file_never_becomes_markup(lead: Client) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    upload(lead, jsonl([row(1, user_query=hostile, feedback=hostile), {hostile: 1}]), name=f"{hostile}.jsonl")
    page = lead.get(f"/p/fb/import/{Batch.objects.get().pk}/").content.decode()
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


# --- who may --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("role", ["reviewer", "annotator", "viewer"])
def test_only_leads_import(project: Project, role: str) -> None:
    client = client_of(make_member(project, role).user)
    assert client.get("/p/fb/import/").status_code == 403
    assert upload(client, jsonl([row(1)])).status_code == 403
    assert not Batch.objects.exists()


def test_strangers_and_other_projects_get_404(project: Project, lead: Client) -> None:
    upload(lead, jsonl([row(1)]))
    batch = Batch.objects.get()
    stranger = client_of(make_member(make_project(slug="other"), "lead").user)
    assert stranger.get("/p/fb/import/").status_code == 404
    for address in ("", "rejects/"):
        assert stranger.get(f"/p/other/import/{batch.pk}/{address}").status_code == 404
    for verb in ("settings", "confirm", "discard"):
        assert stranger.post(f"/p/other/import/{batch.pk}/{verb}/").status_code == 404
        assert lead.get(f"/p/fb/import/{batch.pk}/{verb}/").status_code == 405
    assert Batch.objects.get().state == "preview"


def test_the_list_asks_the_database_as_often_for_many_as_for_few(
    project: Project, lead: Client, django_assert_max_num_queries: Any
) -> None:
    Batch.objects.bulk_create(
        Batch(project=project, file_name=f"f{no}", format="jsonl", problems=[{"x": "y" * 500}] * 50) for no in range(60)
    )
    with django_assert_max_num_queries(12):
        assert "f59" in lead.get("/p/fb/import/").content.decode()
