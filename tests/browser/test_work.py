"""The annotator's page in Chromium: hands on the keyboard, texts to read, a phone, no scripts."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.work_desk import SENT_BACK, Desk
from tests.support.chromium import OpenPage

pytestmark = pytest.mark.browser


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
