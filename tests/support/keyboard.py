"""Somebody who has no mouse: from element to element by the tab key, and everything else by keys, too."""

from dataclasses import dataclass

from playwright.sync_api import Page, expect

from tests.support.chromium import OpenPage
from tests.support.installation import Installation
from tests.support.journeys import PASSWORD

FARTHEST = 120  # no page has more places to stop at before what is looked for


@dataclass
class Keyboard:
    """A person at a page. Nothing here clicks, fills or focuses."""

    page: Page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def tab_to(self, selector: str) -> None:
        """Fails where the tab key does not lead there."""
        target = self.page.locator(selector).first
        expect(target).to_be_attached()
        for _stop in range(FARTHEST):
            if target.evaluate("wanted => wanted === document.activeElement"):
                return
            self.press("Tab")
        raise AssertionError(f"the tab key does not lead to {selector} on {self.page.url}")

    def enter(self, selector: str) -> None:
        """To that button or link, and through it to another page."""
        self.tab_to(selector)
        with self.page.expect_navigation():
            self.press("Enter")

    def submit(self) -> None:
        with self.page.expect_navigation():
            self.press("Control+Enter")

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)


def signed_in(installation: Installation, browser_page: OpenPage, name: str) -> Keyboard:
    one = Keyboard(browser_page(installation, reduced_motion="reduce"))
    one.page.goto("/")
    one.tab_to("[name=login]")
    one.type(name)
    one.tab_to("[name=password]")
    one.type(PASSWORD)
    with one.page.expect_navigation():
        one.press("Enter")
    return one
