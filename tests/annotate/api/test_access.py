from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client, override_settings
from django.utils import timezone

from annotate.models import ApiToken, Member
from annotate.people import tokens
from annotate.web import rate_limits
from tests.support.programs_with_tokens import program, token_for, with_token
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
PROJECTS, PROJECT = "/api/v1/projects/", "/api/v1/projects/fb/"
SHAPE = {"code", "message", "where", "remedy"}


def refused(client: Client) -> tuple[int, bytes, dict[str, str]]:
    answer = client.get(PROJECT)
    headers = {name: value for name, value in answer.headers.items() if name != "X-Request-ID"}
    return answer.status_code, answer.content, headers


def test_whatever_is_wrong_with_a_token_is_answered_alike(case: Case) -> None:
    member = case.member(case.lead)
    secrets = {name: token_for(member) for name in ("expired", "revoked", "left", "switched off")}
    ids = {name: ApiToken.objects.get(sha256=tokens.digest(secret)) for name, secret in secrets.items()}
    ApiToken.objects.filter(pk=ids["expired"].pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    tokens.revoke(ids["revoked"])
    clients = [Client(), with_token("ts_unknown"), with_token(""), with_token(secrets["expired"])]
    clients += [with_token(secrets["revoked"]), Client(headers={"authorization": "Token x"})]
    clients += [Client(headers={"authorization": f"Basic {secrets['left']}"})]
    told = [refused(client) for client in clients]
    Member.objects.filter(pk=member.pk).delete()
    told.append(refused(with_token(secrets["left"])))
    case.lead.is_active = False
    case.lead.save()
    told.append(refused(with_token(secrets["switched off"])))
    assert all(one == told[0] for one in told)
    assert told[0][0] == 401
    assert told[0][2]["WWW-Authenticate"].startswith("Bearer")


def test_a_session_does_not_count(client: Client, case: Case) -> None:
    client.force_login(case.lead)
    assert client.get(PROJECT).status_code == 401
    assert client.post(f"{PROJECT}releases/", {}, content_type="application/json").status_code == 401


def test_a_program_without_cookies_needs_no_csrf_token(case: Case) -> None:
    client = program(case.member(case.lead), enforce_csrf_checks=True)
    assert client.post(f"{PROJECT}releases/", {}, content_type="application/json").status_code == 201


def test_a_token_opens_its_own_project_only(case: Case, lead: Client) -> None:
    from tests.support.people import make_project

    other = make_project()
    Member.objects.create(project=other, user=case.lead, role="lead")
    assert lead.get(f"/api/v1/projects/{other.slug}/").status_code == 404
    assert lead.get(f"/api/v1/projects/{other.slug}/").content == lead.get("/api/v1/projects/nowhere/").content
    assert [one["slug"] for one in lead.get(PROJECTS).json()["results"]] == ["fb"]


def test_a_token_of_a_smaller_role_can_do_less(case: Case) -> None:
    weak = program(case.member(case.lead), "viewer")
    assert weak.get(f"{PROJECT}items/").status_code == 200
    assert weak.post(f"{PROJECT}releases/", {}, content_type="application/json").status_code == 403


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FETCH"])
@pytest.mark.parametrize("path", [PROJECT, f"{PROJECT}items/", f"{PROJECT}runs/", "/api/v1/schema/", "/api/v1/docs/"])
def test_only_reading_and_posting_are_understood(lead: Client, method: str, path: str) -> None:
    assert lead.generic(method, path).status_code == 405
    assert Client().generic(method, path).status_code == 405


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/v1/nothing/", 404, "not_found"),
        ("GET", "/api/v2/", 404, "not_found"),
        ("GET", f"{PROJECT}items/99999999/", 404, "not_found"),
        ("GET", f"{PROJECT}items/{10**30}/", 404, "not_found"),
        ("PUT", PROJECT, 405, "method_not_allowed"),
        ("GET", f"{PROJECT}items/?nothing=1", 422, "invalid"),
        ("POST", f"{PROJECT}releases/", 415, "unsupported_type"),
    ],
)
def test_every_error_has_the_same_shape(lead: Client, method: str, path: str, status: int, code: str) -> None:
    answer = lead.generic(method, path, b"x", content_type="text/plain")
    assert answer.status_code == status
    assert set(answer.json()) == SHAPE
    assert answer.json()["code"] == code
    assert answer.headers["Content-Type"] == "application/json"


def test_a_body_that_is_no_json_is_told_so(lead: Client) -> None:
    for body in (b"{", b"\xff", b"[1]", b"null", b'"x"', b'{"note": NaN}'):
        answer = lead.post(f"{PROJECT}releases/", body, content_type="application/json")
        assert (answer.status_code, set(answer.json())) in ((400, SHAPE), (422, SHAPE)), body


def test_json_only_is_answered(lead: Client) -> None:
    answer = lead.get(PROJECT, headers={"accept": "text/html"})
    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")


def test_nothing_is_kept_by_caches_on_the_way(lead: Client) -> None:
    assert lead.get(PROJECT).headers["Cache-Control"] == "no-store"


def test_a_fault_of_ours_is_told_in_the_same_shape(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotate.api.items.matching", lambda *_: 1 / 0)
    client = program(case.member(case.lead), raise_request_exception=False)
    answer = client.get(f"{PROJECT}items/")
    assert answer.status_code == 500
    assert (set(answer.json()), answer.json()["code"]) == (SHAPE, "fault")
    assert "ZeroDivision" not in answer.content.decode()


def test_a_request_that_says_it_is_too_large_is_refused_unread(lead: Client) -> None:
    length = str(settings.UPLOAD_MAX_BYTES + 10**6)
    answer = lead.post(f"{PROJECT}imports/", b"x", content_type="application/jsonl", headers={"content-length": length})
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@override_settings(API_REQUESTS_A_MINUTE=3)
def test_too_many_requests_of_one_token_are_put_off(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "time", lambda: 1_900_000_000.0)  # no minute ends meanwhile
    one, other = program(case.member(case.lead)), program(case.member(case.lead))
    assert [one.get(PROJECT).status_code for _ in range(4)] == [200, 200, 200, 429]
    late = one.get(PROJECT)
    assert (set(late.json()), late.json()["code"]) == (SHAPE, "throttled")
    assert 1 <= int(late.headers["Retry-After"]) <= 61
    assert other.get(PROJECT).status_code == 200


def test_the_language_of_errors_is_asked_for(lead: Client) -> None:
    answer = lead.get("/api/v1/nothing/", headers={"accept-language": "zh-hans"})
    assert answer.headers["Content-Language"] == "zh-hans"


@pytest.mark.parametrize("body", [b'{"options":' + b"[" * 100_000, b'{"a":' * 100_000])
def test_a_body_nested_without_end_is_no_fault_of_ours(lead: Client, body: bytes) -> None:
    answer = lead.post(f"{PROJECT}releases/", body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")


@override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=1000)
def test_a_form_is_not_read_into_memory_without_end(lead: Client) -> None:
    body = b'{"note": "' + b"x" * 1000 + b'"}'
    answer = lead.post(f"{PROJECT}releases/", body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize("method", ["get", "post"])
def test_an_address_without_its_slash_leads_nowhere_and_says_so(lead: Client, method: str) -> None:
    answer = getattr(lead, method)(f"{PROJECT}releases", content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert "slash" in answer.json()["message"]


def test_pages_for_people_still_lead_on(client: Client) -> None:
    assert client.get("/accounts/login").status_code == 301
