import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotate import bell
from annotate.chores import make_release
from annotate.models import Annotation, Item, Project, Release
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters
from annotate.releases.files import path_of
from annotate.upkeep.reconciliation import reconcile
from tests.support.files import imported, row, write_rows
from tests.support.pages import client_of, said
from tests.support.people import make_item, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = make_project(slug="fb", name="Feedback bench", licence="CC BY 4.0")
    imported(made, write_rows(tmp_path / "in.jsonl", [row(no) for no in range(3)]))
    return made


@pytest.fixture
def lead(project: Project, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(bell, "ring", lambda task, pk: None)
    return client_of(make_member(project, "lead").user)


@pytest.fixture
def viewer(project: Project) -> Client:
    return client_of(make_member(project, "viewer").user)


def made(project: Project, **filters: Any) -> Release:
    planned = actions.plan(project=project, filters=ReleaseFilters(**{"state": "any"} | filters), by=None)
    make_release.work(planned.pk)
    planned.refresh_from_db()
    return planned


def body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def test_a_lead_makes_a_release_and_watches_it(project: Project, lead: Client) -> None:
    given = {"state": "any", "train": "0.8", "test": "0.2", "seed": "5", "note": "first", "licence": "MIT"}
    answer = lead.post("/p/fb/releases/", given)
    assert (answer.status_code, answer["Location"]) == (302, "/p/fb/releases/1/")
    assert 'hx-trigger="every 2s"' in lead.get(answer["Location"]).content.decode()
    reconcile()
    fragment = lead.get(answer["Location"], headers={"HX-Request": "true"}).content.decode()
    assert fragment.lstrip().startswith('<div class="stack" id="release"')
    assert "hx-trigger" not in fragment
    release = Release.objects.get()
    assert (release.rows, release.note, release.licence) == (3, "first", "MIT")
    assert release.manifest["splits"] == {"shares": {"train": 0.8, "test": 0.2}, "seed": 5}
    assert "Dataset card" in lead.get(answer["Location"]).content.decode()


def test_shares_that_do_not_add_up_are_said(project: Project, lead: Client) -> None:
    answer = lead.post("/p/fb/releases/", {"state": "any", "train": "0.8"})
    assert (answer.status_code, Release.objects.exists()) == (422, False)
    assert "add up to 0.8" in answer.content.decode()


def test_groups_are_offered_where_there_are_several(project: Project, lead: Client) -> None:
    assert "Only these groups" not in lead.get("/p/fb/releases/").content.decode()
    Item.objects.filter(key="row-1").update(group="Coding")
    assert "Only these groups" in lead.get("/p/fb/releases/").content.decode()
    lead.post("/p/fb/releases/", {"state": "any", "groups": ["Coding"]})
    reconcile()
    assert Release.objects.get().rows == 1


def test_file_manifest_and_card_are_downloaded(project: Project, viewer: Client) -> None:
    release = made(project)
    file = viewer.get("/p/fb/releases/1/download/")
    assert file.streaming
    assert body(file) == path_of(release.stored_as).read_bytes()
    assert file["Content-Disposition"] == 'attachment; filename="fb-v1.jsonl"'
    assert file["X-Content-Type-Options"] == "nosniff"
    manifest = viewer.get("/p/fb/releases/1/manifest/")
    assert json.loads(manifest.content).items() >= release.manifest.items()
    assert manifest["Content-Disposition"] == 'attachment; filename="fb-v1.jsonl.manifest.json"'
    assert viewer.get("/p/fb/releases/1/card/").content.decode().startswith("# Feedback bench, version 1")


def test_the_downloaded_pair_verifies(project: Project, viewer: Client, tmp_path: Path) -> None:
    from annotate.releases.verify_files import verify

    made(project)
    (tmp_path / "fb-v1.jsonl").write_bytes(body(viewer.get("/p/fb/releases/1/download/")))
    (tmp_path / "fb-v1.jsonl.manifest.json").write_bytes(viewer.get("/p/fb/releases/1/manifest/").content)
    assert verify(tmp_path / "fb-v1.jsonl").holds


def test_what_is_not_written_yet_cannot_be_downloaded(project: Project, viewer: Client) -> None:
    actions.plan(project=project, filters=ReleaseFilters(), by=None)
    for part in ("download", "manifest", "card"):
        assert viewer.get(f"/p/fb/releases/1/{part}/").status_code == 404


def test_a_withdrawn_release_is_gone_with_words_and_stays_listed(project: Project, lead: Client) -> None:
    made(project)
    asked = lead.get("/p/fb/releases/1/withdraw/")
    assert "It can never be downloaded again." in asked.content.decode()
    assert Release.objects.get().withdrawn_at is None
    lead.post("/p/fb/releases/1/withdraw/")
    for part in ("download", "manifest", "card"):
        answer = lead.get(f"/p/fb/releases/1/{part}/")
        assert answer.status_code == 410
        assert "was withdrawn" in answer.content.decode()
    assert "Withdrawn" in lead.get("/p/fb/releases/").content.decode()


def test_two_releases_are_compared_on_a_page_and_as_json(project: Project, viewer: Client) -> None:
    made(project)
    changed = Annotation.objects.get(item__key="row-1")
    Annotation.objects.filter(pk=changed.pk).update(draft=changed.draft | {"feedback": "That is one moon too few."})
    Item.objects.filter(key="row-2").update(purpose="gold")
    made(project)
    page = viewer.get("/p/fb/releases/compare/?old=1&new=2").content.decode()
    assert "row-1" in page
    assert "<del>many</del>" in page
    assert "<ins>few</ins>" in page
    told = viewer.get("/p/fb/releases/compare/?old=1&new=2&format=json").json()
    assert told == {
        "old": 1,
        "new": 2,
        "same": 1,
        "added": [],
        "removed": ["row-2"],
        "changed": [{"key": "row-1", "fields": ["feedback"]}],
    }


@pytest.mark.parametrize("query", ["", "old=1", "old=1&new=9", "old=x&new=1", "old=1&new=²", "old=1&new=" + "9" * 30])
def test_versions_that_are_none_get_404(project: Project, viewer: Client, query: str) -> None:
    made(project)
    assert viewer.get(f"/p/fb/releases/compare/?{query}").status_code == 404


def test_a_failed_release_can_be_tried_again(project: Project, lead: Client) -> None:
    release = actions.plan(project=project, filters=ReleaseFilters(state="any"), by=None)
    Release.objects.update(state="failed")
    assert "Try again" in lead.get("/p/fb/releases/1/").content.decode()
    lead.post("/p/fb/releases/1/retry/")
    reconcile()
    release.refresh_from_db()
    assert release.state == "done"


def test_annotators_see_no_releases_and_readers_make_none(project: Project, viewer: Client) -> None:
    made(project)
    annotator = client_of(make_member(project, "annotator").user)
    for address in ("", "1/", "1/download/", "compare/?old=1&new=1"):
        assert annotator.get(f"/p/fb/releases/{address}").status_code == 403
        assert viewer.get(f"/p/fb/releases/{address}").status_code == 200
    for address in ("", "1/withdraw/", "1/retry/"):
        assert viewer.post(f"/p/fb/releases/{address}").status_code == 403
    assert Release.objects.count() == 1


def test_strangers_get_404(project: Project) -> None:
    made(project)
    stranger = client_of(make_member(make_project(slug="other"), "lead").user)
    for address in ("", "1/", "1/download/", "1/manifest/", "1/card/", "1/withdraw/", "compare/?old=1&new=1"):
        assert stranger.get(f"/p/fb/releases/{address}").status_code == 404


def test_the_list_asks_the_database_as_often_for_many_as_for_few(
    project: Project, lead: Client, django_assert_max_num_queries: Any
) -> None:
    for _time in range(5):
        made(project)
    with django_assert_max_num_queries(14):
        assert "Version 5" in lead.get("/p/fb/releases/").content.decode()


def held(client: Client, query: str) -> str:
    answer = client.get(f"/p/fb/releases/?{query}", headers={"hx-request": "true"})
    html = answer.content.decode()
    assert 'id="will-hold"' in html
    assert "<main" not in html
    return said(html)


def test_before_it_is_created_a_release_says_what_it_will_hold(project: Project, lead: Client) -> None:
    for state, language in (("accepted", "en"), ("accepted", "zh"), ("reviewing", "en")):
        item = make_item(project, language=language)
        Item.objects.filter(pk=item.pk).update(state=state)
    make_item(project, purpose="gold")
    page = said(lead.get("/p/fb/releases/").content.decode())
    assert "2 items will be in the release. What stays out of it:" in page
    assert "3 To annotate 1 In review 1 calibration, gold and attention items" in page
    chosen = held(lead, "state=accepted&languages=zh")
    assert "1 item will be in the release." in chosen
    assert "1 not in the chosen groups and languages" in chosen
    assert "6 items will be in the release." in held(lead, "state=any")
    assert "2 items will be in the release." in held(lead, "state=nonsense"), "as long as the form is not whole"


def test_the_figures_of_the_next_release_are_for_leads(project: Project, viewer: Client) -> None:
    html = viewer.get("/p/fb/releases/", headers={"hx-request": "true"}).content.decode()
    assert "will-hold" not in html
