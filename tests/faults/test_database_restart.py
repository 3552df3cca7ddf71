"""PostgreSQL is restarted while nobody asks, by an update of the machine for instance."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.postgres import running_postgres
from tests.support.visitors import sessions

pytestmark = [pytest.mark.slow, pytest.mark.postgres]


def test_pages_open_after_a_restart_at_rest(tmp_path: Path) -> None:
    """A server of its own: other tests have connections to the shared one."""
    with running_postgres() as postgres:
        made = Installations(tmp_path, lambda: postgres)
        with made.serving("postgres", workers=2, threads=4) as installation:
            installation.manage("seed_demo")
            cookies = {"sessionid": sessions(installation, ["lead"])["lead"]}
            assert statuses(installation, cookies, 36) == {200}
            postgres.stop("fast")
            postgres.start()
            assert statuses(installation, cookies, 36) == {200}
            assert installation.log.read_text() == ""
            installation.close()


def statuses(installation: Installation, cookies: dict[str, str], pages: int) -> set[int]:
    """Eight at a time, so that every process takes several connections."""

    def page(_number: int) -> int:
        return httpx2.get(f"{installation.url}/p/demo/", cookies=cookies, timeout=60, follow_redirects=True).status_code

    with ThreadPoolExecutor(8) as people:
        return set(people.map(page, range(pages)))
