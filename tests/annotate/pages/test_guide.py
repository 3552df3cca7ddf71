import re

import pytest
from django.test import Client

from annotate.project.guide import guide_titles
from tests.support.desks import colleague
from tests.support.pages import html_of, said
from tests.support.people import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return colleague(make_project(), "viewer").client


def test_the_contents_lead_to_every_page_and_each_page_on(client: Client) -> None:
    contents = html_of(client, "/guide/")
    names = re.findall(r'href="/guide/\?page=([^"]+)"', contents)
    assert names == [name for name, _title in guide_titles("en")]
    for number, name in enumerate(names):
        html = html_of(client, f"/guide/?page={name}")
        on = re.findall(r'href="/guide/\?page=([^"]+)" rel="next"', html)
        assert on == names[number + 1 : number + 2]


def test_pictures_come_in_the_language_of_who_looks(client: Client) -> None:
    html = html_of(client, "/guide/?page=02-dataset")
    (address, *_more) = re.findall(r'<img src="(/guide/picture/\?name=[a-z]+)"', html)
    assert "](../" not in html
    english, chinese = (
        b"".join(client.get(address, headers={"accept-language": language}).streaming_content)  # type: ignore[attr-defined]
        for language in ("en", "zh-CN")
    )
    assert english.startswith(b"\x89PNG")
    assert english != chinese


def test_who_reads_chinese_pages_reads_the_chinese_guide(client: Client) -> None:
    answer = client.get("/guide/?page=06-ranking", headers={"accept-language": "zh-CN"})
    assert "谁更好" in said(answer.content.decode())


@pytest.mark.parametrize(
    "address",
    [
        "/guide/?page=99-nothing",
        "/guide/?page=../../security",
        "/guide/?page=README",
        "/guide/picture/?name=../en/work",
    ],
)
def test_nothing_else_of_the_folder_is_shown(client: Client, address: str) -> None:
    html_of(client, address, status=404)
