"""A threaded gunicorn worker for clients that are slow, silent or do not read: each costs at most a thread.

A connection gets a thread only after it has sent something. Its head must be complete after `HEAD` seconds, and it is
closed if it neither sends nor accepts a byte for `STALLED` seconds. config/wsgi.py limits the computing requests.

Processes share the work: each accepts as many connections as it has free places, and lets a connection go after an
answer that took the last place. So requests wait in the queue of the socket, in the order of their arrival.
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
COMING = 0.1  # seconds for which a place is kept for a connection that has sent something
SENDING = 2.0  # seconds after which a new connection is silent, and not about to send, when the process is to stop
NOT_THERE = (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK)  # the client has left, or another process accepted it


class Connection(TConn):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.is_closed = False
        self.accepted = time.monotonic()

    def init(self) -> None:
        """Called before every request of the connection, when its thread has just set the socket to block for ever."""
        super().init()
        self.sock.settimeout(STALLED)

    def cut(self) -> None:
        """Cut the connection, so that a thread waiting for this client continues."""
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
        self.coming: dict[Connection, float] = {}  # a thread's, without a place yet, and until when one is kept for it

    def load_wsgi(self) -> None:
        super().load_wsgi()
        self.wsgi.places.on_free = partial(self.method_queue.defer, bool)  # wakes the loop, which accepts again

    @property
    def is_full(self) -> bool:
        """Whether every free place is wanted already: a thread may take longer to begin than another to be accepted."""
        now = time.monotonic()
        return self.wsgi.places.free <= sum(until > now for until in self.coming.copy().values())

    def accept(self, listener: socket.socket) -> None:
        """Accept without a thread; gunicorn's own gives the connection one, which waits five seconds for a byte."""
        if self.is_full:
            self.set_accept_enabled(False)
            return
        try:
            client, address = listener.accept()
        except OSError as fault:
            if fault.errno not in NOT_THERE:
                raise
            return
        self.nr_conns += 1
        connection = Connection(self.cfg, client, address, listener.getsockname())
        if _has_sent(client):
            connection.data_ready = True
            self.enqueue_req(connection)
            return
        connection.timeout = connection.accepted + HEAD
        self.pending_conns.append(connection)
        readable = partial(self.on_pending_socket_readable, connection)
        self.poller.register(client, selectors.EVENT_READ, readable)

    def set_accept_enabled(self, enabled: bool) -> None:
        """While it is off, called before each event is waited for."""
        super().set_accept_enabled(enabled and not self.is_full)

    def enqueue_req(self, conn: Connection) -> None:
        self.coming[conn] = time.monotonic() + COMING
        super().enqueue_req(conn)

    def murder_pending(self) -> None:
        """Called at least every second. Closes silent connections, so that stopping hardly waits for them."""
        if not self.alive:
            for connection in self.pending_conns:
                connection.timeout = connection.accepted + SENDING
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
            self.coming.pop(conn, None)
        if not stays_open:
            conn.close(graceful=True)  # not in the loop that serves all others: it waits for the client, too
        return stays_open

    def handle_request(self, req: Any, conn: Connection) -> Any:
        self.heads.pop(conn, None)
        self.coming.pop(conn, None)
        if self.wsgi.places.free <= 1:  # on a kept connection, the next one would overtake all that are not accepted
            req.force_close()
        try:
            return super().handle_request(req, conn)
        except TimeoutError as stalled:  # not our fault: no traceback in the log
            raise ConnectionResetError(errno.ECONNRESET, "The client stalled") from stalled


def _has_sent(client: socket.socket) -> bool:
    try:
        return bool(client.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
    except OSError:  # nothing yet, or the client has left: the poller notices both
        return False
