"""The client of docs/examples against a whole installation: web server, database, and the worker's work by command."""

import importlib.util
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from annotate.notices.deliveries import signature
from tests.support.files import row, without, write_rows
from tests.support.installation import ROOT, Installation
from tests.support.installations import Installations
from tests.support.receiver import receiving

EXAMPLE = ROOT / "docs" / "examples" / "touchstone_client.py"

SET_UP = """
from annotate.people import tokens
lead = User.objects.create_user("lead")
project = Project.objects.create(slug="fb", name="Feedback", kind_slug="feedback", licence="CC-BY-4.0")
member = Member.objects.create(project=project, user=lead, role="lead")
Endpoint.objects.create(name="drafts", base_url="http://127.0.0.1:9/v1", model="m", simulated=True)
result = {role: tokens.make(by=member, name=role, role=role).secret for role in ("lead", "viewer")}
"""


@pytest.fixture(scope="module")
def example() -> Any:
    spec = importlib.util.spec_from_file_location("touchstone_client", EXAMPLE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclass looks itself up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def installation(installations: Installations) -> Iterator[Installation]:
    with installations.serving("sqlite") as installation:
        yield installation


@pytest.fixture(scope="module")
def secrets(installation: Installation) -> dict[str, str]:
    made: dict[str, str] = installation.python(SET_UP)
    return made


@pytest.fixture
def client(example: Any, installation: Installation, secrets: dict[str, str]) -> Any:
    return example.Touchstone(installation.url, token=secrets["lead"])


@pytest.fixture
def worker(installation: Installation) -> Iterator[None]:
    """Does in another process what the worker does, again and again."""
    ended = threading.Event()

    def reconcile() -> None:
        while not ended.is_set():
            installation.manage("reconcile")

    thread = threading.Thread(target=reconcile)
    thread.start()
    yield
    ended.set()
    thread.join()


@pytest.mark.slow
@pytest.mark.usefixtures("worker")
def test_from_a_file_to_a_verified_release(client: Any, installation: Installation, tmp_path: Path) -> None:
    rows = [row(number) for number in range(1, 121)] + [without(row(500), "user_query")]
    report = client.import_file("fb", write_rows(tmp_path / "rows.jsonl", rows), drafts="final")
    assert (report["state"], report["kept"], report["rejected"]) == ("done", 120, 1)
    rejects = client.rejects("fb", report["id"], tmp_path / "rejects.jsonl")
    assert json.loads(rejects.read_text())["key"] == "row-500"

    items = list(client.items("fb", state="accepted", limit=50))
    assert len({item["id"] for item in items}) == 120
    assert client.project("fb")["items_by_state"] == {"accepted": 120}
    detail = client.item("fb", items[0]["id"])
    assert detail["facts"]["user_query"] == rows[0]["user_query"]
    assert client.history("fb", items[0]["id"])["texts"][0]["origin"] == "import"
    assert client.comments("fb", items[0]["id"]) == []

    release = client.make_release("fb", note="nightly", splits={"train": 0.9, "test": 0.1})
    assert (release["state"], release["rows"], release["licence"]) == ("done", 120, "CC-BY-4.0")
    path = client.download(release, tmp_path / "release.jsonl")
    assert len(path.read_text().splitlines()) == 120
    assert json.loads(installation.manage("verify", path, "--json").stdout)["ok"] is True
    assert next(one["version"] for one in client.releases("fb")) == release["version"]


@pytest.mark.slow
def test_a_run_is_planned_started_and_cancelled(example: Any, installation: Installation, tmp_path: Path) -> None:
    set_up = SET_UP.replace('"fb"', '"planned"').replace('create_user("lead")', 'create_user("planner")')
    secret = installation.python(set_up.replace('"drafts"', '"planned"'))["lead"]
    client = example.Touchstone(installation.url, token=secret)
    installation.manage("import_items", "planned", write_rows(tmp_path / "open.jsonl", [row(no) for no in range(4)]))
    run = client.plan_run("planned", purpose="preannotate", endpoint="planned", limit=3)
    assert client.estimate("planned", run["id"])["jobs"] == client.progress("planned", run["id"])["jobs"] == 3
    assert [client.act("planned", run["id"], verb)["state"] for verb in ("start", "pause", "cancel")] == [
        "running",
        "paused",
        "cancelled",
    ]
    assert client.wait_for_run("planned", run["id"], wait=0)["state"] == "cancelled"


@pytest.mark.slow
def test_a_filter_with_spaces_and_signs_arrives(client: Any, installation: Installation, tmp_path: Path) -> None:
    key = "a + b & 100 % = ü?"
    installation.manage("import_items", "fb", write_rows(tmp_path / "signs.jsonl", [row(900, key=key)]))
    assert [item["key"] for item in client.items("fb", q=key)] == [key]


def test_a_token_is_not_carried_to_another_server(example: Any) -> None:
    with receiving() as here, receiving() as elsewhere:
        here.status, here.location = 302, elsewhere.url
        with pytest.raises(example.Refused):
            example.Touchstone(here.url, token="ts_secret", attempts=1).project("fb")
        assert (len(here.received), elsewhere.received) == (1, [])


class _Unsteady(BaseHTTPRequestHandler):
    """Plays what is in `left`: None cuts the line, a status and a body are answered. Keys of requests in `keys`."""

    left: ClassVar[list[tuple[int, object] | None]]
    keys: ClassVar[list[str | None]]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.keys.append(self.headers["Idempotency-Key"])
        answer = self.left.pop(0)
        if answer is None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        body = json.dumps(answer[1]).encode()
        self.send_response(answer[0])
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture
def unsteady(example: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., tuple[Any, type[_Unsteady]]]]:
    """A client of a server that plays these answers, and who saw its requests; nobody sleeps."""
    monkeypatch.setattr(example.time, "sleep", lambda _seconds: None)
    with ExitStack() as stack:

        def serving(*answers: tuple[int, object] | None) -> tuple[Any, type[_Unsteady]]:
            handler = type("Playing", (_Unsteady,), {"left": list(answers), "keys": []})
            server = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), handler))
            threading.Thread(target=server.serve_forever, daemon=True).start()
            stack.callback(server.shutdown)
            return example.Touchstone(f"http://127.0.0.1:{server.server_port}", token="ts_x"), handler

        yield serving


