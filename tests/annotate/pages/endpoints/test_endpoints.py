import logging
import os
import re
from typing import Any

import pytest
from django.http import HttpResponse
from django.template.defaultfilters import capfirst
from django.test import Client, RequestFactory
from django.utils.html import escape
from django.views.debug import technical_500_response

from annotate.engine import endpoint_probe
from annotate.engine.endpoint_probe import Probe
from annotate.engine.endpoints import HIDDEN
from annotate.engine.pages import advice
from annotate.kinds.protocol import Cause
from annotate.models import Endpoint, User
from tests.support.endpoints import KEY, KEY_NAME, make_endpoint
from tests.support.model_server import ModelServer
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db
LIST, NEW = "/endpoints/", "/endpoints/new/"
FORM = {
    "name": "small",
    "base_url": "http://127.0.0.1:8001/v1",
    "model": "m-1",
    "key_env": "",
    "price_in": "0.5",
    "price_out": "1.5",
    "max_in_flight": "4",
    "requests_a_minute": "",
    "tokens_a_minute": "",
    "context_length": "",
    "deadline": "60",
    "attempts": "3",
    "strict_json": "on",
}


@pytest.fixture(autouse=True)
def _approved(settings: Any) -> None:
    settings.MODEL_ORIGINS = ["http://127.0.0.1:8001"]


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(User.objects.create_user("admin", is_staff=True))
    return client


def page(made: Endpoint, what: str = "") -> str:
    return f"{LIST}{made.pk}/{what}"


def text(answer: HttpResponse) -> str:
    return answer.content.decode()


def probed(monkeypatch: pytest.MonkeyPatch, probe: Probe) -> None:
    monkeypatch.setattr(endpoint_probe, "probe", lambda _endpoint: probe)


# --- who --------------------------------------------------------------------------------------------------------------
def test_a_lead_sees_none_of_it(client: Client) -> None:
    made = make_endpoint()
    client.force_login(make_member(make_project(), "lead").user)
    for path in (LIST, NEW, page(made), "/endpoints/987654/"):
        assert client.get(path).status_code == 403
    for path in (NEW, page(made), page(made, "retire/"), page(made, "test/")):
        assert client.post(path, FORM).status_code == 403
    assert Endpoint.objects.get().retired_at is None
    assert "/endpoints/" not in text(client.get("/projects/"))


@pytest.mark.parametrize("columns", [{"is_staff": True}, {"is_superuser": True}])
def test_staff_and_superusers_do(client: Client, columns: dict[str, bool]) -> None:
    client.force_login(User.objects.create_user("admin", **columns))
    assert client.get(LIST).status_code == 200
    assert 'href="/endpoints/"' in text(client.get("/projects/"))


def test_what_is_not_there_is_not_found(admin: Client) -> None:
    assert admin.get("/endpoints/987654/").status_code == 404


# --- making and changing ----------------------------------------------------------------------------------------------
def test_one_is_made(admin: Client) -> None:
    answer = admin.post(NEW, FORM)
    made = Endpoint.objects.get()
    assert answer["Location"] == page(made)
    assert (made.name, made.model, made.max_in_flight, made.strict_json) == ("small", "m-1", 4, True)
    assert (made.approved, made.created_by.username if made.created_by else "") == (False, "admin")


def test_an_unapproved_host_is_refused_and_the_approved_ones_are_shown(admin: Client) -> None:
    answer = admin.post(NEW, {**FORM, "base_url": "http://10.0.0.5/v1"})
    assert answer.status_code == 422
    assert "http://10.0.0.5:80 is not approved" in text(answer)
    assert "<code>http://127.0.0.1:8001</code>" in text(answer)
    assert not Endpoint.objects.exists()


@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/v1", "http://127.0.0.1:8001@10.0.0.5/v1", "http://2130706433:8001/v1"]
)
def test_a_trick_is_refused(admin: Client, url: str) -> None:
    assert admin.post(NEW, {**FORM, "base_url": url}).status_code == 422
    assert not Endpoint.objects.exists()


