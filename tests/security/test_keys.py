"""Keys and passwords stay where they are: not in pages, logs, task messages, files or reports of faults.

That no page holds the key is asserted for every address and role in test_access_matrix.
"""

import base64
import gzip
import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from django.views.debug import technical_500_response

from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.reviews import FACTS, SUGGESTED

KEY = "the-key-that-nobody-may-ever-find-anywhere-0123456789-abcdefghij"
TYPED = "typed-by-somebody-in-haste"


@pytest.fixture(scope="module")
def installation(installations: Installations) -> Iterator[Installation]:
    """One that was used: an import, a release, a backup, failed sign-ins, a fault of ours with its traceback."""
    with installations.serving("sqlite", SECRET_KEY=KEY) as installation:
        _use(installation)
        _break(installation)
        installation.stop_serving()
        yield installation


def _use(installation: Installation) -> None:
    path = installation.folder / "rows.jsonl"
    path.write_text(json.dumps({"key": "a", **FACTS, **SUGGESTED}) + "\n")
    installation.manage("create_project", "fb", "--kind", "feedback")
    installation.manage("add_member", "fb", "ada", "--role", "lead", "--password", TYPED)
    installation.manage("import_items", "fb", path, "--accept")
    installation.manage("export_items", "fb", "--out", installation.folder / "out.jsonl")
    installation.manage("backup", installation.folder / "backup.zip")
    installation.manage("doctor", check=False)
    installation.python(PLAN)


def _break(installation: Installation) -> None:
    """Sign in, first wrongly, then ask for a page whose table has gone."""
    with httpx2.Client(base_url=installation.url, timeout=60) as client:
        for password in ("wrong" + TYPED, TYPED):
            token = client.get("/accounts/login/").cookies["csrftoken"]
            client.post("/accounts/login/", data={"login": "ada", "password": password, "csrfmiddlewaretoken": token})
        installation.python("from django.db import connection\nconnection.cursor().execute('DROP TABLE annotate_skip')")
        assert client.get("/p/fb/items/?skipped=any").status_code == 500


PLAN = """
from annotate import bell
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters
planned = actions.plan(project=Project.objects.get(), filters=ReleaseFilters(), by=None, note="a note of somebody")
bell.ring("make_release", planned.pk)
"""


@pytest.mark.slow
def test_no_file_of_an_installation_holds_its_key(installation: Installation) -> None:
    """Its log, its database, uploads, releases, backup and messages to the worker."""
    assert "Traceback" in installation.log.read_text()
    assert _holding(KEY, installation) == []


@pytest.mark.slow
def test_no_file_of_an_installation_holds_a_password(installation: Installation) -> None:
    assert _holding(TYPED, installation) == []


@pytest.mark.slow
def test_what_was_stored_is_searched_packed_or_not(installation: Installation) -> None:
    found = {Path(name).suffix for name in _holding(FACTS["user_query"], installation)}
    assert {".jsonl", ".zip"} <= found


@pytest.mark.slow
def test_a_message_to_the_worker_holds_ids_only(installation: Installation) -> None:
    messages = [json.loads(path.read_bytes()) for path in (installation.folder / "broker").glob("*.msg")]
    arguments, named, _embedded = json.loads(base64.b64decode(messages[0]["body"]))
    assert (len(messages), arguments, named) == (1, [2], {})
    assert "a note of somebody" not in json.dumps(messages)


def _holding(text: str, installation: Installation) -> list[str]:
    files = _files(installation.folder)
    return [path.name for path in files for content in _contents(path) if text.encode() in content]


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and "static" not in path.relative_to(folder).parts]


def _contents(path: Path) -> Iterator[bytes]:
    """The bytes of a file, and of what is packed in it."""
    content = path.read_bytes()
    yield content
    if content.startswith(b"\x1f\x8b"):
        yield gzip.decompress(content)
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            yield from (packed.read(name) for name in packed.namelist())


def _report(rf: RequestFactory, *, html: bool) -> str:
    request = rf.get("/", headers={"cookie": f"sessionid={KEY}", "accept": "text/html" if html else "text/plain"})
    request.META["DATABASE_URL"] = f"postgres://u:{KEY}@h/d"
    try:
        raise ValueError("a fault of ours")
    except ValueError:
        answer: HttpResponse = technical_500_response(request, *sys.exc_info())
    return answer.content.decode()


@pytest.mark.parametrize("html", [True, False])
def test_the_report_of_a_fault_while_developing_hides_them_too(rf: RequestFactory, settings: Any, html: bool) -> None:
    settings.SECRET_KEY = KEY
    settings.CELERY_BROKER_URL = f"redis://:{KEY}@127.0.0.1/0"
    settings.EMAIL_HOST_PASSWORD = KEY
    text = _report(rf, html=html)
    assert "a fault of ours" in text
    assert "CELERY_BROKER_URL" in text
    assert KEY not in text
