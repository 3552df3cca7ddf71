"""Texts that try to act, in every field, on every page: nothing stops them, the policy that would is only reported.

That pages without such texts obey their policy is asserted where all of them are opened: test_accessibility.py.
"""

import re
from collections.abc import Iterator
from functools import partial
from urllib.parse import quote

import pytest
from playwright.sync_api import Route, expect

from tests.browser.pages import Place, filled, places
from tests.browser.payloads import LONG, SHORT
from tests.browser.visit import Visit
from tests.security.world import World
from tests.support.chromium import OpenPage
from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.long]

REPORTING = "tests.support.settings_that_report"
# Of the corpus, what is HTML (the rest is for Markdown, formulas and templates) and does not leave the page at once.
CAUGHT = [text for text in LONG + SHORT if text.startswith("<") and "http-equiv" not in text]


@pytest.fixture(scope="module")
def installation(installations: Installations) -> Iterator[Installation]:
    with installations.serving("sqlite", DJANGO_SETTINGS_MODULE=REPORTING) as installation:
        yield installation


def complaints(installation: Installation, browser_page: OpenPage, world: World) -> list[str]:
    """What happens on all pages, each person in a window of their own."""
    heard, visits = [], dict[str, Visit]()
    for place in places():
        if place.role not in visits:
            user = "" if place.role == "anonymous" else place.role
            visits[place.role] = Visit(browser_page(installation, user=user), installation.url)
        heard += visits[place.role].complaints(place.path(world))
    return heard


@pytest.mark.parametrize("turn", range(1, len(SHORT), 3))
def test_no_text_acts_or_would_meet_the_policy(installation: Installation, browser_page: OpenPage, turn: int) -> None:
    assert complaints(installation, browser_page, filled(installation, attacks=turn)) == []


def test_what_the_policy_would_stop_is_noticed_and_not_stopped(
    installation: Installation, browser_page: OpenPage
) -> None:
    visit = Visit(browser_page(installation), installation.url)
    assert visit.complaints("/accounts/login/") == []
    visit.page.evaluate(INLINE)
    visit.page.wait_for_function("window.heard.length > 1")
    heard = visit.left()
    assert any("a text of somebody ran" in told for told in heard)
    assert any("policy: script-src" in told for told in heard)


INLINE = "document.body.append(document.createRange().createContextualFragment('<script>ran()</script>'))"


def test_attacks_that_got_through_would_be_noticed(installation: Installation, browser_page: OpenPage) -> None:
    """The listeners themselves: the same texts, put into a page by somebody careless."""
    page = browser_page(installation)
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
    visit = Visit(browser_page(installation, user=user), installation.url)
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
        visit = Visit(browser_page(installation, user=role), installation.url)
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
    visit = Visit(browser_page(installation, user="lead"), installation.url)
    assert visit.complaints(Place("item", "lead", "returned item").path(world)) == []
    visit.page.locator("#comment-text").fill("".join(LONG))
    visit.page.get_by_role("button", name="Add comment").click()
    expect(visit.page.locator("#threads")).to_contain_text("constructor.constructor")
    assert visit.left() == []
