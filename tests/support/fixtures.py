"""The fixtures that start real things. What each one gives is described where it is made."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.support.chromium import OpenPage, browser_pages, launch_options
from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.postgres import PostgresServer, running_postgres
from tests.support.redis import running_redis


@pytest.fixture(scope="session")
def postgres_server(installations: Installations) -> Iterator[PostgresServer]:
    """One server per test process."""
    with running_postgres(installations.cluster) as server:
        yield server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    """The address of one server per test process."""
    with running_redis() as server:
        yield server.url


@pytest.fixture(scope="session")
def installations(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Installations:
    """Makes installations of any scope: `with installations.serving("sqlite") as installation: …`."""
    beside_others = "PYTEST_XDIST_WORKER" in os.environ
    return Installations(
        folder=tmp_path_factory.mktemp("installations"),
        postgres=lambda: request.getfixturevalue("postgres_server"),
        shared=tmp_path_factory.getbasetemp().parent if beside_others else None,
    )


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest) -> str:
    """Runs the test once on each database."""
    return request.param


@pytest.fixture
def live_installation(installations: Installations, database: str) -> Iterator[Installation]:
    """A migrated, empty installation that serves, in two processes; once on each database."""
    with installations.serving(database, workers=2) as installation:
        yield installation


@pytest.fixture
def sqlite_installation(installations: Installations) -> Iterator[Installation]:
    """The same on SQLite only and in one process, for what depends on neither."""
    with installations.serving("sqlite") as installation:
        yield installation


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """Overrides pytest-playwright's."""
    return launch_options()


@pytest.fixture
def browser_page(browser: Browser) -> Iterator[OpenPage]:
    """`browser_page(installation, user="ada", theme="dark", locale="zh-CN", width=390)` opens a page."""
    with browser_pages(browser) as open_page:
        yield open_page
