"""A database that does not answer: people and programs are told to try again, and a fault of ours stays a fault."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, InterfaceError, OperationalError
from django.test import Client

from annotate.models import Project
from tests.support.people import make_member, make_project
from tests.support.programs_with_tokens import token_for

pytestmark = pytest.mark.django_db

Failing = Callable[[Exception], None]
LOCKED = OperationalError("database is locked")


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Failing:
    """failing(fault): from now on the list of items raises it."""

    def fail_with(fault: Exception) -> None:
        def asked(*_arguments: Any, **_options: Any) -> None:
            raise fault

        monkeypatch.setattr("annotate.items.pages.list_context", asked)

    return fail_with


def page(project: Project) -> Any:
    client = Client(raise_request_exception=False)
    client.force_login(make_member(project, "lead").user)
    return client.get(f"/p/{project.slug}/items/")


def test_people_are_told_to_try_again(project: Project, failing: Failing) -> None:
    failing(LOCKED)
    answer = page(project)
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert "The database does not answer at the moment" in answer.text


@pytest.mark.parametrize(
    "fault", [RuntimeError("Oh."), IntegrityError("CHECK failed"), OperationalError("no such table")]
)
def test_a_fault_of_ours_stays_one(project: Project, failing: Failing, fault: Exception) -> None:
    failing(fault)
    answer = page(project)
    assert answer.status_code == 500
    assert "Retry-After" not in answer


def test_the_cause_of_an_error_counts(project: Project, failing: Failing) -> None:
    outer = RuntimeError("while rendering")
    outer.__cause__ = LOCKED
    failing(outer)
    assert page(project).status_code == 503


def test_on_a_server_every_lost_connection_counts(project: Project, failing: Failing, monkeypatch: Any) -> None:
    failing(InterfaceError("connection already closed"))
    assert page(project).status_code == 500
    monkeypatch.setattr("annotate.web.error_pages.connection.vendor", "postgresql")
    assert page(project).status_code == 503


def test_programs_get_a_code_and_the_seconds(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = token_for(make_member(project, "lead"))

    def away(*_arguments: Any, **_options: Any) -> None:
        raise LOCKED

    monkeypatch.setattr("annotate.api.releases.newest_page", away)
    client = Client(headers={"authorization": f"Bearer {secret}"}, raise_request_exception=False)
    answer = client.get(f"/api/v1/projects/{project.slug}/releases/")
    assert (answer.status_code, answer["Retry-After"], answer.json()["code"]) == (503, "10", "unavailable")
