"""Chromium of the system, never one fetched by Playwright, and people who use it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from playwright.sync_api import Browser, Page, expect

from tests.support.installation import Installation
from tests.support.programs import program

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PASSWORD = "long enough for a test"
OpenPage = Callable[..., Page]
EXPECTED_WITHIN = 20_000  # milliseconds until a test fails: a bound for loaded machines, no measure of speed
expect.set_options(timeout=EXPECTED_WITHIN)


@contextmanager
def expecting_within(milliseconds: int) -> Iterator[None]:
    """For journeys that wait for work which no page does itself."""
    expect.set_options(timeout=milliseconds)
    try:
        yield
    finally:
        expect.set_options(timeout=EXPECTED_WITHIN)


def launch_options() -> dict[str, Any]:
    return {"executable_path": program("/usr/bin/chromium", "chromium"), "args": ARGUMENTS}


@contextmanager
def browser_pages(browser: Browser) -> Iterator[OpenPage]:
    """Gives a function that opens a page; each call is a browser profile of its own, closed at the end."""
    contexts = []

    def open_page(
        installation: Installation,
        *,
        user: str = "",
        theme: Literal["light", "dark"] = "light",
        locale: str = "en-GB",
        width: int = 1440,
        height: int = 900,
        **options: Any,
    ) -> Page:
        context = browser.new_context(
            base_url=installation.url,
            color_scheme=theme,
            locale=locale,
            viewport={"width": width, "height": height},
            **options,
        )
        contexts.append(context)
        if user:
            context.add_cookies([session_cookie(installation, user)])
        page = context.new_page()
        _wait_for_scripts_before_keys(page)
        return page

    yield open_page
    for context in contexts:
        context.close()


def _wait_for_scripts_before_keys(page: Page) -> None:
    """A key that is pressed before the page's scripts are there does nothing: no person is as quick."""
    press = page.keyboard.press

    def press_on_a_loaded_page(key: str, **options: Any) -> None:
        page.wait_for_load_state()
        press(key, **options)

    page.keyboard.press = press_on_a_loaded_page  # type: ignore[method-assign]


def session_cookie(installation: Installation, user: str) -> dict[str, str]:
    """A signed-in session without the sign-in form, which has tests of its own. Makes the account where missing."""
    key = installation.python(SIGN_IN, user=user, password=PASSWORD)
    return {"name": "sessionid", "value": key, "url": installation.url}


SIGN_IN = """
from django.contrib.sessions.backends.db import SessionStore
person = User.objects.filter(username=user).first() or User.objects.create_user(user, password=password)
session = SessionStore()
session.update({
    "_auth_user_id": str(person.pk),
    "_auth_user_backend": "django.contrib.auth.backends.ModelBackend",
    "_auth_user_hash": person.get_session_auth_hash(),
})
session.save()
result = session.session_key
"""
