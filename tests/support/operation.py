"""An installation in operation as `make run` starts it: a supervisor, web server, worker and clock."""

import getpass
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.support import fork_server
from tests.support.installation import Installation
from tests.support.programs import free_port

PATIENCE = 90  # seconds; a loaded machine takes long to import everything three times


@dataclass(frozen=True)
class Operation:
    """process: the same as the supervisor, for those who wait for its end."""

    supervisor: psutil.Process
    process: fork_server.Forked

    def programs(self) -> dict[str, psutil.Process]:
        """Name -> the main process, of those that are alive."""
        found = {}
        for child in self.supervisor.children():
            with suppress(psutil.NoSuchProcess):
                if child.status() != psutil.STATUS_ZOMBIE:
                    found[child.name()] = child
        return found

    def workers(self) -> set[psutil.Process]:
        """The main processes of those that are alive."""
        return {process for name, process in self.programs().items() if name in ("worker", "engine")}

    def kill_workers(self) -> set[psutil.Process]:
        """With kill -9, their children with them, as when the memory runs out. Gives those that are gone."""
        killed = self.workers()
        for one in [process for worker in killed for process in (worker, *worker.children(recursive=True))]:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        return killed

    def has_others_than(self, killed: set[psutil.Process]) -> bool:
        """Whether the supervisor has started as many again."""
        now = self.workers()
        return len(now) == len(killed) and not now & killed


@contextmanager
def operated(installation: Installation, **environment: str) -> Iterator[Operation]:
    """Starts all of it, at the installation's address or a new one, and stops all of it, as a restart does."""
    port = installation.url.rpartition(":")[2] or str(free_port())
    installation.url = f"http://127.0.0.1:{port}"
    own = {"BIN": str(Path(sys.executable).parent), "PORT": port, "SITE_URL": installation.url}
    with (installation.folder / "operation.log").open("ab") as log, Path(os.devnull).open() as nothing:
        started = fork_server.start(
            ["-m", "scripts.supervise", "--nodaemon", "--configuration", "config/supervisord.conf"],
            installation.environment | own | {"RUN_AS": getpass.getuser()} | environment,
            (nothing.fileno(), log.fileno(), log.fileno()),
        )
    supervisor = psutil.Process(started.pid)
    family = [supervisor]
    try:
        wait_until_it_answers(int(port), started)
        yield Operation(supervisor, started)
    finally:
        with suppress(psutil.NoSuchProcess):
            family = [supervisor, *supervisor.children(recursive=True)]
        started.terminate()
        with suppress(TimeoutError):
            started.wait(PATIENCE)
        for one in family:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        started.wait(PATIENCE)


def wait_until_it_answers(port: int, started: fork_server.Forked) -> None:
    until = time.monotonic() + PATIENCE
    while started.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"nothing answers at port {port}: see operation.log in the installation's folder")
