"""Texts that try to act, in every field, on every page, with and without the policy that would stop them."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Dialog, Page, Request, Route, expect

from tests.browser.pages import Place, filled, places
from tests.browser.payloads import LONG, SHORT
from tests.security.world import World
from tests.support.chromium import OpenPage
from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LISTEN = """
window.heard = []
window.ran = () => { window.heard.push('a text of somebody ran') }
document.addEventListener('securitypolicyviolation', event => {
  window.heard.push(`policy: ${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`)
})
"""
# What an attack would be waiting for: everything unfolded, passed over, focused.
PROVOKE = """
document.querySelectorAll('details').forEach(fold => { fold.open = true })
for (const part of document.querySelectorAll('main *, header *'))
  for (const name of ['mouseover', 'mouseenter', 'focus', 'toggle', 'animationstart', 'load', 'revealed', 'intersect'])
    part.dispatchEvent(new Event(name))
"""
# Traces in the document, whether they ran or not: attributes and elements that no page of ours has.
TRACES = """() => {
  const found = []
  for (const part of document.querySelectorAll('*')) {
    for (const {name, value} of part.attributes) {
      const scheme = /^\\s*(javascript|vbscript|data):/i.test(value)
      const loads = ['href', 'src', 'action', 'formaction', 'data', 'xlink:href', 'srcdoc', 'srcset'].includes(name)
      const drawn = name === 'style' && part.closest('.katex')
      if (name.startsWith('on') || name.startsWith('hx-on') || name === 'srcdoc') found.push(name)
      if (name === 'style' && !drawn) found.push(name)
      const fetched = loads && part.localName !== 'a' && value.includes('pwned')
      if ((loads && scheme) || fetched) found.push(`${name}=${value.slice(0, 60)}`)
      const said = value.replace(/"X-CSRFToken": "[^"]*"/, '')  // which may hold any letters
      if (/^(data-)?hx-/.test(name) && /pwned|ran/.test(said)) found.push(`${name}=${value.slice(0, 60)}`)
    }
    const name = part.localName
    if (name === 'b' && part.id) found.push(`#${part.id}`)
    if (['iframe', 'object', 'embed', 'base', 'animate', 'style', 'mglyph'].includes(name)) found.push(`<${name}>`)
    if (name === 'script' && !part.src) found.push('<script>')
    if (name === 'meta' && part.httpEquiv) found.push('<meta http-equiv>')
    if (name === 'img' && !part.src.startsWith(location.origin + '/static/')) found.push(`<img src=${part.src}>`)
  }
  return found
}"""

# Of the corpus, what is HTML (the rest is for Markdown, formulas and templates) and does not leave the page at once.
CAUGHT = [text for text in LONG + SHORT if text.startswith("<") and "http-equiv" not in text]


@pytest.fixture(scope="module")
def installation(installations: Installations) -> Iterator[Installation]:
    with installations.serving("sqlite") as installation:
        yield installation


class Visit:
    """One person's window, and everything in it that should not have happened."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page, self.origin, self.heard = page, origin, list[str]()
        page.add_init_script(LISTEN)
        page.on("dialog", self._dialog)
        page.on("request", self._request)

    def _dialog(self, dialog: Dialog) -> None:
        self.heard.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        if "pwned" in request.url or not request.url.startswith((self.origin, "data:")):
            self.heard.append(f"request: {request.url}")

    def complaints(self, path: str) -> list[str]:
        """All images and scripts of the page have loaded, or failed, before it is provoked."""
        self.heard.clear()
        self.page.goto(path)
        return self.left()

    def left(self) -> list[str]:
        """What has happened on this page, now that it was provoked, and what attacks have left in it."""
        self.page.evaluate(PROVOKE)
        traces: list[str] = self.page.evaluate(TRACES)
        return [f"{self.page.url}: {what}" for what in [*self.heard, *self.page.evaluate("window.heard"), *traces]]


def complaints(installation: Installation, browser_page: OpenPage, world: World, **options: Any) -> list[str]:
    """What happens on all pages, each person in a window of their own."""
    heard, visits = [], dict[str, Visit]()
    for place in places():
        if place.role not in visits:
            user = "" if place.role == "anonymous" else place.role
            visits[place.role] = Visit(browser_page(installation, user=user, **options), installation.url)
        heard += visits[place.role].complaints(place.path(world))
    return heard


