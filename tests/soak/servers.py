"""The servers that a soak starts, stops, kills and freezes: database, broker, and the programs of the installation."""

import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.support.installation import Installation
from tests.support.model_server import ModelServer
from tests.support.operation import Operation
from tests.support.postgres import PostgresServer
from tests.support.programs import free_port, program


class Broker:
    """A Redis server in memory that comes back at the same address, having forgotten everything."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process = self._started()

    def _started(self) -> "subprocess.Popen[bytes]":
        command = [program("/usr/bin/redis-server", "redis-server"), "--port", str(self.port), "--bind", "127.0.0.1"]
        return subprocess.Popen([*command, "--save", "", "--dir", "/tmp"], stdout=subprocess.DEVNULL)

    def restart(self, away: float) -> None:
        self.process.kill()
        self.process.wait()
        time.sleep(away)
        self.process = self._started()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


@dataclass
class Servers:
    """Everything that can be broken. postgres, broker: None where the installation uses files instead."""

    installation: Installation
    operation: Operation
    model: ModelServer
    postgres: PostgresServer | None
    broker: Broker | None

    def family(self, name: str) -> list[psutil.Process]:
        """The processes of a program that are alive, its main one first."""
        main = self.operation.programs().get(name)
        if main is None:
            return []
        with suppress(psutil.NoSuchProcess):
            return [main, *main.children(recursive=True)]
        return []

    def database_processes(self) -> list[psutil.Process]:
        if self.postgres is None:
            return []
        pid = int((self.postgres.folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        with suppress(psutil.NoSuchProcess):
            return [psutil.Process(pid), *psutil.Process(pid).children()]
        return []

    def clock(self, offset: float) -> None:
        """Let all processes of the installation believe that it is so many seconds later."""
        path = self.installation.folder / "clock-offset"
        unfinished = path.with_suffix(".new")
        unfinished.write_text(str(offset))
        unfinished.rename(path)


def kill(processes: Sequence[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()


@contextmanager
def frozen(processes: Sequence[psutil.Process]) -> Iterator[None]:
    """They do nothing, and hold what they hold, until the end of the context."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.suspend()
    try:
        yield
    finally:
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.resume()


@contextmanager
def silent_mail_server() -> Iterator[str]:
    """The address of one that accepts a few connections and says nothing; further ones get no answer at all."""
    with socket.create_server(("127.0.0.1", 0), backlog=4) as listener:
        yield f"smtp://127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Somebody else holds SQLite's only lock for writing."""
    holder = sqlite3.connect(database, timeout=5, isolation_level=None)
    try:
        with suppress(sqlite3.OperationalError):
            holder.execute("BEGIN IMMEDIATE")
        yield
    finally:
        with suppress(sqlite3.OperationalError):
            holder.execute("ROLLBACK")
        holder.close()