UNFINISHED = {"code": "unfinished", "message": "A request with this key has begun."}
MADE = (201, {"version": 1})


@pytest.mark.parametrize(
    "answers",
    [
        (None, MADE),
        (None, (409, UNFINISHED), MADE),
        ((503, "no object"), (502, ["neither"]), MADE),
    ],
)
def test_a_request_whose_answer_was_lost_is_sent_again_with_its_key(
    unsteady: Callable[..., Any], answers: tuple[Any, ...]
) -> None:
    client, server = unsteady(*answers)
    assert client.make_release("fb", wait=None)["version"] == 1
    assert len(server.keys) == len(answers)
    assert len(set(server.keys)) == 1


def test_what_must_not_be_done_twice_is_sent_once(unsteady: Callable[..., Any]) -> None:
    client, server = unsteady(None, MADE)
    with pytest.raises((OSError, HTTPException)):
        client.act("fb", 1, "start")
    assert len(server.keys) == 1


@pytest.mark.slow
def test_what_is_refused_is_an_exception_that_says_why(example: Any, client: Any, secrets: dict[str, str]) -> None:
    with pytest.raises(example.Refused) as told:
        client.make_release("fb", splits={"train": 0.5})
    assert (told.value.status, told.value.code, told.value.where) == (422, "invalid", "splits")
    with pytest.raises(example.Refused) as told:
        list(client.items("fb", stat="accepted"))
    assert (told.value.status, told.value.where) == (422, "stat")
    weak = example.Touchstone(client.base_url, token=secrets["viewer"])
    with pytest.raises(example.Refused) as told:
        weak.make_release("fb")
    assert (told.value.status, told.value.code) == (403, "forbidden")
    stranger = example.Touchstone(client.base_url, token="ts_wrong")
    with pytest.raises(example.Refused) as told:
        stranger.project("fb")
    assert (told.value.status, told.value.code) == (401, "unauthenticated")


def test_a_signature_of_ours_is_known(example: Any) -> None:
    body, now = b'{"id": "x"}', int(time.time())
    assert example.is_from_touchstone("s", signature("s", body, now), body)


@pytest.mark.parametrize(
    ("secret", "body", "at", "spoilt"),
    [
        ("other", b"{}", 0, ""),
        ("s", b"{} ", 0, ""),
        ("s", b"{}", -301, ""),
        ("s", b"{}", 301, ""),
        ("s", b"{}", 0, "x"),
    ],
)
def test_any_other_signature_is_not(example: Any, secret: str, body: bytes, at: int, spoilt: str) -> None:
    assert not example.is_from_touchstone(secret, signature("s", b"{}", int(time.time()) + at) + spoilt, body)


@pytest.mark.parametrize("header", ["", "t=,v1=", "v1=x", "t=x,v1=y", "nonsense", "t=1"])
def test_a_damaged_header_is_not(example: Any, header: str) -> None:
    assert not example.is_from_touchstone("s", header, b"{}")
