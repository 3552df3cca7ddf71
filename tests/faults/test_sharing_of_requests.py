"""Web processes share the work: nobody waits for one that computes while another is idle (config/worker.py)."""

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.environments import ROOT

PATIENCE = 30  # seconds


class Server:
    """Gunicorn: by default two processes with a place each."""

    def __init__(self, folder: Path, *, processes: int = 2, places: int = 1) -> None:
        self.folder = folder
        self.threads = ThreadPoolExecutor(32)
        with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
            self.port = listener.getsockname()[1]
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "gunicorn", "tests.support.held_app", f"--bind=fd://{listener.fileno()}"),
                    *(f"--workers={processes}", "--threads=32", "--no-control-socket", "--log-level=warning"),
                ],
                cwd=ROOT,
                env=os.environ | {"HELD": str(folder), "PLACES": str(places), "PYTHONPATH": str(ROOT)},
                pass_fds=[listener.fileno()],
            )

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def connection_to(self, process: str) -> http.client.HTTPConnection:
        """That stays open, to this process."""
        while answered(connection := self.connection(), "")[0] != process:
            pass
        return connection

    def process_of_new_connection(self) -> str:
        return answered(self.connection(), "")[0]

    def hold(self, name: str, connection: http.client.HTTPConnection | None = None) -> "Future[tuple[str, str]]":
        (self.folder / name).touch()
        return self.threads.submit(answered, connection or self.connection(), name)

    def process_of(self, name: str) -> str:
        """The process in which the held request computes, as soon as it does."""
        begun = self.folder / f"{name}.begun"
        until(lambda: begun.exists() and bool(begun.read_text()))
        return begun.read_text()

    def waiting_behind(self, name: str) -> list[str]:
        """How many waited for a place in its process, again and again while it was held."""
        return (self.folder / f"{name}.waiting").read_text().split()

    def let_go(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)

    def close(self) -> None:
        for file in self.folder.glob("*"):
            file.unlink()
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.threads.shutdown()


def answered(connection: http.client.HTTPConnection, name: str) -> tuple[str, str]:
    """(process, what the answer says of the connection)"""
    connection.request("GET", f"/{name}")
    response = connection.getresponse()
    return response.read().decode(), response.getheader("Connection") or ""


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    try:
        # Until both have started: one that is held leaves the connections to the other.
        server.hold("first")
        busy = server.process_of("first")
        assert server.process_of_new_connection() != busy
        server.let_go("first")
        yield server
    finally:
        server.close()


def test_a_process_without_a_free_place_leaves_connections_to_the_other(server: Server) -> None:
    held = server.hold("report")
    busy = server.process_of("report")
    assert [server.process_of_new_connection() == busy for _time in range(20)] == [False] * 20
    server.let_go("report")
    assert held.result(PATIENCE)[0] == busy


def test_a_free_place_is_noticed(server: Server) -> None:
    held = [server.hold("one")]
    busy = server.process_of("one")
    held.append(server.hold("two"))
    assert server.process_of("two") != busy
    waiting = server.threads.submit(server.process_of_new_connection)
    server.let_go("two")
    assert waiting.result(PATIENCE) == server.process_of("two")
    server.let_go("one")
    assert {answer.result(PATIENCE)[0] for answer in held} == {server.process_of("one"), server.process_of("two")}


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path, processes=1, places=2)
    try:
        yield server
    finally:
        server.close()


def test_a_connection_is_kept_unless_the_last_place_is_taken(process: Server) -> None:
    """Its next request would overtake those that wait to be accepted."""
    connection = process.connection()
    assert [answered(connection, "")[1] for _time in range(3)] == ["keep-alive"] * 3
    held = process.hold("report")
    process.process_of("report")
    assert answered(connection, "")[1] == "close"
    process.let_go("report")
    assert held.result(PATIENCE)[1] == "keep-alive", "a place was free when it began"
    assert answered(connection, "")[1] == "keep-alive"


def test_no_more_are_accepted_than_get_a_place(process: Server) -> None:
    """The others stay in the queue of the socket, from which the process that is free first takes them."""
    for name in ("report", "0"):
        process.hold(name)
        process.process_of(name)
    connections = [process.connection() for _number in range(1, 11)]
    for number, connection in enumerate(connections, 1):
        (process.folder / str(number)).touch()
        connection.request("GET", f"/{number}")
    for number in range(11):
        process.process_of(str(number))
        until(lambda: len(process.waiting_behind(str(number))) >= 5)  # noqa: B023 - asked at once
        assert set(process.waiting_behind(str(number))) == {"0"}
        process.let_go(str(number))
    assert [connection.getresponse().status for connection in connections] == [200] * 10
    process.let_go("report")
