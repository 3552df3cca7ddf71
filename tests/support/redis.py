"""A Redis server of our own on a free port, kept in memory only."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.support.programs import free_port, program


@dataclass(frozen=True)
class RedisServer:
    url: str
    process: subprocess.Popen[str]

    def freeze(self) -> None:
        """The kernel goes on accepting connections; nobody answers them."""
        self.process.send_signal(signal.SIGSTOP)

    def wake(self) -> None:
        self.process.send_signal(signal.SIGCONT)


@contextmanager
def running_redis() -> Iterator[RedisServer]:
    """A server that answers."""
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", "/tmp"]
    process = subprocess.Popen(
        [program("/usr/bin/redis-server", "redis-server"), *options], stdout=subprocess.PIPE, text=True
    )
    server = RedisServer(f"redis://127.0.0.1:{port}/0", process)
    try:
        _wait_until_ready(process)
        yield server
    finally:
        server.wake()
        process.terminate()
        process.communicate(timeout=20)


def _wait_until_ready(server: subprocess.Popen[str]) -> None:
    assert server.stdout is not None
    said = []
    for line in server.stdout:
        said.append(line)
        if "Ready to accept connections" in line:
            return
    raise RuntimeError("redis-server did not start:\n" + "".join(said))
