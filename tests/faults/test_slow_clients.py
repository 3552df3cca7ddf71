"""Clients that are slow, silent or do not read stop nobody else, as gunicorn serves without a proxy."""

import random
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.visitors import sessions

pytestmark = pytest.mark.slow

CONNECTIONS, PEOPLE = 24, 12
PATIENCE = 20  # seconds for a page, on a machine that is busy with other tests; before, none came at all
MB = 1024 * 1024

MADE = """
project = Project.objects.create(slug="p", name="P", kind_slug="feedback")
Guideline.objects.create(project=project, version=1, text="Say why.")
for number in range(people):
    person = User.objects.create_user(f"reader{number}", password="long enough for a test")
    Member.objects.create(project=project, user=person, role="viewer")
Release.objects.create(project=project, version=1, stored_as="large.jsonl", state="done", rows=1)
"""


@pytest.fixture(scope="module")
def place(installations: Installations) -> Iterator[Installation]:
    with installations.migrated("sqlite") as place:
        place.python(MADE, people=PEOPLE)
        folder = place.folder / "files" / "releases"
        folder.mkdir(parents=True)
        (folder / "large.jsonl").write_bytes(random.Random(0).randbytes(60 * MB))  # nothing that gzip makes small
        place.serve(workers=None)
        httpx2.get(f"{place.url}/accounts/login/", timeout=240)  # until it has started
        yield place


@pytest.fixture(scope="module")
def keys(place: Installation) -> list[str]:
    """Of sessions, one for each person."""
    return list(sessions(place, [f"reader{number}" for number in range(PEOPLE)]).values())


def connected(place: Installation, stack: ExitStack, request: bytes) -> socket.socket:
    address = urlsplit(place.url)
    client = stack.enter_context(socket.socket())
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(PATIENCE)
    client.connect((str(address.hostname), address.port))
    client.sendall(request)
    return client


def head(first: str, key: str, more: str = "") -> bytes:
    return (
        f"{first} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: sessionid={key}; csrftoken={'c' * 32}\r\n{more}\r\n".encode()
    )


def unread_download(key: str) -> bytes:
    return head("GET /p/p/releases/1/download/", key)


def unread_packed_download(key: str) -> bytes:
    return head("GET /p/p/releases/1/download/", key, "Accept-Encoding: gzip\r\n")


def silence(_key: str) -> bytes:
    return b""


def half_a_head(key: str) -> bytes:
    return head("GET /p/p/", key)[:-20]


def half_a_form(key: str) -> bytes:
    form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 3000\r\n"
    return head("POST /preferences/theme/", key, form) + f"csrfmiddlewaretoken={'c' * 32}&theme=".encode()


def half_an_upload(key: str) -> bytes:
    form = f"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: {50 * MB}\r\n"
    begun = b'--b\r\nContent-Disposition: form-data; name="file"; filename="rows.jsonl"\r\n\r\n'
    return head("POST /p/p/import/", key, form) + begun


@contextmanager
def clients(place: Installation, keys: list[str], request: Callable[[str], bytes]) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [connected(place, stack, request(keys[number % PEOPLE])) for number in range(CONNECTIONS)]


KINDS = [unread_download, unread_packed_download, silence, half_a_head, half_a_form, half_an_upload]


@pytest.mark.parametrize("request_", KINDS, ids=lambda kind: kind.__name__)
def test_pages_come_meanwhile(place: Installation, keys: list[str], request_: Callable[[str], bytes]) -> None:
    with clients(place, keys, request_):
        for key in keys[:3]:
            page = httpx2.get(f"{place.url}/p/p/guidelines/", cookies={"sessionid": key}, timeout=PATIENCE)
            assert page.status_code == 200
            assert "Say why." in page.text


def test_a_person_has_only_some_downloads_at_a_time(place: Installation, keys: list[str]) -> None:
    with clients(place, keys[:1] * PEOPLE, unread_download) as downloads:
        answers = [client.recv(20) for client in downloads]
        assert {answer[9:12] for answer in answers} == {b"200", b"429"}
        page = httpx2.get(f"{place.url}/p/p/guidelines/", cookies={"sessionid": keys[0]}, timeout=PATIENCE)
        assert page.status_code == 200


def test_half_a_head_is_given_up(place: Installation, keys: list[str]) -> None:
    with ExitStack() as stack:
        client = connected(place, stack, half_a_head(keys[0]))
        assert client.recv(1) == b""


def test_half_a_form_changes_nothing(place: Installation, keys: list[str], tmp_path: Path) -> None:
    with ExitStack() as stack:
        client = connected(place, stack, half_a_form(keys[0]) + b"dark&")
        client.shutdown(socket.SHUT_WR)
        assert client.recv(1) == b""
    assert place.python('result = User.objects.get(username="reader0").theme') != "dark"
