"""Makes installations quickly: migrates and collects static files once, then copies."""

import fcntl
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import count
from pathlib import Path

from tests.support.installation import Installation
from tests.support.postgres import PostgresServer, running_postgres

DATABASES = ("sqlite", "postgres")
MIGRATED = "migrated"  # the database of every server's cluster that the others are copies of


def _none() -> PostgresServer:
    raise AssertionError("These installations have no PostgreSQL server: see Installations.apart.")


@dataclass
class Installations:
    """`postgres` gives the server, begun with `cluster`, and starts it at the first call.

    shared: where processes that run tests beside each other find what one of them has made; empty: nowhere.
    """

    folder: Path
    postgres: Callable[[], PostgresServer] = _none
    shared: Path | None = None
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    @contextmanager
    def apart(self) -> Iterator["Installations"]:
        """The same with a PostgreSQL server of their own, for those who stop it."""
        with ExitStack() as opened:
            server = cache(lambda: opened.enter_context(running_postgres(self.cluster)))
            yield replace(self, postgres=server)

    @contextmanager
    def migrated(self, database: str, **environment: str) -> Iterator[Installation]:
        """An empty installation that is migrated and not yet serving; gone at the end."""
        name = f"installation_{next(self.numbers)}"
        folder = self.folder / name
        folder.mkdir()
        (folder / "static").symlink_to(self.static)
        url = self._new_sqlite(folder) if database == "sqlite" else self._new_postgres(name)
        installation = Installation(folder=folder, database_url=url, environment=environment)
        try:
            yield installation
        finally:
            installation.close()
            if database == "postgres":
                self.postgres().drop(name)

    @contextmanager
    def serving(
        self, database: str, *, workers: int = 1, threads: int = 8, forked: bool = True, **environment: str
    ) -> Iterator[Installation]:
        """The same with gunicorn listening on `url`; for a crowd, with more processes than one. forked: see `serve`."""
        with self.migrated(database, **environment) as installation:
            installation.serve(workers=workers, threads=threads, forked=forked)
            yield installation

    @cached_property
    def static(self) -> Path:
        def collect(folder: Path) -> None:
            Installation(folder=folder, database_url="sqlite://:memory:").manage("collectstatic", "--noinput")

        return self._made_once("collected", collect) / "static"

    def _new_sqlite(self, folder: Path) -> str:
        path = folder / "touchstone.sqlite3"
        shutil.copyfile(self._migrated_sqlite, path)
        return f"sqlite:///{path}"

    @cached_property
    def _migrated_sqlite(self) -> Path:
        def migrate(folder: Path) -> None:
            path = folder / "touchstone.sqlite3"
            Installation(folder=folder, database_url=f"sqlite:///{path}").manage("migrate")
            with closing(sqlite3.connect(path)) as connection:  # into one file, without the log beside it
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

        return self._made_once("migrated", migrate) / "touchstone.sqlite3"

    def _new_postgres(self, name: str) -> str:
        return self.postgres().create(name, template=MIGRATED)

    @cached_property
    def cluster(self) -> Path:
        """The data of a PostgreSQL server with a database that is migrated: see `running_postgres`."""

        def migrate(folder: Path) -> None:
            with running_postgres() as server:
                Installation(folder=folder, database_url=server.create(MIGRATED)).manage("migrate")
                server.keep(folder / "data")

        return self._made_once("cluster", migrate) / "data"

    def _made_once(self, name: str, make: Callable[[Path], None]) -> Path:
        """A folder that `make` fills in the first process that needs it; the others wait until it is complete."""
        parent = self.shared or self.folder
        folder, unfinished = parent / name, self.folder / f"{name}-unfinished"
        with (parent / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                unfinished.mkdir()
                make(unfinished)
                unfinished.rename(folder)
        return folder
