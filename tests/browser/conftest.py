from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page

from tests.support.chromium import OpenPage
from tests.support.installation import Installation
from tests.support.installations import Installations


@pytest.fixture(scope="module")
def desk_installation(installations: Installations) -> Iterator[Installation]:
    """One running installation for a file of tests; each test makes a project of its own in it."""
    with installations.serving("sqlite") as installation:
        yield installation


@pytest.fixture
def complaints(browser_page: OpenPage) -> Callable[[Page], list[str]]:
    """Collects what a page complains about: errors of scripts, and what the policy has refused."""

    def listen(page: Page) -> list[str]:
        heard: list[str] = []
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("console", lambda said: heard.append(said.text) if said.type == "error" else None)
        return heard

    return listen
