"""Images that messages of a transcript name: checked at import, drawn on pages, seen by who sees the item, and kept."""

import json
from typing import Any

import pytest
from django.test import Client

from annotate.chores import make_release
from annotate.formats.rows import ImportRow
from annotate.intake.row_reader import RowReader, Settings
from annotate.media.actions import add, remove_files_of, remove_unnamed
from annotate.models import Item, MediaFile, Project
from annotate.project.actions import create_project
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters
from tests.support.pages import client_of, said
from tests.support.people import make_item, make_member
from tests.support.pictures import picture

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]

TEXT = """show: [{field: log, as: chat}]
questions: [{name: ok, type: choice, options: [good, bad]}]
"""
SPAN = {"attributes": {"gen_ai.output.messages": [{"role": "user", "parts": [{"type": "image", "image": "a.png"}]}]}}


@pytest.fixture
def project() -> Project:
    project: Project = create_project(slug="own", kind="form", definition=TEXT, reviews=0)
    return project


def stored(project: Project, name: str = "shots/a.png", data: bytes | None = None) -> MediaFile:
    return add(project=project, name=name, data=data or picture(), by=None)[0]


def showing(*addresses: str) -> list[dict[str, Any]]:
    parts = [{"type": "image_url", "image_url": {"url": address}} for address in addresses]
    return [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": [*parts]}]


def refused(project: Project, log: Any, *coming: str) -> list[tuple[str, str]]:
    reader = RowReader(project, "rows.jsonl", Settings("jsonl"), coming)
    return [(problem.path, problem.message) for problem in reader.read(ImportRow(3, {"key": "k", "log": log})).problems]


def work_page(project: Project, log: Any) -> str:
    make_item(project, facts={"log": log})
    return client_of(make_member(project).user).post("/p/own/work/next/", follow=True).content.decode()


# --- import ---------------------------------------------------------------------------------------------------------
def test_a_row_whose_message_names_a_missing_image_is_refused_with_its_place(project: Project) -> None:
    stored(project)
    assert refused(project, showing("./shots/a.png", "https://example.org/b.png")) == []
    ((place, message),) = refused(project, showing("shots/a.png", "shots/b.png"))
    assert place == "log[1].content[1]"
    assert message.startswith("names the file “shots/b.png”, which is not in the project.")
    ((place, _message),) = refused(project, json.dumps([SPAN]))
    assert place == "log[0].attributes.gen_ai.output.messages[0].parts[0]"


def test_a_zip_may_bring_the_image_and_a_file_that_is_none_is_refused(project: Project) -> None:
    assert refused(project, showing("shots/b.png"), "shots/b.png") == []
    stored(project, "a.png", b"Only words.")
    ((place, message),) = refused(project, showing("a.png"))
    assert (place, message[:35]) == ("log[1].content[0]", "names the file “a.png”, which is no")


# --- pages ----------------------------------------------------------------------------------------------------------
def test_images_of_messages_are_drawn_and_can_be_enlarged(project: Project) -> None:
    file = stored(project)
    page = work_page(project, showing("shots/a.png", "https://example.org/map.png?key=1", "shots/gone.png"))
    assert f'<img src="/p/own/files/{file.link}/" alt="a.png" decoding="async" loading="lazy"' in page
    assert page.count('class="unseen picture__zoom" type="checkbox"') == 1
    assert 'aria-label="Enlarge: a.png"' in page
    assert "Image: map.png" in said(page)
    assert "example.org" not in page
    assert "The file “shots/gone.png” is not in this project." in said(page)
    assert page.count("<img") == 1


def test_annotators_see_images_of_their_own_transcripts_only(project: Project) -> None:
    file, other = stored(project), stored(project, "other.png", picture(colour="blue"))
    make_item(project, facts={"log": showing("shots/a.png")})
    client = client_of(make_member(project).user)
    assert client.get(f"/p/own/files/{file.link}/").status_code == 404
    client.post("/p/own/work/next/")
    assert client.get(f"/p/own/files/{file.link}/").status_code == 200
    assert client.get(f"/p/own/files/{other.link}/").status_code == 404


def test_compared_transcripts_do_not_show_the_names_of_their_images(client: Client) -> None:
    text = """show: [{field: one, as: chat}, {field: two, as: chat}]
questions: [{name: better, type: pair, of: [one, two]}]
"""
    project: Project = create_project(slug="own", kind="form", definition=text, reviews=0)
    stored(project, "model-x.png")
    make_item(project, facts={"one": showing("model-x.png"), "two": showing("model-x.png")}, title="…")
    page = client_of(make_member(project).user).post("/p/own/work/next/", follow=True).content.decode()
    assert (page.count('alt="A 1"'), page.count('alt="B 1"')) == (1, 1)
    assert "model-" not in page


# --- what is kept ---------------------------------------------------------------------------------------------------
def test_images_of_transcripts_are_kept_until_the_last_item_that_names_them(project: Project) -> None:
    stored(project), stored(project, "unnamed.png"), stored(project, "a.png", picture(colour="blue"))
    first = make_item(project, facts={"log": showing("./shots/a.png")})
    make_item(project, facts={"log": [SPAN]})
    assert remove_unnamed(project) == 1
    assert remove_files_of(Item.objects.get(pk=first.pk)) == 1
    assert list(MediaFile.objects.values_list("name", flat=True)) == ["a.png"]


def test_a_release_lists_the_images_that_its_transcripts_name(project: Project) -> None:
    file = stored(project)
    make_item(project, facts={"log": showing("shots/a.png")})
    release = actions.plan(project=project, filters=ReleaseFilters(state="any"), by=None)
    make_release.work(release.pk)
    release.refresh_from_db()
    assert [(named["name"], named["sha256"]) for named in release.manifest["media"]] == [("shots/a.png", file.sha256)]
