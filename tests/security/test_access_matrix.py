"""Every address × method × role. The table is matrix.py."""

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from tests.security.addresses import addresses
from tests.security.asking import (
    ask,
    client_of,
    form_for,
    outcome,
    path_for,
    taken_back,
    watched,
    without_tokens,
)
from tests.security.crawl import body
from tests.security.lines import LINES, LISTED, WHAT, Line
from tests.security.matrix import ROLES
from tests.security.world import OURS, THEIRS, World

pytestmark = pytest.mark.django_db

ADDRESSES = addresses()
UNUSUAL = ("PUT", "PATCH", "DELETE", "TRACE", "OPTIONS")
METHODS = ("GET", "POST", *UNUSUAL)
INSIDE = [line for line in LINES if ADDRESSES[line.address].in_a_project]
every_line = pytest.mark.parametrize("line", LINES, ids=str)


def test_every_address_has_a_line() -> None:
    assert set(ADDRESSES) - set(WHAT) == set()


def test_every_line_has_an_address() -> None:
    assert set(WHAT) - set(ADDRESSES) == set()


def test_an_object_is_named_where_an_address_needs_one() -> None:
    assert {name for name, address in ADDRESSES.items() if address.id_name} == {name for name in WHAT if WHAT[name]}


@every_line
def test_the_matrix_holds(world: World, line: Line) -> None:
    seen = {role: _seen(world, line, role) for role in ROLES}
    assert seen == line.expected


def _seen(world: World, line: Line, role: str) -> str:
    """The outcome for one role. Whoever is refused changes nothing, nor does anybody who only reads."""
    client = client_of(world, role)
    with taken_back(), watched() as written:
        answer = ask(client, world, line, role)
        assert settings.SECRET_KEY not in body(answer)
    if line.method == "GET" or outcome(answer) != "ok":
        assert written == []
    return outcome(answer)


@pytest.mark.parametrize("name", sorted(ADDRESSES))
@pytest.mark.parametrize("role", ["anonymous", "lead"])
def test_what_is_not_listed_changes_nothing(world: World, name: str, role: str) -> None:
    """A page that is only read may answer a POST as if it were read; other methods are refused everywhere."""
    client, path = client_of(world, role), path_for(world, ADDRESSES[name], role)
    with watched() as written:
        answers = {method: client.generic(method, path) for method in METHODS if (name, method) not in LISTED}
    assert {method: outcome(answer) for method, answer in answers.items() if method in UNUSUAL} == dict.fromkeys(
        UNUSUAL, "405"
    )
    assert [method for method, answer in answers.items() if answer.status_code >= 500] == []
    assert "GET" not in answers or outcome(answers["GET"]) in ("sign-in", "401", "403", "404", "405")
    assert written == []


@pytest.mark.parametrize("line", [line for line in LINES if line.method == "GET"], ids=str)
def test_head_answers_like_get_without_a_body(world: World, line: Line) -> None:
    path, query = path_for(world, ADDRESSES[line.address], "lead"), form_for(world, line.address, "lead")
    answer = client_of(world, "lead").head(path, query)
    assert (outcome(answer), body(answer)) == (line.expected["lead"], "")


@pytest.mark.parametrize("line", [line for line in INSIDE if line.what], ids=str)
def test_an_id_of_another_project_is_like_one_that_is_not_there(
    world: World, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each address knows its own project's objects only."""
    at_once = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: at_once)  # two pages of the same moment say the same of all times
    foreign, nothing = world.id_of(line.what, "stranger", THEIRS), 987_654_321
    for role in ("viewer", "annotator", "reviewer", "lead"):
        client = client_of(world, role)
        told = [_told(client, line, object_id) for object_id in (foreign, nothing)]
        assert told[0] == told[1]


def _told(client: Client, line: Line, object_id: object) -> tuple[int, str, str]:
    """What the visitor learns at the end of the way, without the id and what differs at every request."""
    path = ADDRESSES[line.address].path(slug=OURS, object_id=object_id)
    with taken_back(), watched() as written:
        answer = client.get(path, follow=True) if line.method == "GET" else client.post(path, follow=True)
        way = [address for address, _status in answer.redirect_chain]
        text = without_tokens(f"{way} {body(answer)}").replace(f"/{object_id}/", "/id/")
    assert written == []
    return answer.status_code, outcome(answer), text


@pytest.mark.parametrize("number", [0, 2**31, 2**63, 10**40])
def test_an_id_beyond_all_numbers_is_not_a_fault(world: World, number: int) -> None:
    client, lines = client_of(world, "lead"), [line for line in INSIDE if line.what]
    paths = [(line.method, ADDRESSES[line.address].path(slug=OURS, object_id=number)) for line in lines]
    answers = {(method, path): client.generic(method, path).status_code for method, path in paths}
    assert {asked: status for asked, status in answers.items() if status >= 500} == {}


@pytest.mark.parametrize("line", INSIDE, ids=str)
def test_a_project_that_is_not_yours_is_like_one_that_is_not_there(world: World, line: Line) -> None:
    told = []
    for slug in (OURS, "no-such-project"):
        path = ADDRESSES[line.address].path(slug=slug, object_id=world.id_of(line.what, "lead"))
        answer = client_of(world, "stranger").generic(line.method, path)
        told.append((answer.status_code, without_tokens(body(answer)).replace(slug, "slug")))
    assert told[0] == told[1]


# Posted by mail programs (RFC 8058): the signature in the link is the permission, and ends mails only.
BY_SIGNED_LINK = {"mails_stop"}


@pytest.mark.parametrize("line", [line for line in LINES if line.method == "POST"], ids=str)
def test_a_form_of_another_site_is_refused(world: World, line: Line) -> None:
    """One that is for programs does not know the visitor: the browser sends a session along, never a token."""
    client = client_of(world, "lead", enforce_csrf_checks=True)
    client.defaults.pop("HTTP_AUTHORIZATION")
    with watched() as written:
        answer = client.post(path_for(world, ADDRESSES[line.address], "lead"))
    expected = 404 if line.address in BY_SIGNED_LINK else 401 if line.is_for_programs else 403
    assert answer.status_code == expected
    assert written == []


@pytest.mark.parametrize("line", [line for line in LINES if line.method == "GET"], ids=str)
def test_every_answer_is_guarded_in_the_browser(world: World, line: Line) -> None:
    """Nor does a cache, or the browser after signing out, keep what depends on who asks."""
    headers = ask(client_of(world, "lead"), world, line, "lead").headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert (headers["X-Content-Type-Options"], headers["X-Frame-Options"]) == ("nosniff", "DENY")
    assert headers["Referrer-Policy"] == "same-origin"
    if line.address not in ("guide_picture", "api_schema"):  # the same for everybody
        assert "no-store" in headers["Cache-Control"]


def test_writing_would_be_noticed(world: World) -> None:
    with watched() as written:
        client_of(world, "lead").post("/preferences/theme/", {"theme": "dark"})
    assert "annotate_user" in written
