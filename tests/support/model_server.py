"""The simulated model in a process of its own, and what tests ask of it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from tests.support.installation import ROOT


@dataclass(frozen=True)
class Calls:
    """What was received since the last reset. bodies: digest of a request -> how often it came."""

    requests: int
    answered: int
    open: int
    most_open: int
    elsewhere: int
    tokens_in: int
    tokens_out: int
    bodies: dict[str, int]
    misbehaved: dict[str, int]
    statuses: dict[str, int]
    kept: list[dict[str, Any]]

    @property
    def repeated(self) -> int:
        """Requests that had come before."""
        return self.requests - len(self.bodies)


class ModelServer:
    """base_url: what an endpoint's base URL is. Everything else speaks to /control/…"""

    def __init__(self, base_url: str, process: subprocess.Popen[str] | None = None) -> None:
        self.base_url = base_url
        self.process = process
        self.client = httpx2.Client(base_url=base_url.removesuffix("/v1"), timeout=30)

    @property
    def calls(self) -> Calls:
        return Calls(**self._told(self.client.get("/control/calls?whole=1")))

    def misbehave(self, what: str, times: int | None = 1, **more: Any) -> None:
        """The next `times` requests (None: all until the reset); more: containing, after, retry_after."""
        self._told(self.client.post("/control/misbehave", json={"what": what, "times": times, **more}))

    def turn(self, **knobs: Any) -> None:
        """Turn knobs, such as latency=0.2, skill=1.0, faults={"server_error": 0.3}, key="secret"."""
        self._told(self.client.post("/control/knobs", json=knobs))

    def reset(self) -> None:
        self._told(self.client.post("/control/reset"))

    def ask(self, body: dict[str, Any], **headers: str) -> httpx2.Response:
        """One request of the protocol, without any client of ours."""
        return self.client.post("/v1/chat/completions", json=body, headers=headers)

    @staticmethod
    def _told(answer: httpx2.Response) -> Any:
        assert answer.status_code == 200, answer.text
        return answer.json()


@contextmanager
def running_model_server(*options: str) -> Iterator[ModelServer]:
    """A server on a free port that ends with the context; options: of `manage.py simulated_model`."""
    command = [sys.executable, "manage.py", "simulated_model", "--port=0", "--json", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, "The simulated model did not start; its error stands above."
            server = ModelServer(json.loads(line)["base_url"], process)
            yield server
            server.client.close()
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def model_process() -> Iterator[ModelServer]:
    """One per test process, without latency."""
    with running_model_server("--latency=0") as server:
        yield server


@pytest.fixture
def model_server(model_process: ModelServer) -> ModelServer:
    """As if just started: nothing received, nothing ordered."""
    model_process.reset()
    return model_process
