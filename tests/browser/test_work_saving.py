"""What is typed at the annotator's page is kept: a bad connection, an ended session, two windows, a double click."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from tests.browser.work_desk import SENT_BACK, Desk
from tests.faults.workers import wait_for
from tests.support.chromium import OpenPage, session_cookie
from tests.support.connections import expect_to_stay, refused
from tests.support.installation import Installation

pytestmark = pytest.mark.browser


def test_offline_is_said_and_made_good(desk: Callable[..., Desk]) -> None:
    ada = desk()
    ada.page.context.set_offline(True)
    ada.page.locator("#box-feedback").fill("Written in a tunnel.")
    expect(ada.page.locator("#save-state")).to_have_text("Not saved, retrying (offline). A copy is on this computer.")
    ada.page.context.set_offline(False)
    ada.saved()
    assert ada.feedback() == "Written in a tunnel."


def test_a_refused_connection_leaves_the_page_and_its_text(desk: Callable[..., Desk]) -> None:
    ada = desk()
    here = ada.page.url
    with refused(ada.page):
        ada.page.locator("#box-feedback").fill("Written while the server restarts.")
        for keys in (["Control+Enter"], ["Escape", "s", "1"], ["ArrowLeft"]):
            ada.press(*keys)
            expect_to_stay(ada.page, here)
        ada.page.locator(".brand").click()
        expect_to_stay(ada.page, here)
        expect(ada.page.locator("#save-state")).to_contain_text("A copy is on this computer.")
    expect(ada.page.locator("#box-feedback")).to_have_value("Written while the server restarts.")
    ada.press("Control+Enter")
    expect(ada.page.locator("#toast")).to_contain_text("Submitted")
    assert ada.stored()[0]["draft"]["feedback"] == "Written while the server restarts."


def test_a_failing_server_leaves_the_page_and_its_text(desk: Callable[..., Desk]) -> None:
    ada = desk()
    here = ada.page.url
    ada.page.route("**/submit/", lambda route: route.fulfill(status=502, body="Bad gateway"))
    ada.page.locator("#box-feedback").fill("Written behind a proxy.")
    ada.press("Control+Enter")
    expect(ada.page.locator("[data-tell=failed]")).to_be_visible()
    expect(ada.page).to_have_url(here)
    ada.page.unroute("**/submit/")
    ada.press("Control+Enter")
    expect(ada.page.locator("#toast")).to_contain_text("Submitted")
    assert ada.stored()[0]["draft"]["feedback"] == "Written behind a proxy."


def test_a_refused_connection_leaves_a_submitted_item(desk: Callable[..., Desk]) -> None:
    ada = desk()
    here = ada.page.url
    ada.press("ArrowDown", "ArrowDown", "3", "Control+Enter")
    expect(ada.page.locator("#toast")).to_be_visible()
    ada.page.goto(here)
    for button in ("Take back and correct", "Next item"):
        with refused(ada.page):
            ada.page.get_by_role("button", name=button).click()
            expect_to_stay(ada.page, here)
    ada.page.get_by_role("button", name="Take back and correct").click()
    expect(ada.page.locator("#box-feedback")).to_be_editable()
    expect(ada.page).to_have_url(here)


def test_nothing_is_lost_when_the_session_ends_while_one_types(desk: Callable[..., Desk]) -> None:
    ada = desk()
    context = ada.page.context
    context.clear_cookies(name="sessionid")
    ada.page.locator("#box-feedback").fill("Typed after the session ended.")
    expect(ada.page.locator("#save-state")).to_contain_text("you are signed out")
    context.add_cookies([session_cookie(ada.installation, ada.user)])  # signed in again in another tab
    ada.saved()
    assert ada.feedback() == "Typed after the session ended."


def test_the_copy_on_this_computer_comes_back_after_signing_in_here(desk: Callable[..., Desk]) -> None:
    ada = desk()
    context, here = ada.page.context, ada.page.url
    context.clear_cookies(name="sessionid")
    ada.page.locator("#box-feedback").fill("Typed after the session ended.")
    ada.page.locator("#field-checklist [name=question]").first.focus()
    ada.press("Alt+Enter")
    ada.page.keyboard.type("Is it short?")
    expect(ada.page.locator("#save-state")).to_contain_text("you are signed out")
    ada.page.goto("/")
    context.add_cookies([session_cookie(ada.installation, ada.user)])
    ada.page.goto(here)
    expect(ada.page.locator("#box-feedback")).to_have_value("Typed after the session ended.")
    expect(ada.page.locator("#field-checklist [name=question]").nth(1)).to_have_value("Is it short?")
    ada.saved()
    assert ada.feedback() == "Typed after the session ended."


def test_a_session_that_ends_at_submit_leads_through_the_sign_in_and_back(desk: Callable[..., Desk]) -> None:
    ada = desk()
    page, here = ada.page, ada.page.url
    page.context.clear_cookies(name="sessionid")
    page.locator("#box-feedback").fill("Typed after the session ended.")
    ada.press("Control+Enter")
    expect(page.locator("[data-kept-text]")).to_contain_text("What you typed is saved on this computer.")
    expect(page.locator("[name=login]")).to_be_focused()
    page.keyboard.type(ada.user)
    page.locator("[name=password]").fill("long enough for a test")
    page.keyboard.press("Enter")
    expect(page).to_have_url(here)
    expect(page.locator("#box-feedback")).to_have_value("Typed after the session ended.")
    ada.saved()
    assert ada.feedback() == "Typed after the session ended."


def test_the_sign_in_page_claims_nothing_of_a_text_that_is_not_there(
    desk_installation: Installation, browser_page: OpenPage
) -> None:
    page = browser_page(desk_installation)
    page.goto("/accounts/login/?next=/p/moons/work/77/")
    expect(page.locator("[name=login]")).to_be_focused()
    expect(page.locator("[data-kept-text]")).to_be_hidden()


def test_what_was_just_typed_is_saved_before_a_comment_is_answered(desk: Callable[..., Desk]) -> None:
    ada = desk(items=1)
    ada.press("3", "ArrowDown", "ArrowDown", "3", "Control+Enter")
    expect(ada.page.locator("#annotation")).to_have_count(0)
    ada.installation.python(SENT_BACK, slug=ada.slug)
    ada.start()
    ada.page.locator("#box-feedback").fill("One moon too many, I think.")
    ada.page.evaluate("document.querySelector('#threads button[value=fixed]').click()")
    expect(ada.page.locator("#threads .state--ok")).to_contain_text("Fixed")


def test_a_new_token_against_forgery_is_fetched(desk: Callable[..., Desk]) -> None:
    ada = desk()
    ada.page.context.clear_cookies(name="csrftoken")
    ada.page.context.add_cookies(
        [{"name": "csrftoken", "value": "d" * 32, "url": ada.installation.url, "sameSite": "Lax"}]
    )
    ada.page.locator("#box-feedback").fill("With a new token.")
    ada.saved()
    assert ada.feedback() == "With a new token."


def test_leaving_the_page_at_once_saves_the_last_words(desk: Callable[..., Desk]) -> None:
    ada = desk()
    ada.page.locator("#box-feedback").fill("The last words.")
    ada.page.goto("/inbox/")
    ada.page.evaluate("localStorage.clear()")
    wait_for("they are stored", lambda: ada.feedback() == "The last words.")
    ada.page.goto(f"/p/{ada.slug}/work/")
    expect(ada.page.locator("#box-feedback")).to_have_value("The last words.")


def test_two_windows_never_overwrite_each_other(desk: Callable[..., Desk]) -> None:
    ada = desk()
    other = ada.page.context.new_page()
    other.goto(ada.page.url)
    other.locator("#box-feedback").fill("From the other window.")
    expect(other.locator("#save-state")).to_contain_text("Saved")
    ada.page.locator("#box-feedback").fill("From this window.")
    panel = ada.page.locator("#conflict")
    expect(panel).to_be_focused()
    expect(panel).to_contain_text("From this window.")
    expect(panel).to_contain_text("From the other window.")
    expect(ada.page.locator("#save-state")).to_have_text("Not saved: choose one of the two texts.")
    assert ada.feedback() == "From the other window."
    ada.page.click("text=Keep this window's text")
    expect(panel).to_have_count(0)
    expect(ada.page.locator("#box-feedback")).to_have_value("From this window.")
    ada.page.goto(f"/p/{ada.slug}/drafts/")
    expect(ada.page.locator("body")).to_contain_text("From the other window.")


def test_submitting_waits_for_a_save_that_is_under_way(desk: Callable[..., Desk]) -> None:
    ada = desk()
    waiting: list[Route] = []
    ada.page.route("**/save/", lambda route: waiting.append(route))
    ada.page.locator("#box-feedback").fill("First words")
    expect(ada.page.locator("#save-state")).to_have_text("Saving…")
    ada.page.keyboard.type(" and last words.")
    ada.press("Control+Enter")
    waiting[0].continue_()
    expect(ada.page.locator("#toast")).to_contain_text("Submitted")
    assert ada.stored()[0]["draft"]["feedback"] == "First words and last words."


def test_a_double_click_submits_once(desk: Callable[..., Desk]) -> None:
    ada = desk(items=3)
    ada.press("ArrowDown", "ArrowDown", "3")
    ada.page.dblclick("[data-submit]")
    expect(ada.page.locator("#toast")).to_be_visible()
    assert [one["submitted"] for one in ada.stored()] == [True, False]