def test_one_is_changed(admin: Client) -> None:
    made = make_endpoint(base_url=FORM["base_url"])
    assert admin.post(page(made), {**FORM, "name": "renamed", "strict_json": ""}).status_code == 302
    made.refresh_from_db()
    assert (made.name, made.strict_json, made.approved) == ("renamed", False, True)


def test_only_a_tick_makes_an_endpoint_take_images(admin: Client) -> None:
    made = make_endpoint(base_url=FORM["base_url"])
    assert admin.post(page(made), {**FORM, "takes_images": "on"}).status_code == 302
    made.refresh_from_db()
    assert made.takes_images
    assert re.search(r'name="takes_images"[^>]* checked', text(admin.get(page(made))))
    assert admin.post(page(made), FORM).status_code == 302
    made.refresh_from_db()
    assert not made.takes_images


def test_a_refused_change_leaves_it_and_keeps_what_was_typed(admin: Client) -> None:
    made = make_endpoint("small", base_url=FORM["base_url"])
    answer = admin.post(page(made), {**FORM, "name": "renamed", "attempts": "0"})
    assert answer.status_code == 422
    assert 'value="renamed"' in text(answer)
    assert '<h1 class="title">small</h1>' in text(answer)
    made.refresh_from_db()
    assert (made.name, made.attempts) == ("small", 1)


def test_one_is_retired_and_brought_back(admin: Client) -> None:
    made = make_endpoint()
    admin.post(page(made, "retire/"))
    assert Endpoint.objects.get().retired_at
    assert "Reactivate" in text(admin.get(page(made)))
    admin.post(page(made, "retire/"), {"back": "1"})
    assert Endpoint.objects.get().retired_at is None


def test_what_is_not_approved_any_more_stays_retired_and_says_so(admin: Client, settings: Any) -> None:
    settings.MODEL_ORIGINS = []
    made = make_endpoint(approved=False)
    admin.post(page(made, "retire/"))
    answer = admin.post(page(made, "retire/"), {"back": "1"}, follow=True)
    assert "is not approved" in text(answer)
    assert Endpoint.objects.get().retired_at


def test_the_list_asks_as_often_for_one_as_for_many(admin: Client, django_assert_max_num_queries: Any) -> None:
    for number in range(20):
        make_endpoint(f"e-{number}", key_env=KEY_NAME)
    with django_assert_max_num_queries(6):
        assert "e-19" in text(admin.get(LIST))


