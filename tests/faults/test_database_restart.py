"""PostgreSQL is restarted while nobody asks, by an update of the machine for instance."""

from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.visitors import sessions

pytestmark = [pytest.mark.slow, pytest.mark.postgres]


def test_pages_open_after_a_restart_at_rest(installations: Installations) -> None:
    """A server of its own: other tests have connections to the shared one."""
    with installations.apart() as own, own.serving("postgres", workers=2, threads=4) as installation:
        installation.manage("seed_demo")
        cookies = {"sessionid": sessions(installation, ["lead"])["lead"]}
        assert statuses(installation, cookies, 36) == {200}
        own.postgres().stop("fast")
        own.postgres().start()
        assert statuses(installation, cookies, 36) == {200}
        assert installation.log.read_text() == ""


def statuses(installation: Installation, cookies: dict[str, str], pages: int) -> set[int]:
    """Eight at a time, so that every process takes several connections."""

    def page(_number: int) -> int:
        return httpx2.get(f"{installation.url}/p/demo/", cookies=cookies, timeout=60, follow_redirects=True).status_code

    with ThreadPoolExecutor(8) as people:
        return set(people.map(page, range(pages)))
