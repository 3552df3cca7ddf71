"""A Redis server of our own on a free port, kept in memory only."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.programs import free_port, program


@contextmanager
def running_redis() -> Iterator[str]:
    """The address of a server that answers."""
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", "/tmp"]
    server = subprocess.Popen(
        [program("/usr/bin/redis-server", "redis-server"), *options], stdout=subprocess.PIPE, text=True
    )
    try:
        _wait_until_ready(server)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.communicate(timeout=20)


def _wait_until_ready(server: subprocess.Popen[str]) -> None:
    assert server.stdout is not None
    said = []
    for line in server.stdout:
        said.append(line)
        if "Ready to accept connections" in line:
            return
    raise RuntimeError("redis-server did not start:\n" + "".join(said))