# --- the key ----------------------------------------------------------------------------------------------------------
def test_a_key_is_set_or_not_and_never_shown(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_endpoint(key_env=KEY_NAME)
    monkeypatch.delenv(KEY_NAME, raising=False)
    for path in (LIST, page(made)):
        assert "not set" in text(admin.get(path))
    monkeypatch.setenv(KEY_NAME, KEY)
    for path in (LIST, NEW, page(made)):
        shown = text(admin.get(path))
        assert "not set" not in shown
        assert KEY not in shown


def test_a_key_typed_for_its_name_does_not_come_back(admin: Client, caplog: pytest.LogCaptureFixture) -> None:
    made = make_endpoint(base_url=FORM["base_url"])
    with caplog.at_level(logging.DEBUG):
        for path in (NEW, page(made)):
            answer = admin.post(path, {**FORM, "name": "another", "key_env": KEY})
            assert answer.status_code == 422
            assert "not the name of an environment variable" in text(answer)
            assert 'value="another"' in text(answer)
            assert KEY not in text(answer)
    assert KEY not in caplog.text


@pytest.mark.parametrize("html", [True, False])
def test_a_report_of_a_fault_shows_nothing_of_the_environment(
    rf: RequestFactory, monkeypatch: pytest.MonkeyPatch, html: bool
) -> None:
    """Development servers put the environment into each request."""
    monkeypatch.setenv("AN_INNOCENT_NAME", KEY)
    request = rf.get("/", headers={"accept": "text/html" if html else "text/plain"})
    request.META |= os.environ
    try:
        raise ValueError("a fault of ours")
    except ValueError as fault:
        report = technical_500_response(request, type(fault), fault, fault.__traceback__).content.decode()
    assert "a fault of ours" in report
    assert "AN_INNOCENT_NAME" in report
    assert KEY not in report


# --- the test button --------------------------------------------------------------------------------------------------
def test_a_service_that_answers_is_named(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    probed(monkeypatch, Probe(True, None, "", 123, "m-1-2026"))
    assert "m-1-2026 answered in 123 ms." in text(admin.post(page(make_endpoint(), "test/")))


@pytest.mark.parametrize("cause", list(Cause))
def test_each_cause_is_told_with_what_to_do(admin: Client, monkeypatch: pytest.MonkeyPatch, cause: Cause) -> None:
    made = make_endpoint(key_env=KEY_NAME)
    probed(monkeypatch, Probe(False, cause, "<b>said</b>", None, ""))
    shown = text(admin.post(page(made, "test/")))
    assert escape(capfirst(cause.label)) in shown
    assert escape(advice(cause, made)) in shown
    assert "&lt;b&gt;said&lt;/b&gt;" in shown


def test_a_key_that_a_service_repeats_is_hidden(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_NAME, KEY)
    probed(monkeypatch, Probe(False, Cause.UNAUTHORISED, f"Incorrect API key provided: {KEY}", 5, KEY))
    shown = text(admin.post(page(make_endpoint(key_env=KEY_NAME), "test/")))
    assert KEY not in shown
    assert f"provided: {HIDDEN}" in shown


def test_the_fragment_stands_alone(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    probed(monkeypatch, Probe(True, None, "", 5, "m"))
    shown = text(admin.post(page(make_endpoint(), "test/"), headers={"HX-Request": "true"}))
    assert shown.strip().startswith('<section class="panel" id="endpoint-test"')
    assert "<html" not in shown


@pytest.mark.parametrize(
    "columns", [{"approved": False, "base_url": "http://10.0.0.5/v1"}, {"base_url": "http://[fe80::1]/v1"}]
)
def test_nothing_is_sent_where_nothing_may_be(
    admin: Client, monkeypatch: pytest.MonkeyPatch, columns: dict[str, Any]
) -> None:
    monkeypatch.setattr(endpoint_probe, "probe", lambda _endpoint: pytest.fail("it was asked"))
    shown = text(admin.post(page(make_endpoint(**columns), "test/")))
    assert "not approved" in shown or "link-local, metadata or reserved" in shown


def test_looking_sends_nothing(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_probe, "probe", lambda _endpoint: pytest.fail("it was asked"))
    made = make_endpoint()
    assert admin.get(page(made)).status_code == 200
    assert admin.get(page(made, "test/")).status_code == 405


def test_a_living_service_answers(admin: Client, model_server: ModelServer) -> None:
    made = make_endpoint(base_url=model_server.base_url, model="simulated")
    assert "answered in" in text(admin.post(page(made, "test/")))
    assert model_server.calls.requests == 1


def test_a_service_that_refuses_the_key_is_told_apart(
    admin: Client, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_NAME, KEY)
    model_server.turn(key="another")
    made = make_endpoint(base_url=model_server.base_url, model="simulated", key_env=KEY_NAME)
    shown = text(admin.post(page(made, "test/")))
    assert f"rejected the key in {KEY_NAME}" in shown
    assert KEY not in shown


def test_where_nothing_listens_the_connection_is_what_failed(admin: Client) -> None:
    assert "No response from http://127.0.0.1:9/v1" in text(admin.post(page(make_endpoint(), "test/")))
