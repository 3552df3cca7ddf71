"""A PostgreSQL server of our own in a temporary folder, on a free port, without passwords and without fsync."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from tests.support.programs import free_port, program

SETTINGS = "-c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off -c max_connections=100"
OPTIONS = "-U touchstone -A trust -E UTF8 --no-sync"


@dataclass(frozen=True)
class PostgresServer:
    port: int
    folder: Path
    control: str
    account: str | None

    def start(self) -> None:
        options = f"{SETTINGS} -c port={self.port} -c unix_socket_directories={self.folder}"
        self._control("start", "-w", "-l", f"{self.folder}/log", "-o", options)

    def stop(self, mode: str = "immediate") -> None:
        """mode: `fast` ends all connections in order, `immediate` is a crash. Its rows are there at the next start."""
        self._control("stop", "-m", mode)

    def keep(self, folder: Path) -> None:
        """Copy all of its data into this folder, for servers that begin with them."""
        self.stop("fast")
        _run(["cp", "--archive", f"{self.folder}/data", str(folder)], None)
        self.start()

    def _control(self, verb: str, *options: str) -> None:
        _run([self.control, verb, "-s", "-D", f"{self.folder}/data", *options], self.account)

    def url(self, database: str) -> str:
        return f"postgresql://touchstone@127.0.0.1:{self.port}/{database}"

    def create(self, database: str, *, template: str = "template0") -> str:
        """The address of a new database, a copy of the template."""
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.format(sql.Identifier(database), sql.Identifier(template)))
        return self.url(database)

    def drop(self, database: str) -> None:
        statement = sql.SQL("DROP DATABASE {} WITH (FORCE)")
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.format(sql.Identifier(database)))


@contextmanager
def running_postgres(cluster: Path | None = None) -> Iterator[PostgresServer]:
    """cluster: the data of a server that has stopped in order, to begin with a copy; otherwise it is empty."""
    control = program("/usr/lib/postgresql/*/bin/pg_ctl", "postgresql")
    # Not pytest's folder: that is closed to the account which the server must run under.
    folder = Path(tempfile.mkdtemp(prefix="touchstone-postgres-"))
    account = _account(folder)
    port = free_port()
    try:
        if cluster:
            _run(["cp", "--archive", str(cluster), f"{folder}/data"], None)
        else:
            _run([control, "init", "-s", "-D", f"{folder}/data", "-o", OPTIONS], account)
        server = PostgresServer(port, folder, control, account)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _account(folder: Path) -> str | None:
    """PostgreSQL refuses to run as root; Debian's package brings an account for it."""
    if os.getuid() != 0:
        return None
    shutil.chown(folder, "postgres", "postgres")
    return "postgres"


def _run(command: list[str], account: str | None) -> None:
    extra_groups = [] if account else None
    subprocess.run(command, check=True, cwd="/", user=account, group=account, extra_groups=extra_groups)
