"""A server that webhooks are sent to: keeps what it received, answers as told."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """status: what it answers. drips: send one byte of the answer now and then, without end."""

    url: str = ""
    status: int = 204
    location: str = ""
    drips: bool = False
    received: list[Received] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(receiver))
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            receiver.received.append(Received(self.path, dict(self.headers), body))
            if receiver.drips:
                self._drip()
                return
            self.send_response(receiver.status)
            if receiver.location:
                self.send_header("Location", receiver.location)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            self.do_POST()

        def _drip(self) -> None:
            with suppress(OSError):
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
                while not receiver.ended.wait(0.05):
                    self.wfile.write(b"x")

        def log_message(self, *args: Any) -> None:
            """Tests read what was received instead."""

    return Handler
