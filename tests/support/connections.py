"""A server that refuses connections while it restarts: the browser itself believes that it is online."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Route, expect


@contextmanager
def refused(page: Page) -> Iterator[None]:
    def refuse(route: Route) -> None:
        route.abort("connectionrefused")

    # With the scripts, without which the browser itself would leave the page. Playwright does not see that a page whose
    # text came with an answer loads anew.
    while page.evaluate("document.readyState") != "complete":  # asked from here: the page's policy forbids `eval`
        page.wait_for_timeout(20)
    page.context.route("**/*", refuse)
    yield
    page.context.unroute("**/*", refuse)


def expect_to_stay(page: Page, address: str) -> None:
    """The page is still there, and says that the server did not answer; the next such message will be a new one."""
    expect(page.locator("[data-tell=offline]").first).to_be_visible()
    expect(page).to_have_url(address)
    expect(page.locator("body")).not_to_have_attribute("data-busy", "true")
    page.evaluate("for (const message of document.querySelectorAll('p[data-tell]')) message.remove()")