def test_our_own_pages_obey_their_policy(installation: Installation, browser_page: OpenPage) -> None:
    assert complaints(installation, browser_page, filled(installation)) == []


def test_no_text_acts_or_even_meets_the_policy(installation: Installation, browser_page: OpenPage) -> None:
    assert complaints(installation, browser_page, filled(installation, attacks=0)) == []


@pytest.mark.parametrize("turn", range(1, len(SHORT), 3))
def test_no_text_acts_where_no_policy_would_stop_it(
    installation: Installation, browser_page: OpenPage, turn: int
) -> None:
    assert complaints(installation, browser_page, filled(installation, attacks=turn), bypass_csp=True) == []


def test_attacks_that_got_through_would_be_noticed(installation: Installation, browser_page: OpenPage) -> None:
    """The listeners themselves: the same texts, put into a page by somebody careless."""
    page = browser_page(installation, bypass_csp=True)
    visit, missed = Visit(page, installation.url), []
    for attack in CAUGHT:
        page.unroute_all()
        page.route("**/careless/", partial(_carelessly, attack))
        if not visit.complaints("/careless/"):
            missed.append(attack)
    assert missed == []


def _carelessly(attack: str, route: Route) -> None:
    route.fulfill(body=f"<!doctype html><title>x</title><main>{attack}</main>", content_type="text/html")


ECHOES = [
    "/p/ours/items/?q={}",
    "/p/ours/items/?group={}&state={}&since={}",
    "/p/ours/items/?order={}&after={}",
    "/p/ours/review/?show={}&after={}",
    "/p/ours/review/{review}/?open={}&field={}",
    "/p/ours/work/{slot}/?done={}",
    "/p/ours/guidelines/?version={}",
    "/p/ours/import/?page={}",
    "/projects/new/?source={}",
    "/accounts/password/reset/key/1-{}/",
    "/invite/{}/",
    "/nowhere/{}/?next={}",
]


@pytest.mark.parametrize("user", ["lead", ""])
def test_nothing_in_an_address_acts(installation: Installation, browser_page: OpenPage, user: str) -> None:
    world = filled(installation)
    visit = Visit(browser_page(installation, user=user, bypass_csp=True), installation.url)
    ids = {what: str(world.id_of(what, "lead")) for what in ("review", "slot")}
    heard = []
    for place, echo in enumerate(ECHOES):
        for attack in (SHORT[place % len(SHORT)], SHORT[(place + 5) % len(SHORT)]):
            path = echo.replace("{review}", ids["review"]).replace("{slot}", ids["slot"])
            heard += visit.complaints(path.replace("{}", quote(attack, safe="").replace("pwned", "owned")))
    assert heard == []


def test_what_is_swapped_in_while_somebody_works_does_not_act(
    installation: Installation, browser_page: OpenPage
) -> None:
    """Saving, reviewing and commenting put texts into a page that is open already."""
    world = filled(installation, attacks=2)
    heard = []
    for role, address, opens in (("annotator", "work_item", ""), ("reviewer", "review_item", "e")):
        visit = Visit(browser_page(installation, user=role, bypass_csp=True), installation.url)
        heard += visit.complaints(Place(address, role).path(world))
        visit.heard.clear()
        if opens:
            visit.page.locator("#point-feedback").focus()
            visit.page.keyboard.press(opens)
        box = visit.page.locator("#box-feedback")
        box.fill("".join(LONG))
        expect(visit.page.locator("#save-state")).to_have_text(re.compile(r"Saved \d\d:\d\d"))
        heard += visit.left()
    assert heard == []


def test_a_comment_that_is_just_written_does_not_act(installation: Installation, browser_page: OpenPage) -> None:
    world = filled(installation)
    visit = Visit(browser_page(installation, user="lead", bypass_csp=True), installation.url)
    assert visit.complaints(Place("item", "lead", "returned item").path(world)) == []
    visit.page.locator("#comment-text").fill("".join(LONG))
    visit.page.get_by_role("button", name="Add comment").click()
    expect(visit.page.locator("#threads")).to_contain_text("constructor.constructor")
    assert visit.left() == []
