"""The page that converts a definition of another tool: shown with its leftovers, and saved only in the editor."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotate.kinds.questions.definition import read_definition
from annotate.models import Definition, Project
from annotate.project.actions import create_project
from tests.support.people import make_member

pytestmark = pytest.mark.django_db

CONFIG = (Path(__file__).parents[3] / "fixtures" / "tools" / "label_studio.xml").read_text(encoding="utf-8")
PATH = "/p/own/questions/convert/"


@pytest.fixture
def project() -> Project:
    return create_project(slug="own", kind="form")


@pytest.fixture
def lead(project: Project, client: Client) -> Client:
    client.force_login(make_member(project, "lead").user)
    return client


def posted(lead: Client, text: str, **more: Any) -> Any:
    return lead.post(PATH, {"tool": "label_studio", "text": text, **more})


def test_the_editor_leads_there(lead: Client) -> None:
    for edit in ("form", "text"):
        assert f'href="{PATH}"' in lead.get(f"/p/own/questions/?edit={edit}").content.decode()
    assert 'name="file"' in lead.get(PATH).content.decode()


@pytest.mark.parametrize("uploaded", [False, True])
def test_a_configuration_is_shown_with_what_is_left_and_nothing_is_stored(lead: Client, *, uploaded: bool) -> None:
    file = {"file": SimpleUploadedFile("config.xml", CONFIG.encode())} if uploaded else {}
    page = unescape(posted(lead, "" if uploaded else CONFIG, **file).content.decode())
    assert "Converted in part" in page
    assert "line 7, video photo: what it shows has no counterpart." in page
    assert "Has no counterpart" in page
    assert Definition.objects.count() == 1


def test_the_editor_opens_with_it_and_saves_it(lead: Client, project: Project) -> None:
    page = posted(lead, CONFIG).content.decode()
    fields = {name: unescape(value) for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page)}
    opened = lead.post("/p/own/questions/?edit=text", {**fields, "preview": "1"})
    assert opened.status_code == 200
    assert "name: tone" in unescape(opened.content.decode())
    assert Definition.objects.count() == 1
    saved = lead.post("/p/own/questions/", {**fields, "note": ""})
    assert saved.status_code == 302
    newest = project.definitions.first()
    assert newest is not None
    assert "tone" in read_definition(newest.text).by_name


@pytest.mark.parametrize(
    ("text", "file", "said"),
    [
        ("", None, "Paste the definition, or choose its file."),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><View>&a;</View>", None, "A document type"),
        ("<View><script>alert(1)</script></View>", None, "no column can be shown"),
        ("", b"\xff\xfe", "not UTF-8 text"),
        ("", b"x" * 2_000_001, "more than 2 MB"),
        ("x" * 2_000_001, None, "2000000"),
    ],
)
def test_what_cannot_be_converted_is_said_beside_what_was_pasted(
    lead: Client, text: str, file: bytes | None, said: str
) -> None:
    answer = posted(lead, text, **({"file": SimpleUploadedFile("x", file)} if file else {}))
    page = answer.content.decode()
    assert answer.status_code == 422
    assert said in unescape(page)
    assert "<script>alert(1)" not in page


def test_other_kinds_and_strangers_have_no_such_page(client: Client) -> None:
    fixed = create_project(slug="fixed", kind="feedback")
    client.force_login(make_member(fixed, "lead").user)
    assert client.get("/p/fixed/questions/convert/").status_code == 404
    assert client.get(PATH).status_code == 404
