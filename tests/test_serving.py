"""Who waits for a client keeps neither a place to compute nor a connection of the database (config/wsgi.py)."""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.http import HttpResponse, StreamingHttpResponse

from config.sqlite.base import IDLE, DatabaseWrapper
from config.wsgi import READ_BEFORE, Environ, LimitedApplication, Places

pytestmark = pytest.mark.django_db

PATIENCE = 30  # seconds


def asked(**environ: Any) -> Environ:
    return {"wsgi.input": BytesIO(), **environ}


def serving(application: Callable[[Environ], Any]) -> LimitedApplication:
    return LimitedApplication(lambda environ, _start: application(environ), places=1)


def test_as_many_compute_as_there_are_places() -> None:
    inside, most, lock = 0, 0, threading.Lock()

    def application(_environ: Environ) -> HttpResponse:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        threading.Event().wait(0.001)
        with lock:
            inside -= 1
        return HttpResponse()

    server = LimitedApplication(lambda environ, _start: application(environ), places=2)
    with ThreadPoolExecutor(8) as threads:
        assert len(list(threads.map(lambda _number: server(asked(), print), range(40)))) == 40
    assert most <= 2


def test_places_are_given_in_the_order_of_arrival() -> None:
    places, served = Places(1), []

    def compute(number: int) -> None:
        with places:
            served.append(number)

    with ThreadPoolExecutor(12) as threads, places:
        for number in range(12):
            threads.submit(compute, number)
            while places.waiting <= number:
                pass
    assert served == list(range(12))


def test_a_newcomer_does_not_overtake() -> None:
    places, served = Places(1), []

    def compute(name: str) -> None:
        with places:
            served.append(name)

    with ThreadPoolExecutor(1) as threads:
        with places:
            threads.submit(compute, "waiting")
            while not places.waiting:
                pass
        compute("newcomer")
    assert served == ["waiting", "newcomer"]


def test_a_long_answer_is_sent_outside_of_the_place() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"one"
        yield b"two"

    server = serving(lambda environ: StreamingHttpResponse(pieces()) if environ.get("long") else HttpResponse(b"page"))
    sent = iter(server(asked(long=True), print))
    assert next(sent) == b"one"
    assert b"".join(server(asked(), print)) == b"page"
    assert list(sent) == [b"two"]


def test_a_long_body_is_waited_for_outside_of_the_place() -> None:
    waiting, goes_on = threading.Event(), threading.Event()

    class Slow(BytesIO):
        def read(self, *size: int | None) -> bytes:
            waiting.set()
            assert goes_on.wait(PATIENCE)
            return b"body"

    server = serving(lambda environ: HttpResponse(environ["wsgi.input"].read(4)))
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(server, asked(CONTENT_LENGTH=str(READ_BEFORE + 1), **{"wsgi.input": Slow()}), print)
        assert waiting.wait(PATIENCE)
        assert b"".join(server(asked(), print)) == b""
        goes_on.set()
        assert b"".join(slow.result(PATIENCE)) == b"body"


def test_half_a_form_never_reaches_the_application() -> None:
    reached: list[Environ] = []
    server = serving(lambda environ: reached.append(environ) or HttpResponse())
    with pytest.raises(ConnectionResetError):
        server(asked(CONTENT_LENGTH="10", **{"wsgi.input": BytesIO(b"theme=")}), print)
    assert reached == []
    assert b"".join(server(asked(CONTENT_LENGTH="", **{"wsgi.input": BytesIO()}), print)) == b""


def test_what_fails_gives_its_place_back() -> None:
    server = serving(lambda environ: 1 / 0)
    for _time in range(3):
        with pytest.raises(ZeroDivisionError):
            server(asked(), print)


# --- connections of SQLite ------------------------------------------------------------------------------------------
@pytest.fixture
def wrapper(tmp_path: Path) -> DatabaseWrapper:
    return another(tmp_path)


def another(folder: Path) -> DatabaseWrapper:
    return DatabaseWrapper({**connections.settings["default"], "NAME": str(folder / "db.sqlite3")}, "own")


def opened(wrapper: DatabaseWrapper) -> sqlite3.Connection:
    wrapper.ensure_connection()
    connection: sqlite3.Connection = wrapper.connection
    return connection


def test_a_closed_connection_is_for_the_next_who_connects(wrapper: DatabaseWrapper, tmp_path: Path) -> None:
    first = opened(wrapper)
    wrapper.close()
    other = another(tmp_path)
    assert opened(other) is first
    assert opened(wrapper) is not first
    assert other.cursor().execute("PRAGMA synchronous").fetchone() == (2,)


def test_one_with_a_transaction_is_not(wrapper: DatabaseWrapper, tmp_path: Path) -> None:
    first = opened(wrapper)
    wrapper.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    wrapper.close()
    assert opened(another(tmp_path)) is not first
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        first.execute("SELECT 1")


def test_one_that_failed_is_not(wrapper: DatabaseWrapper, tmp_path: Path) -> None:
    first = opened(wrapper)
    wrapper.errors_occurred = True
    wrapper.close()
    assert opened(another(tmp_path)) is not first


def test_a_child_process_does_not_use_its_parents(wrapper: DatabaseWrapper) -> None:
    opened(wrapper)
    wrapper.close()
    assert any(IDLE.values())
    child = os.fork()
    if child == 0:
        os._exit(int(any(IDLE.values())))
    assert os.waitpid(child, 0)[1] == 0
