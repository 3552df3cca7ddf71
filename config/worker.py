"""gunicorn's worker with threads, for clients that are slow, silent or do not read: each costs a thread at most.

A connection takes a thread only once it has sent something. Its head has to be whole after `HEAD`, and it is given up
where it neither sends nor takes a byte for `STALLED`. What computes meanwhile: config/serving.py.
"""

import errno
import selectors
import socket
import time
from contextlib import suppress
from functools import partial
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

HEAD = 10.0  # seconds
STALLED = 60.0  # seconds
NOT_THERE = (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK)  # whoever came has left, or another process took them


class Connection(TConn):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.is_closed = False

    def init(self) -> None:
        """Called before every request of the connection, when its thread has just made the socket wait for ever."""
        super().init()
        self.sock.settimeout(STALLED)

    def cut(self) -> None:
        """Whatever thread waits for this client goes on."""
        with suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)

    def close(self, graceful: bool = False) -> None:
        if not self.is_closed:
            self.is_closed = True
            super().close(graceful)


class PatientWorker(ThreadWorker):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.heads: dict[Connection, float] = {}  # being read now, and until when

    def accept(self, listener: socket.socket) -> None:
        """gunicorn's own gives the connection a thread, which waits five seconds for the first byte."""
        try:
            client, address = listener.accept()
        except OSError as fault:
            if fault.errno not in NOT_THERE:
                raise
            return
        self.nr_conns += 1
        connection = Connection(self.cfg, client, address, listener.getsockname())
        connection.timeout = time.monotonic() + HEAD
        self.pending_conns.append(connection)
        readable = partial(self.on_pending_socket_readable, connection)
        self.poller.register(client, selectors.EVENT_READ, readable)

    def murder_pending(self) -> None:
        """Called every second at least. Whoever stops this process does not wait for silent connections."""
        if not self.alive:
            for connection in self.pending_conns:
                connection.timeout = 0.0
        super().murder_pending()
        now = time.monotonic()
        for connection, until in self.heads.copy().items():
            if until < now:
                connection.cut()

    def handle(self, conn: Connection) -> Any:
        self.heads[conn] = time.monotonic() + HEAD
        try:
            stays_open = super().handle(conn)
        finally:
            self.heads.pop(conn, None)
        if not stays_open:
            conn.close(graceful=True)  # not in the loop that serves all others: it waits for the client, too
        return stays_open

    def handle_request(self, req: Any, conn: Connection) -> Any:
        self.heads.pop(conn, None)
        try:
            return super().handle_request(req, conn)
        except TimeoutError as stalled:  # no fault of ours that a log should tell at length
            raise ConnectionResetError(errno.ECONNRESET, "The client stalled") from stalled
