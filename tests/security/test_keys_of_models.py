"""The key of a model is in the environment and on the wire to its service, and nowhere else."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.security.test_keys import _files
from tests.support.chromium import session_cookie
from tests.support.endpoints import KEY, KEY_NAME
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.model_server import ModelServer
from tests.support.reviews import FACTS

pytestmark = pytest.mark.slow
STAFF = "result = User.objects.filter(username='boss').update(is_staff=True)"
RENAME = """
from django.db import connection
connection.cursor().execute(f"ALTER TABLE {old} RENAME TO {new}")
"""
PAGES = ("/endpoints/", "/endpoints/new/", "/endpoints/1/", "/p/fb/runs/", "/p/fb/runs/1/", "/p/fb/runs/1/jobs/")


class Used:
    """An installation that has called a model with its key, once well and once refused; and all that it said."""

    def __init__(self, installation: Installation, model: ModelServer) -> None:
        self.installation, self.model = installation, model
        self.said: list[str] = []

    def use(self) -> None:
        rows = self.installation.folder / "rows.jsonl"
        rows.write_text(json.dumps({"key": "a", **FACTS}) + "\n")
        self.manage("create_project", "fb", "--kind", "feedback")
        self.manage("import_items", "fb", rows)
        self.manage("add_member", "fb", "boss", "--role", "lead")
        self.manage("endpoint", "small", "--base-url", self.model.base_url, "--model", "m", "--key-env", KEY_NAME)
        self.model.turn(key=KEY)
        self.manage("preannotate", "fb", "--endpoint", "small", "--wait", "--json")
        self.model.turn(key="another")
        self.manage("preannotate", "fb", "--endpoint", "small", "--wait", "--json")
        self.browse()
        self.manage("export_items", "fb", "--out", self.installation.folder / "out.jsonl", "--state", "any")
        self.manage("doctor")

    def manage(self, *arguments: str | Path) -> None:
        done = self.installation.manage(*arguments, check=False)
        self.said += [done.stdout, done.stderr]

    def browse(self) -> None:
        """Every page of it, the test button, the key typed in haste, and a page that breaks."""
        cookie = session_cookie(self.installation, "boss")
        self.installation.python(STAFF)
        with httpx2.Client(
            base_url=self.installation.url, cookies={cookie["name"]: cookie["value"]}, timeout=60
        ) as client:
            self.said += [self.read(client, page) for page in PAGES]
            token = {"csrfmiddlewaretoken": client.cookies["csrftoken"]}
            self.said.append(client.post("/endpoints/1/test/", data=token).text)
            self.said.append(client.post("/endpoints/1/", data={**token, "name": "small", "key_env": KEY}).text)
            self.installation.python(RENAME, old="annotate_endpoint", new="gone")
            broken = client.get("/endpoints/1/")
            assert broken.status_code == 500
            self.said.append(broken.text)
            self.installation.python(RENAME, old="gone", new="annotate_endpoint")

    @staticmethod
    def read(client: httpx2.Client, page: str) -> str:
        answer = client.get(page)
        assert answer.status_code == 200, page
        return answer.text


@pytest.fixture(scope="module")
def used(installations: Installations, model_process: ModelServer) -> Iterator[Used]:
    model_process.reset()
    with installations.serving("sqlite", **{KEY_NAME: KEY}) as installation:
        used = Used(installation, model_process)
        used.use()
        installation.stop_serving()
        yield used
    model_process.reset()


def test_the_service_was_called_with_the_key(used: Used) -> None:
    """Else the searches below find nothing in nothing."""
    statuses = used.model.calls.statuses
    assert statuses["200"] >= 5
    assert statuses["401"] >= 2
    assert any("rejected the key" in text for text in used.said)


def test_nothing_that_was_said_holds_the_key(used: Used) -> None:
    assert len(used.said) > 20
    assert [text for text in used.said if KEY in text] == []


def test_no_file_holds_the_key(used: Used) -> None:
    """Its log with tracebacks, its database with the ledger, messages to the worker, the release."""
    assert "Traceback" in used.installation.log.read_text()
    assert [path.name for path in _files(used.installation.folder) if KEY.encode() in path.read_bytes()] == []


def test_the_search_would_find_what_is_there(used: Used) -> None:
    found = [path.suffix for path in _files(used.installation.folder) if KEY_NAME.encode() in path.read_bytes()]
    assert {".sqlite3", ".sqlite3-wal"} & set(found)
