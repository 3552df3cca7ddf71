"""The address `simulated` leads to the simulated model that runs, whatever port it got."""

from pathlib import Path

import pytest
from pytest_django import Settings

from annotate.engine import addresses
from annotate.engine.addresses import SIMULATED, NotRunning, announced, resolve
from annotate.engine.client import Client
from annotate.kinds.protocol import Cause, Question
from annotate.models import Endpoint
from tests.annotate.engine.asked import QUERY
from tests.support.model_server import ModelServer, running_model_server
from tests.support.running import run

FIRST, SECOND = "http://127.0.0.1:4321/v1", "http://127.0.0.1:4322/v1"


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


def asked(endpoint: Endpoint) -> tuple[str | None, str]:
    async def ask() -> tuple[str | None, str]:
        async with Client(endpoint) as client:
            received = (await client.ask_once(Question("ask", [{"role": "user", "content": QUERY}]))).received
            return received.cause, received.detail

    return run(ask())


def endpoint(base_url: str = SIMULATED) -> Endpoint:
    return Endpoint(name="e", base_url=base_url, model="m", deadline=20, max_in_flight=2)


def test_any_other_address_stays_as_it_is() -> None:
    assert resolve("https://models.example.org/v1") == "https://models.example.org/v1"


def test_the_newest_model_is_found_and_the_older_one_after_it() -> None:
    with announced(FIRST):
        with announced(SECOND):
            assert resolve(SIMULATED) == SECOND
        assert resolve(SIMULATED) == FIRST
    with pytest.raises(NotRunning, match="is not running: start it with `make run`"):
        resolve(SIMULATED)


def test_an_older_model_leaves_the_file_of_a_newer_one_alone(folder: Path) -> None:
    with announced(FIRST):
        (folder / addresses.FILE).write_text(SECOND)
    assert resolve(SIMULATED) == SECOND


def test_the_file_leads_nowhere_but_to_this_machine(folder: Path) -> None:
    (folder / addresses.FILE).write_text("http://169.254.169.254:80/v1")
    with pytest.raises(NotRunning):
        resolve(SIMULATED)


def test_the_client_finds_the_model(model_server: ModelServer) -> None:
    with announced(model_server.base_url):
        assert asked(endpoint()) == (None, "")
    assert model_server.calls.requests == 1


def test_the_client_says_how_to_start_a_model_that_is_missing() -> None:
    cause, detail = asked(endpoint())
    assert cause == Cause.CONNECTION
    assert "The simulated model is not running: start it with `make run`" in detail


def test_the_command_announces_itself_while_it_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_DIR", str(folder))
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # or tests.settings adds a folder for the worker
    with running_model_server("--latency=0") as server:
        assert resolve(SIMULATED) == server.base_url
    assert not (folder / addresses.FILE).exists()
