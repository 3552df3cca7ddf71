"""Makes installations quickly: migrates and collects static files once, then copies."""

import fcntl
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path

from tests.support.installation import Installation
from tests.support.postgres import PostgresServer

DATABASES = ("sqlite", "postgres")


@dataclass
class Installations:
    """`postgres` gives the server, and starts it at the first call.

    shared: where processes that run tests beside each other find what one of them has made; empty: nowhere.
    """

    folder: Path
    postgres: Callable[[], PostgresServer]
    shared: Path | None = None

    def __post_init__(self) -> None:
        self.numbers = count(1)

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
            # In one file, without WAL beside it: the last connection to close checkpoints.
            url = f"sqlite:///{folder / 'touchstone.sqlite3'}"
            Installation(folder=folder, database_url=url).manage("migrate")

        return self._made_once("migrated", migrate) / "touchstone.sqlite3"

    def _new_postgres(self, name: str) -> str:
        return self.postgres().create(name, template=self._migrated_postgres)

    @cached_property
    def _migrated_postgres(self) -> str:
        folder = self.folder / "migrated_postgres"
        folder.mkdir()
        Installation(folder=folder, database_url=self.postgres().create("migrated")).manage("migrate")
        return "migrated"

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
