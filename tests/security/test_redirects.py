"""Nobody is led out of the installation by a link into it."""

from urllib.parse import urlsplit

import pytest
from django.test import Client

from tests.security.asking import client_of
from tests.security.world import World

pytestmark = pytest.mark.django_db

OUTSIDE = [
    "https://pwned.invalid/",
    "//pwned.invalid/",
    "///pwned.invalid/",
    "/\\pwned.invalid/",
    "\\\\pwned.invalid",
    "http:pwned.invalid",
    "javascript:alert(1)",
    "https://testserver@pwned.invalid/",
    "https://testserver.pwned.invalid/",
    "/\t/pwned.invalid",
    "\r\nLocation: https://pwned.invalid/",
]
PLACES = [
    ("/preferences/theme/", "next", {"theme": "dark"}),
    ("/preferences/language/", "next", {"language": "en"}),
    ("/accounts/logout/", "next", {}),
    ("/p/ours/tour/", "next", {"to": "0"}),
    ("/accounts/reauthenticate/", "next", {"password": "long enough for a test"}),
    ("/p/ours/items/{item}/comments/", "back", {"text": "x"}),
]


@pytest.mark.parametrize("outside", OUTSIDE)
@pytest.mark.parametrize(("path", "name", "form"), PLACES, ids=[path for path, _name, _form in PLACES])
def test_a_form_leads_back_to_pages_of_ours_only(
    world: World, path: str, name: str, form: dict[str, str], outside: str
) -> None:
    path = path.format(item=world.id_of("item", "lead"))
    answer = client_of(world, "lead").post(path, {**form, name: outside})
    assert answer.status_code == 302
    assert urlsplit(answer.headers["Location"]).netloc in ("", "testserver")
    assert answer.headers["Location"].startswith("/")


@pytest.mark.parametrize("outside", OUTSIDE)
def test_signing_in_leads_to_pages_of_ours_only(world: World, outside: str) -> None:
    form = {"login": "lead", "password": "long enough for a test", "next": outside}
    answer = Client().post("/accounts/login/", form)
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/"


def test_a_host_that_is_not_ours_is_refused(world: World) -> None:
    assert Client().get("/accounts/login/", headers={"host": "pwned.invalid"}).status_code == 400


@pytest.mark.parametrize("path", ["/accounts/password/reset/", "/p/ours/people/"])
def test_links_in_mails_and_pages_are_not_made_from_the_host_a_visitor_names(world: World, path: str) -> None:
    answer = client_of(world, "lead").get(path, headers={"host": "127.0.0.1", "x-forwarded-host": "pwned.invalid"})
    assert "pwned" not in answer.content.decode()
