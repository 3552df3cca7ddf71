"""The WSGI application, with a limit on the requests that compute at a time in a web process.

Any number of threads may wait for clients."""

import errno
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections

PLACES = 4  # many threads that compute take the interpreter from each other, even from one that holds SQLite's lock
READ_BEFORE = 1024 * 1024  # bytes; larger bodies are read while their place is free for others
Environ = dict[str, Any]


class Places:
    """Places for computing: who finds none free gets one in turn, first come, first served.

    A `threading.Semaphore` lets a newcomer overtake the thread that it has just woken, so some requests waited long.
    A thread that waits for its client releases its place and its database connection.
    """

    def __init__(self, count: int) -> None:
        self._lock = threading.Lock()
        self._free = count
        self._turns: deque[threading.Lock] = deque()
        self.on_free: Callable[[], object] = bool  # called when a place is free again and nobody waits

    @property
    def free(self) -> int:
        return self._free

    @property
    def waiting(self) -> int:
        """How many threads wait for a place."""
        return len(self._turns)

    def __enter__(self) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            turn = threading.Lock()
            turn.acquire()
            self._turns.append(turn)
        turn.acquire()

    def __exit__(self, *_error: object) -> None:
        with self._lock:
            if self._turns:
                self._turns.popleft().release()
                return
            self._free += 1
        self.on_free()

    @contextmanager
    def left(self) -> Iterator[None]:
        close_old_connections()
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()


class LimitedApplication:
    """The WSGI application, in which as many requests compute at a time as there are places."""

    def __init__(self, application: Callable[..., Any], places: int = PLACES) -> None:
        self.application, self.places = application, Places(places)

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        length = environ.get("CONTENT_LENGTH") or "0"
        if length.isdecimal() and int(length) <= READ_BEFORE and "HTTP_TRANSFER_ENCODING" not in environ:
            environ["wsgi.input"] = _whole(environ["wsgi.input"], int(length))
        else:
            environ["wsgi.input"] = RequestBody(environ["wsgi.input"], self.places)
        with self.places:
            answer = self.application(environ, start_response)
            # The rest needs no database or connects again, so that a slow reader does not hold a connection.
            close_old_connections()
        return Pieces(answer, self.places) if getattr(answer, "streaming", False) else answer


def _whole(body: Any, length: int) -> BytesIO:
    content = body.read(length) if length else b""
    if len(content) < length:
        raise ConnectionResetError(errno.ECONNRESET, "The client went before its request was whole")
    return BytesIO(content)


class RequestBody:
    """A long request body; the place is released while waiting for the client."""

    def __init__(self, body: Any, places: Places) -> None:
        self._body, self._places = body, places

    def read(self, *size: int) -> bytes:
        with self._places.left():
            return bytes(self._body.read(*size))

    def readline(self, *size: int) -> bytes:
        with self._places.left():
            return bytes(self._body.readline(*size))


class Pieces:
    """A long response; each piece is computed inside a place and sent outside of it."""

    def __init__(self, answer: Any, places: Places) -> None:
        self._answer, self._pieces, self._places = answer, iter(answer), places

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        with self._places:
            return bytes(next(self._pieces))

    def close(self) -> None:
        self._answer.close()


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = LimitedApplication(get_wsgi_application())
