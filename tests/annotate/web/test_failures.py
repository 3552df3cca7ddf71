"""Failures that are nobody's wrong request: a full disk, a request that cannot be read, an upload that was cut off."""

import errno
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import DataError, OperationalError
from django.test import Client, RequestFactory

from annotate.models import Project
from annotate.web import error_pages
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


def answer(project: Project, fault: Exception, monkeypatch: pytest.MonkeyPatch) -> Any:
    def failing(*_arguments: Any, **_options: Any) -> None:
        raise fault

    monkeypatch.setattr("annotate.items.pages.list_context", failing)
    client = Client(raise_request_exception=False)
    client.force_login(make_member(project, "lead").user)
    return client.get(f"/p/{project.slug}/items/")


@pytest.mark.parametrize(
    "fault",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EROFS, "Read-only file system"),
        OperationalError("database or disk is full"),
        OperationalError("attempt to write a readonly database"),
    ],
)
def test_a_disk_without_room_is_told_as_such(
    project: Project, fault: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = answer(project, fault, monkeypatch)
    assert page.status_code == 507
    assert "Retry-After" not in page


@pytest.mark.parametrize("fault", [OSError(errno.EACCES, "Permission denied"), DataError("value too long")])
def test_other_faults_of_files_and_rows_are_ours(
    project: Project, fault: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert answer(project, fault, monkeypatch).status_code == 500


def test_a_fault_that_followed_from_a_full_disk_is_one_too(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    outer = RuntimeError("while storing")
    outer.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    assert answer(project, outer, monkeypatch).status_code == 507


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [(PermissionDenied("Only leads."), 403, "forbidden"), (SuspiciousOperation("odd"), 400, "malformed")],
)
def test_the_api_answers_what_django_refuses(fault: Exception, status: int, code: str) -> None:
    response = error_pages.answer_to(fault, {})
    assert response is not None
    assert (response.status_code, response.data["code"]) == (status, code)


def test_the_reason_of_a_refusal_is_told_to_programs() -> None:
    response = error_pages.answer_to(PermissionDenied("Only leads."), {})
    assert response is not None
    assert response.data["message"] == "Only leads."


def test_a_request_that_cannot_be_read_is_a_code_for_programs_and_a_page_for_people() -> None:
    api = error_pages.bad_request(RequestFactory().get("/api/v1/projects/"))
    page = error_pages.bad_request(RequestFactory().get("/p/fb/"))
    assert (api.status_code, page.status_code) == (400, 400)
    assert b'"code": "malformed"' in api.content
    assert page["Content-Type"].startswith("text/html")


def test_an_unfinished_upload_is_closed_so_that_it_keeps_no_room() -> None:
    upload = BytesIO(b"half of a file")
    request: Any = SimpleNamespace(upload_handlers=[SimpleNamespace(file=upload), SimpleNamespace(file=None)])
    error_pages._drop_unfinished_uploads(request)
    assert upload.closed
