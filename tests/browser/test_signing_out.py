"""A shared computer: who comes after somebody signed out sees nothing of theirs, also by the back button."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserType, expect

from tests.support.chromium import browser_pages, launch_options
from tests.support.installation import Installation

pytestmark = [pytest.mark.browser, pytest.mark.quick]

MADE = """
from tests.support.people import FACTS, make_item
project = Project.objects.create(slug="leaving", name="Leaving", kind_slug="feedback")
person = User.objects.create_user("leaving", password="long enough for a test")
Member.objects.create(project=project, user=person, role="lead")
result = make_item(project, facts=FACTS | {"user_query": "What did nobody else ask?"}).pk
"""


@pytest.fixture
def remembering_browser(browser_type: BrowserType) -> Iterator[Browser]:
    """As people have it: Playwright's own keeps no page to go back to."""
    browser = browser_type.launch(**launch_options(), ignore_default_args=["--disable-back-forward-cache"])
    yield browser
    browser.close()


def test_the_back_button_shows_nothing(sqlite_installation: Installation, remembering_browser: Browser) -> None:
    item = sqlite_installation.python(MADE)
    with browser_pages(remembering_browser) as open_page:
        page = open_page(sqlite_installation, user="leaving")
        page.goto(f"/p/leaving/items/{item}/")
        expect(page.locator("body")).to_contain_text("What did nobody else ask?")
        page.click(".tool--avatar")
        page.click("text=Sign out")
        expect(page.locator(".tool--avatar")).to_have_count(0)
        page.evaluate("history.back()")
        expect(page).to_have_url(f"{sqlite_installation.url}/accounts/login/?next=/p/leaving/items/{item}/")
        expect(page.locator("body")).not_to_contain_text("What did nobody else ask?")
