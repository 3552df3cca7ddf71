"""What stands in the head of every answer, also of those that no view has given."""

import json
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.urls import reverse
from pytest_django import Settings

from annotate.models import Project, Release
from annotate.releases.files import path_of
from annotate.web.middleware import DownloadLimit
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db

EARLY = {
    "a host that is not ours": (400, {"path": "/", "HTTP_HOST": "elsewhere.example"}),
    "another method": (405, {"path": "/", "REQUEST_METHOD": "TRACE"}),
    "no slash": (301, {"path": "/accounts/login"}),
    "no certificate": (301, {"path": "/accounts/login/"}),
}


@pytest.mark.parametrize(("status", "request_"), EARLY.values(), ids=EARLY)
def test_answers_of_the_first_layers_are_guarded_like_pages(status: int, request_: dict[str, str]) -> None:
    with override_settings(SECURE_SSL_REDIRECT=request_["path"] == "/accounts/login/"):
        answer = Client().get(**request_)
    assert answer.status_code == status
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_what_somebody_may_read_is_kept_by_no_browser(client: Client) -> None:
    lead = make_member(make_project(), "lead")
    client.force_login(lead.user)
    for name in ("items", "items_csv", "overview", "guidelines"):
        answer = client.get(reverse(name, args=[lead.project.slug]))
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store"), name


@pytest.fixture
def reader(settings: Settings, tmp_path: Path) -> Client:
    """Of a project with one release."""
    settings.DATA_DIR = tmp_path
    member = make_member(make_project(slug="p"), "viewer")
    release = Release.objects.create(project=member.project, version=1, stored_as="1.jsonl", state="done")
    path_of(release.stored_as).write_bytes(b'{"key": "one"}\n')
    client = Client()
    client.force_login(member.user)
    return client


DOWNLOAD = "/p/p/releases/1/download/"


def test_a_person_has_only_some_downloads_at_a_time(reader: Client) -> None:
    under_way = [reader.get(DOWNLOAD) for _number in range(DownloadLimit.EACH)]
    assert {answer.status_code for answer in under_way} == {200}
    refused = reader.get(DOWNLOAD)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "30")
    assert "Too many downloads at the same time" in refused.content.decode()
    assert reader.get("/p/p/releases/").status_code == 200
    under_way[0].close()
    assert reader.get(DOWNLOAD).status_code == 200


def test_another_person_is_not_kept_waiting(reader: Client) -> None:
    under_way = [reader.get(DOWNLOAD) for _number in range(DownloadLimit.EACH)]
    other = Client()
    other.force_login(make_member(Project.objects.get(), "viewer").user)
    assert other.get(DOWNLOAD).status_code == 200
    assert len(under_way) == DownloadLimit.EACH


def test_what_is_read_from_the_database_takes_half_of_its_connections(reader: Client, settings: Settings) -> None:
    settings.DATABASE_CONNECTIONS = 4
    under_way = [reader.get("/p/p/items.csv") for _number in range(2)]
    assert {answer.status_code for answer in under_way} == {200}
    assert reader.get("/p/p/items.csv").status_code == 429
    assert reader.get(DOWNLOAD).status_code == 200


def test_programs_are_refused_in_their_own_words(reader: Client) -> None:
    answer = DownloadLimit(lambda _request: HttpResponse())._refused(RequestFactory().get("/api/v1/projects/"))
    assert (answer.status_code, json.loads(answer.content)["code"]) == (429, "throttled")


def test_files_that_are_the_same_for_everybody_are_kept(settings: Settings, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "page.css").write_text("p {}")
    answer = Client().get("/static/page.css")
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"].startswith("max-age=")
