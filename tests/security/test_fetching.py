"""The server itself never goes anywhere that a text names."""

import ast
import json
import socket
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from tests.security.crawl import pages_of
from tests.security.world import build
from tests.support.people import DRAFT, FACTS, make_project

pytestmark = pytest.mark.django_db

ROOT = Path(settings.BASE_DIR)
# module -> where it goes, and why it may
GOES_OUT = {
    "annotate/engine/client.py": "asks models at addresses that an administrator has written, follows no redirect",
    **dict.fromkeys(
        (f"lib/simulated/{name}.py" for name in ("misbehaviours", "server", "service")),
        "the simulated model: is connected to, on loopback, and connects to nothing",
    ),
    "annotate/engine/addresses.py": "looks up where a name leads, and connects to nothing",
    "config/mail.py": "sends mail to the server that the administrator has set, in a thread",
    "config/worker.py": "serves pages, and connects to nothing",
    "annotate/notices/digests.py": "hands mails to Django, and knows the errors of its connection",
    "annotate/notices/deliveries.py": "posts to origins that the administrator allows, follows no redirect",
}
CLIENTS = {"aiohttp", "ftplib", "http.client", "httpx", "httpx2", "requests", "smtplib", "urllib.request", "urllib3"}
ELSEWHERE = [
    "http://127.0.0.1:9/x",
    "http://[::1]:9/x",
    "http://169.254.169.254/latest/meta-data/",
    "//pwned.invalid/x",
    "file:///etc/passwd",
    "ftp://pwned.invalid/x",
    "gopher://127.0.0.1:6379/_FLUSHALL",
    "\\\\pwned.invalid\\share",
]


def addresses_everywhere(where: str) -> str:
    """As a link, an image, a reference, plain, and first of all bare: short fields are cut."""
    return (
        ELSEWHERE[len(where) % len(ELSEWHERE)]
        + "\n\n"
        + "\n\n".join(
            f"{url} ![x]({url}) [x]({url}) <{url}> [r]\n\n[r]: {url}\n\n<img src='{url}'> $\\includegraphics{{{url}}}$"
            for url in ELSEWHERE
        )
    )


@pytest.fixture
def visits(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Where the process tried to go; it never gets there."""
    tried: list[Any] = []

    def refuse(*where: Any, **_options: Any) -> None:
        tried.append(where)
        raise OSError("nothing is visited in this test")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    for name in ("getaddrinfo", "gethostbyname", "create_connection"):
        monkeypatch.setattr(socket, name, refuse)
    return tried


def test_the_watch_sees_a_visit(visits: list[Any]) -> None:
    with pytest.raises(OSError, match="visited"):
        socket.create_connection(("127.0.0.1", 9))
    assert len(visits) == 1


def test_importing_reviewing_releasing_and_reading_pages_visit_nothing(visits: list[Any]) -> None:
    world = build(addresses_everywhere)
    pages = pages_of(world, "lead")
    assert len(pages) > 40
    assert visits == []


@pytest.mark.parametrize("address", ELSEWHERE)
def test_an_address_is_no_file_to_import(visits: list[Any], address: str, capsys: pytest.CaptureFixture[str]) -> None:
    project = make_project()
    with pytest.raises((CommandError, SystemExit)):
        call_command("import_items", project.slug, address, "--format", "jsonl", "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["kept"], report["problems"][0]["level"]) == (0, "error")
    assert visits == []


def test_addresses_in_a_file_stay_texts(visits: list[Any], tmp_path: Path) -> None:
    project, path = make_project(), tmp_path / "rows.jsonl"
    row = {"key": "a", **FACTS, **DRAFT, "user_query": " ".join(ELSEWHERE)}
    path.write_text(json.dumps(row) + "\n")
    call_command("import_items", project.slug, str(path))
    assert project.items.get().facts["user_query"] == " ".join(ELSEWHERE)
    assert visits == []


def test_no_module_of_ours_can_fetch() -> None:
    """Mail goes through Django, the broker through Celery; nothing else but these opens a connection."""
    modules = [path for app in ("annotate", "judging", "lib", "config") for path in (ROOT / app).rglob("*.py")]
    found = {
        str(path.relative_to(ROOT))
        for path in modules
        for name in _imported(path)
        if name in CLIENTS or name.split(".")[0] in CLIENTS or name == "socket"
    }
    assert found == set(GOES_OUT)


def _imported(path: Path) -> list[str]:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    plain = [name.name for node in nodes if isinstance(node, ast.Import) for name in node.names]
    return plain + [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
