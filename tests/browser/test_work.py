"""The annotator's page in Chromium: hands on the keyboard, a bad connection, two windows, no scripts."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.faults.workers import wait_for
from tests.support.chromium import OpenPage, session_cookie
from tests.support.connections import expect_to_stay, refused
from tests.support.installation import Installation

pytestmark = pytest.mark.browser
_numbers = count(1)

PROJECT = """
from tests.support.people import DRAFT, FACTS, make_item
project = Project.objects.create(slug=slug, name="Moons", kind_slug="feedback")
Guideline.objects.create(project=project, version=1, text="Be **exact**.")
person = User.objects.filter(username=user).first() or User.objects.create_user(user, password="long enough for a test")
Member.objects.create(project=project, user=person, role="annotator")
for number in range(items):
    made = facts | {"user_query": f"Question {number}: {facts.get('user_query', FACTS['user_query'])}"}
    make_item(project, key=f"{slug}-{number}", facts=FACTS | made, suggestion=DRAFT | draft)
"""
STORED = """
found = Annotation.objects.filter(slot__project__slug=slug, author__isnull=False).order_by("id")
result = [{"draft": one.draft, "submitted": one.submitted_at is not None, "decided": one.decided} for one in found]
"""


SENT_BACK = """
from annotate.review import claim, decisions
from annotate.review.decisions import Reason
from django.utils import timezone
project = Project.objects.get(slug=slug)
person = User.objects.create_user(slug + "-reviewer")
reviewer = Member.objects.create(project=project, user=person, role="reviewer")
Slot.objects.filter(project=project, stage="review").update(opens_at=timezone.now())
slot = claim.take_next(reviewer)
review = Annotation.objects.select_related("slot").get(slot=slot)
reasons = [Reason("feedback", "Too harsh.")]
decisions.send_back(review=review, token=slot.token, by=person, reasons=reasons)
"""


@dataclass
class Desk:
    """One annotator in a project of their own."""

    installation: Installation
    page: Page
    slug: str
    user: str

    def start(self) -> None:
        self.page.goto(f"/p/{self.slug}/work/")
        self.page.click("#ready button")
        expect(self.page.locator("#annotation")).to_be_visible()
        self.page.wait_for_load_state()

    def stored(self) -> list[dict[str, Any]]:
        return self.installation.python(STORED, slug=self.slug)

    def feedback(self) -> str:
        return str(self.stored()[-1]["draft"]["feedback"])

    def focused(self) -> str:
        return str(self.page.evaluate("document.activeElement.id"))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def saved(self) -> None:
        expect(self.page.locator("#save-state")).to_contain_text("Saved")


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


def test_an_item_is_done_without_the_mouse(desk: Callable[..., Desk]) -> None:
    ada = desk()
    assert ada.focused() == "field-suitable"
    ada.press("1")
    assert ada.focused() == "field-task_type"
    ada.press("k")
    expect(ada.page.locator("#field-task_type")).to_contain_text("Suggestion accepted")
    assert ada.focused() == "field-error_type"
    ada.press("3", "ArrowDown", "Enter", "End")
    ada.page.keyboard.type(" Recount.")
    ada.press("Escape")
    assert ada.focused() == "field-feedback"
    ada.press("Control+Enter")
    expect(ada.page).to_have_title("Item 2 of 2 · Moons · Touchstone")
    expect(ada.page.locator("#announcement")).to_have_text("Item 2 of 2")
    assert ada.focused() == "field-suitable"
    first = ada.stored()[0]
    assert first["submitted"]
    assert first["draft"]["suitable"] is True
    assert first["draft"]["feedback"].endswith(" Recount.")
    assert first["draft"]["error_type"] == ["Factual Error", "Incomplete Answer"]  # what was chosen first stays first


def test_an_item_of_which_all_is_kept_takes_three_keys(desk: Callable[..., Desk]) -> None:
    ada = desk()
    ada.press("1", "Shift+K")
    expect(ada.page.locator("#field-checklist")).to_contain_text("Suggestion accepted")
    expect(ada.page.locator("#keep-rest button")).to_have_count(0)
    ada.press("Control+Enter")
    expect(ada.page).to_have_title("Item 2 of 2 · Moons · Touchstone")
    expected = ["checklist", "error_type", "feedback", "feedback_type", "sub_task_type", "task_type"]
    assert ada.stored()[0]["decided"] == expected


def test_a_submission_lists_what_is_not_confirmed(desk: Callable[..., Desk]) -> None:
    ada = desk()
    expect(ada.page.locator("#to-fix")).to_contain_text("6 not confirmed")
    ada.press("1", "k")
    expect(ada.page.locator("#to-fix")).to_contain_text("4 not confirmed")
    ada.press("Control+Enter")
    expect(ada.page.locator("#unconfirmed a")).to_have_text(
        ["Deficiency types", "Feedback", "Feedback types", "Checklist"]
    )
    ada.page.locator("#unconfirmed a").nth(1).click()
    expect(ada.page.locator("#field-feedback")).to_be_in_viewport()


def test_the_conversation_shows_the_feedback_as_it_is_written(desk: Callable[..., Desk]) -> None:
    ada = desk()
    expect(ada.page.locator("#turn-3")).to_contain_text("That is one moon too many.")
    ada.page.locator("#box-feedback").fill("Count the moons **again**.")
    expect(ada.page.locator("#turn-3 strong")).to_have_text("again")


def test_a_returned_item_shows_each_comment_at_its_field(desk: Callable[..., Desk]) -> None:
    ada = desk(items=1)
    ada.press("3", "ArrowDown", "ArrowDown", "3", "Control+Enter")
    expect(ada.page.locator("#annotation")).to_have_count(0)
    ada.installation.python(SENT_BACK, slug=ada.slug)
    ada.start()
    said = ada.page.locator("#field-feedback [data-said]")
    expect(said).to_contain_text("Too harsh.")
    said.get_by_role("link", name="I disagree").click()
    expect(ada.page.locator("#threads textarea").first).to_be_focused()
    ada.page.locator("#box-feedback").fill("One moon too many, I think.")
    said.get_by_role("button", name="Fixed").click()
    expect(said).to_contain_text("Answered")
    expect(said.get_by_role("button")).to_be_hidden()
    expect(ada.page.locator("#threads .state--ok")).to_contain_text("Fixed")


def test_ctrl_z_takes_a_submission_back(desk: Callable[..., Desk]) -> None:
    ada = desk()
    here = ada.page.url
    ada.press("3", "ArrowDown", "ArrowDown", "3", "Control+Enter")
    expect(ada.page.locator("#toast")).to_contain_text("Submitted")
    ada.press("Control+z")
    expect(ada.page).to_have_url(here)
    assert not ada.stored()[0]["submitted"]


def test_typing_is_never_a_command(desk: Callable[..., Desk]) -> None:
    ada = desk()
    ada.page.locator("#box-feedback").fill("")
    ada.page.keyboard.type("skip 123? dark")
    assert ada.page.locator("details[data-skip]").get_attribute("open") is None
    assert not ada.page.locator("#keys").is_visible()
    ada.saved()
    assert ada.feedback() == "skip 123? dark"


def test_keys_of_an_input_method_are_left_alone(desk: Callable[..., Desk]) -> None:
    ada = desk()
    compose = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 's', isComposing: true, bubbles: true}))"
    ada.page.evaluate(compose)
    assert ada.page.locator("details[data-skip]").get_attribute("open") is None
    ada.page.evaluate(compose.replace("isComposing: true", "isComposing: false"))
    assert ada.page.locator("details[data-skip]").get_attribute("open") is not None


# What stands in the form, without the score of answers, which comes after the page.
WRITTEN = """() => [...document.querySelectorAll('#fields :is(input, textarea, select)')]
  .filter(field => !field.name.startsWith('live_'))
  .map(field => `${field.name}=${['checkbox', 'radio'].includes(field.type) ? field.checked : field.value}`)"""


def test_delete_and_backspace_destroy_nothing(desk: Callable[..., Desk]) -> None:
    ada = desk()
    before = ada.page.evaluate(WRITTEN)
    ada.press("ArrowDown", "Backspace", "Delete", "ArrowDown", "Backspace")
    assert ada.page.evaluate(WRITTEN) == before
    assert any("=" in field and not field.endswith("=") for field in before)
    questions = ada.page.locator("#field-checklist [name=question]")
    count = questions.count()
    questions.first.focus()
    ada.press("Alt+Backspace")  # a word, on some machines; never the row
    expect(questions).to_have_count(count)


def test_a_skip_needs_one_key_and_one_reason(desk: Callable[..., Desk]) -> None:
    ada = desk()
    ada.press("s", "2")
    expect(ada.page.locator("#toast")).to_contain_text("Skipped")
    assert ada.installation.python(
        "result = list(Skip.objects.filter(item__project__slug=slug).values_list('reason'))", slug=ada.slug
    ) == [["wrong_language"]]


def test_own_keys_are_used(desk: Callable[..., Desk]) -> None:
    ada = desk()
    ada.installation.python("User.objects.filter(username=user).update(keys={'skip': 'x'})", user=ada.user)
    ada.page.reload()
    ada.press("s")
    assert ada.page.locator("details[data-skip]").get_attribute("open") is None
    ada.press("x")
    assert ada.page.locator("details[data-skip]").get_attribute("open") is not None
    expect(ada.page.locator("details[data-skip] summary")).to_contain_text("X")


def test_saving_refreshes_origin_difference_and_doubts(desk: Callable[..., Desk]) -> None:
    ada = desk()
    ada.page.locator("#box-feedback").fill("That is one moon too many. Recount.")
    ada.page.locator("#field-feedback [data-view=c]").check(force=True)
    expect(ada.page.locator("#difference-feedback ins")).to_have_text(" Recount.")
    expect(ada.page.locator("#origin-feedback")).to_contain_text("Edited")
    ada.page.locator("#field-checklist [name=weight]").first.fill("0.3")
    expect(ada.page.locator("[data-sum-figure]")).to_have_text("0.70")
    expect(ada.page.locator("#doubts")).to_contain_text("The weights add up to 0.7, not to 1.")


def test_the_checklist_is_edited_by_keys_and_a_removed_question_comes_back(desk: Callable[..., Desk]) -> None:
    ada = desk()
    questions = ada.page.locator("#field-checklist [name=question]")
    questions.nth(1).focus()
    ada.press("Alt+ArrowUp")
    expect(questions.nth(0)).to_have_value("Does it name Phobos and Deimos?")
    ada.press("Alt+Enter")
    ada.page.keyboard.type("Is it short?")
    expect(questions).to_have_count(3)
    expect(questions.nth(1)).to_have_value("Is it short?")
    ada.press("Alt+x")
    expect(questions).to_have_count(2)
    ada.page.click("[data-rows-do=undo]")
    expect(questions.nth(1)).to_have_value("Is it short?")
    ada.page.click("button[value=distribute]")
    expect(ada.page.locator("#field-checklist [name=weight]").first).to_have_value("0.34")
    ada.saved()
    assert ada.stored()[0]["draft"]["checklist"] == [
        ["Does it name Phobos and Deimos?", 0.34],
        ["Is it short?", 0.33],
        ["Does it say that Mars has two moons?", 0.33],
    ]


def test_an_untouched_draft_is_asked_about(desk: Callable[..., Desk]) -> None:
    ada = desk()
    here = ada.page.url
    ada.press("Control+Enter")
    expect(ada.page.get_by_role("link", name="Check again")).to_be_focused()
    expect(ada.page).to_have_url(here)
    ada.press("Enter")
    expect(ada.page.locator("#ask")).to_have_count(0)
    ada.page.wait_for_load_state()
    assert not ada.stored()[0]["submitted"]
    ada.press("Control+Enter")
    expect(ada.page.get_by_role("link", name="Check again")).to_be_focused()
    ada.press("Control+Enter")
    expect(ada.page.locator("#toast")).to_be_visible()


def test_a_refused_submission_stays_at_the_address_of_its_item(desk: Callable[..., Desk]) -> None:
    ada = desk()
    here = ada.page.url
    ada.page.locator("#box-feedback").fill("")
    ada.press("Control+Enter")
    expect(ada.page.locator("#refused")).to_be_focused()
    expect(ada.page).to_have_url(here)
    ada.page.locator("#box-feedback").fill("Written after all.")
    ada.press("Control+Enter")
    expect(ada.page.locator("#toast")).to_contain_text("Submitted")
    assert ada.stored()[0]["draft"]["feedback"] == "Written after all."


def test_a_refused_submission_puts_the_focus_on_the_reasons_and_leads_to_the_field(desk: Callable[..., Desk]) -> None:
    ada = desk()
    ada.page.locator("#box-feedback").fill("")
    ada.press("Control+Enter")
    expect(ada.page.locator("#refused")).to_be_focused()
    ada.page.click("#refused a")
    expect(ada.page.locator("#field-feedback")).to_be_in_viewport()


def test_calling_it_unsuitable_asks_nothing_else(desk: Callable[..., Desk]) -> None:
    ada = desk(draft={"feedback": "", "checklist": []})
    ada.press("2")
    expect(ada.page.locator("#field-feedback")).to_be_hidden()
    ada.press("Control+Enter")
    expect(ada.page.locator("#toast")).to_be_visible()


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


def test_asking_closes_its_form_and_leads_back_to_the_field(desk: Callable[..., Desk]) -> None:
    ada = desk()
    ada.press("ArrowDown", "q")
    expect(ada.page.locator("#ask-text")).to_be_focused()
    ada.page.keyboard.type("May a task change?")
    ada.press("Control+Enter")
    expect(ada.page.locator("#question")).to_be_hidden()
    expect(ada.page.locator("#messages")).to_contain_text("Sent to your lead.")
    expect(ada.page.locator("#field-task_type")).to_be_focused()


def test_c_writes_a_comment_where_there_are_some_and_stands_in_the_list_of_keys(desk: Callable[..., Desk]) -> None:
    ada = desk()
    ada.press("c", "?")
    expect(ada.page.locator("#keys")).to_contain_text("Write a comment")
    ada.press("Escape")
    here = ada.page.url
    ada.press("ArrowDown", "ArrowDown", "3", "Control+Enter")
    expect(ada.page.locator("#toast")).to_be_visible()
    ada.page.goto(here)
    ada.page.wait_for_load_state()
    ada.press("c")
    expect(ada.page.locator("#comment-text")).to_be_focused()


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


def test_the_back_button_of_the_browser_shows_what_is_true_now(desk: Callable[..., Desk]) -> None:
    ada = desk()
    ada.press("ArrowDown", "ArrowDown", "3", "Control+Enter")
    expect(ada.page.locator("#toast")).to_be_visible()
    ada.page.go_back()
    expect(ada.page.locator("text=Take back and correct")).to_be_visible()
    expect(ada.page.locator("#box-feedback")).not_to_be_editable()


def test_the_next_item_comes_with_the_answer(desk: Callable[..., Desk]) -> None:
    ada = desk(items=4)
    places, pages = [ada.page.url], []
    ada.page.on("request", lambda request: pages.append(request.url) if request.resource_type == "document" else None)
    for number in (2, 3):
        ada.press("ArrowDown", "ArrowDown", "3", "Control+Enter")
        expect(ada.page).to_have_title(f"Item {number} of 4 · Moons · Touchstone")
        expect(ada.page.locator("#announcement")).to_have_text(f"Item {number} of 4")
        places.append(ada.page.url)
    assert pages == []
    assert len({place.partition("?")[0] for place in places}) == 3
    ada.page.go_back()
    expect(ada.page.locator("text=Take back and correct")).to_be_visible()
    expect(ada.page).to_have_url(re.compile(re.escape(places[1].partition("?")[0])))
    ada.page.go_forward()
    expect(ada.page).to_have_title("Item 3 of 4 · Moons · Touchstone")
    ada.page.locator("#box-feedback").fill("Written after going there and back.")
    ada.saved()
    assert ada.stored()[2]["draft"]["feedback"] == "Written after going there and back."


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


def test_everything_works_without_scripts(desk: Callable[..., Desk]) -> None:
    ada = desk(java_script_enabled=False)
    page = ada.page
    page.click("button[value=add-row]")
    page.locator("#field-checklist [name=question]").nth(2).fill("Is it short?")
    page.click("button[value=distribute]")
    page.locator("#field-feedback [name=feedback]").fill("Without scripts.")
    page.click("[data-submit]")
    expect(page.locator("#toast")).to_contain_text("Submitted")
    draft = ada.stored()[0]["draft"]
    assert (draft["feedback"], len(draft["checklist"])) == ("Without scripts.", 3)
    page.click("#toast button")
    expect(page.locator("#field-feedback [name=feedback]")).to_have_value("Without scripts.")


def test_the_page_is_light_and_complains_about_nothing(
    desk: Callable[..., Desk], complaints: Callable[[Page], list[str]], browser_page: OpenPage
) -> None:
    ada = desk()
    here = ada.page.url
    page = browser_page(ada.installation, user=ada.user)
    heard, sizes = complaints(page), []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    page.goto(here, wait_until="networkidle")
    assert heard == []
    assert len(sizes) <= 20
    assert sum(sizes) <= 100_000


def test_formulas_are_typeset_only_where_there_are_some(desk: Callable[..., Desk]) -> None:
    with_formula = desk(facts={"user_query": "What is $\\sqrt{2}$?"})
    expect(with_formula.page.locator(".katex").first).to_be_visible()
    without = desk()
    assert without.page.locator("script[src*=katex]").count() == 0


def test_long_answers_are_folded_until_asked_for(desk: Callable[..., Desk]) -> None:
    ada = desk(facts={"origin_first_response": "\n\n".join(f"Line {number}" for number in range(60))})
    last = ada.page.get_by_text("Line 59", exact=True)
    expect(last).not_to_be_in_viewport()
    ada.page.click("#turn-2 .turn__more")
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()


def test_raw_and_rendered_are_one_switch(desk: Callable[..., Desk]) -> None:
    ada = desk(facts={"user_query": "**Bold** words"})
    expect(ada.page.locator("#turn-1 strong").last).to_have_text("Bold")
    ada.page.locator("#as-raw").check(force=True)
    expect(ada.page.locator("#turn-1 .turn__raw")).to_contain_text("**Bold** words")
    expect(ada.page.locator("#turn-1 .turn__rendered")).to_be_hidden()


def test_guidelines_stay_as_they_were_left(desk: Callable[..., Desk]) -> None:
    ada = desk()
    guidelines = ada.page.locator("#guidelines")
    assert guidelines.get_attribute("open") is not None
    ada.page.click("#guidelines summary")
    expect(guidelines).not_to_have_attribute("open", "")  # else it is left before the page has heard of it
    ada.page.reload()
    expect(guidelines).not_to_have_attribute("open", "")


def test_a_formula_wider_than_a_phone_scrolls_by_itself(desk: Callable[..., Desk]) -> None:
    wide = "$$125 \\times 88 = 125 \\times 8 \\times 11 = 1000 \\times 11 = 11000 = 88 \\times 125 = 11 \\times 1000$$"
    ada = desk(facts={"origin_first_response": wide}, width=390)
    formula = ada.page.locator(".katex-display")
    expect(formula).to_be_visible()
    expect(ada.page.locator("[data-math=block]")).to_have_attribute("tabindex", "0")
    assert ada.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_phone_the_guidelines_follow_the_form(desk: Callable[..., Desk]) -> None:
    ada = desk(width=390)
    tops = ada.page.evaluate("['annotation', 'guidelines'].map(id => document.getElementById(id).offsetTop)")
    assert tops[0] < tops[1]
    ada.page.set_viewport_size({"width": 1440, "height": 900})
    expect(ada.page.locator("main #guidelines")).to_be_visible()
