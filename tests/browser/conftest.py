from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.work_desk import PROJECT, Desk
from tests.support.chromium import OpenPage
from tests.support.installation import Installation
from tests.support.installations import Installations

_numbers = count(1)


@pytest.fixture(scope="module")
def desk_installation(installations: Installations) -> Iterator[Installation]:
    """One running installation for a file of tests; each test makes a project of its own in it."""
    with installations.serving("sqlite") as installation:
        yield installation


@pytest.fixture
def desk(desk_installation: Installation, browser_page: OpenPage) -> Callable[..., Desk]:
    def made(*, items: int = 2, facts: Any = None, draft: Any = None, **options: Any) -> Desk:
        slug = user = f"moons-{next(_numbers)}"
        desk_installation.python(PROJECT, slug=slug, user=user, items=items, facts=facts or {}, draft=draft or {})
        page = browser_page(desk_installation, user=user, **options)
        one = Desk(desk_installation, page, slug, user)
        one.start()
        return one

    return made


@pytest.fixture
def complaints(browser_page: OpenPage) -> Callable[[Page], list[str]]:
    """Collects what a page complains about: errors of scripts, and what the policy has refused."""

    def listen(page: Page) -> list[str]:
        heard: list[str] = []
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("console", lambda said: heard.append(said.text) if said.type == "error" else None)
        return heard

    return listen
