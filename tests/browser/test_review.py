"""A reviewer at the desk, in Chromium: with keys, in two windows, and without a script."""

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, Route, expect

from tests.support.chromium import OpenPage
from tests.support.connections import expect_to_stay, refused
from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = [pytest.mark.browser, pytest.mark.slow]

BEGIN = """
from tests.support.reviews import make_case
Project.objects.all().delete()
User.objects.all().delete()
case = make_case()
for key in keys:
    case.written(case.item(key))
result = case.open_slot(Item.objects.get(key=keys[0]), "review").pk
"""
DECIDED = """
item = Item.objects.get(key=key)
last = Annotation.objects.filter(item=item, slot__stage="review").order_by("-id").first()
result = {
    "state": item.state,
    "round": item.round,
    "reason": item.drop_reason,
    "feedback": last and last.draft["feedback"],
    "comments": list(item.comments.values_list("field", "text")),
}
"""
SAVED = re.compile(r"Saved \d\d:\d\d")


@pytest.fixture(scope="module")
def served(installations: Installations) -> Iterator[Installation]:
    with installations.serving("sqlite") as installation:
        yield installation


@pytest.fixture
def installation(served: Installation) -> Installation:
    """Two reviews wait in it, and nothing else."""
    served.python(BEGIN, keys=["k-1", "k-2"])
    return served


@pytest.fixture
def desk(installation: Installation, browser_page: OpenPage) -> Page:
    """The desk of the first review, taken up from the list."""
    page = browser_page(installation, user="reviewer")
    take_up(page)
    return page


def take_up(page: Page) -> None:
    page.goto("/p/fb/review/")
    page.get_by_role("link", name="k-1").click()
    page.get_by_role("button", name="Review this item").click()
    expect(page.locator("#annotation")).to_be_attached()


def decided(installation: Installation, key: str = "k-1") -> dict[str, object]:
    return installation.python(DECIDED, key=key)


def test_a_accepts_and_goes_on_to_the_next(desk: Page, installation: Installation) -> None:
    desk.keyboard.press("a")
    expect(desk.get_by_role("heading", level=1)).to_have_text("k-2")
    assert decided(installation)["state"] == "accepted"


def test_ctrl_z_takes_a_decision_back(desk: Page, installation: Installation) -> None:
    desk.keyboard.press("a")
    expect(desk.get_by_role("heading", level=1)).to_have_text("k-2")
    expect(desk.locator("#toast")).to_contain_text("k-1 accepted.")
    desk.keyboard.press("Control+z")
    expect(desk.get_by_role("heading", level=1)).to_have_text("k-1")
    assert decided(installation)["state"] == "reviewing"
    desk.keyboard.press("a")
    expect(desk.get_by_role("heading", level=1)).to_have_text("k-2")
    assert decided(installation)["state"] == "accepted"


def test_after_the_last_one_ctrl_z_works_on_the_list_too(desk: Page, installation: Installation) -> None:
    desk.keyboard.press("a")
    expect(desk.get_by_role("heading", level=1)).to_have_text("k-2")
    desk.keyboard.press("r")
    desk.get_by_role("dialog").locator("textarea").fill("One more question.")
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_role("heading", level=1)).to_have_text("Review")
    desk.keyboard.press("Control+z")
    expect(desk.get_by_role("dialog").locator("textarea")).to_have_value("One more question.")
    assert decided(installation, "k-2") | {"comments": []} == decided(installation, "k-2")
    assert decided(installation, "k-2")["state"] == "reviewing"


def test_a_review_is_skipped_with_two_keys_and_comes_back_with_one(desk: Page, installation: Installation) -> None:
    desk.locator("#point-feedback").focus()
    desk.keyboard.press("s")
    desk.keyboard.press("1")
    expect(desk.get_by_role("heading", level=1)).to_have_text("k-2")
    expect(desk.locator("#toast")).to_contain_text("Skipped")
    desk.keyboard.press("Control+z")
    expect(desk.get_by_role("heading", level=1)).to_have_text("k-1")
    assert decided(installation)["state"] == "reviewing"


def test_a_fix_saves_itself_shows_its_difference_and_is_accepted(desk: Page, installation: Installation) -> None:
    desk.locator("#point-feedback").focus()
    desk.keyboard.press("e")
    box = desk.locator("#box-feedback")
    expect(box).to_be_focused()
    box.fill("Both weigh a kilogram.")
    expect(desk.locator("#save-state")).to_have_text(SAVED)
    point = desk.locator("#point-feedback")
    expect(point).to_contain_text("Fixed by the reviewer")
    expect(point.locator("ins").first).to_be_visible()
    expect(desk.get_by_role("button", name="Accept", exact=False).first).to_contain_text("not while you have edits")
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_role("heading", level=1)).to_have_text("k-2")
    assert decided(installation) | {"comments": []} == {
        "state": "accepted",
        "round": 1,
        "reason": "",
        "feedback": "Both weigh a kilogram.",
        "comments": [],
    }


def test_a_fix_is_accepted_while_it_is_still_being_saved(desk: Page, installation: Installation) -> None:
    """The answer of the save renews the buttons, also the one that was pressed."""
    held: list[Route] = []
    desk.route("**/save/", lambda route: held.append(route), times=1)
    desk.locator("#point-feedback").focus()
    desk.keyboard.press("e")
    with desk.expect_request("**/save/"):
        desk.locator("#box-feedback").fill("Both weigh a kilogram.")
    desk.keyboard.press("Control+Enter")
    expect(desk.locator("body")).to_have_attribute("data-busy", "true")
    held[0].continue_()
    expect(desk.get_by_role("heading", level=1)).to_have_text("k-2")
    assert decided(installation)["feedback"] == "Both weigh a kilogram."
    assert decided(installation)["state"] == "accepted"


def test_a_fix_is_taken_back_with_one_click(desk: Page) -> None:
    desk.keyboard.press("e")
    desk.locator("#box-feedback").fill("Mine.")
    expect(desk.locator("#point-feedback")).to_contain_text("Fixed by the reviewer")
    desk.get_by_role("button", name="Undo fix").click()
    expect(desk.locator("#point-feedback")).not_to_contain_text("Fixed by the reviewer")
    expect(desk.locator("#box-feedback")).to_have_value(re.compile("^That is not right"))


def test_letters_in_a_text_decide_nothing(desk: Page, installation: Installation) -> None:
    desk.keyboard.press("e")
    desk.locator("#box-feedback").fill("")
    desk.keyboard.type("ardec")
    expect(desk.locator("#save-state")).to_have_text(SAVED)
    expect(desk.locator("#box-feedback")).to_have_value("ardec")
    assert decided(installation)["state"] == "reviewing"


def test_r_opens_the_reasons_and_sends_back_only_then(desk: Page, installation: Installation) -> None:
    dialog = desk.get_by_role("dialog")
    desk.locator("#point-feedback").focus()
    desk.keyboard.press("r")  # about the point that has the focus
    expect(dialog.get_by_label("About")).to_have_value("feedback")
    dialog.get_by_label("About").select_option("")
    desk.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    desk.keyboard.press("r")
    expect(dialog).to_be_visible()
    assert beside(desk.locator("#point-feedback"), dialog)
    dialog.locator("textarea").fill("Not yet.")
    desk.locator("#point-feedback").click()  # the text can be read, scrolled and selected meanwhile
    desk.keyboard.press("a")
    expect(dialog).to_contain_text("Finish this decision, or cancel it first.")
    dialog.locator("textarea").fill("")
    assert decided(installation)["state"] == "reviewing"
    desk.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    desk.locator("#point-feedback").get_by_role("button", name="Request change").click()
    expect(dialog.get_by_label("About")).to_have_value("feedback")
    desk.keyboard.type("Too harsh.")
    dialog.get_by_role("button", name="Add another reason").click()
    dialog.get_by_label("About").nth(1).select_option("checklist")
    dialog.get_by_label("What should change").nth(1).fill("Weigh the first more.")
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_role("heading", level=1)).to_have_text("k-2")
    found = decided(installation)
    assert (found["state"], found["round"]) == ("ready", 2)
    assert found["comments"] == [["feedback", "Too harsh."], ["checklist", "Weigh the first more."]]


def beside(text: Locator, panel: Locator) -> bool:
    left, right = text.bounding_box(), panel.bounding_box()
    return bool(left and right) and left["x"] + left["width"] <= right["x"]


def test_d_asks_for_a_reason_before_anything_is_dropped(desk: Page, installation: Installation) -> None:
    desk.keyboard.press("d")
    desk.get_by_role("dialog").get_by_role("button", name="Drop").click()
    expect(desk.get_by_role("dialog")).to_contain_text("Choose a reason")
    assert decided(installation)["state"] == "reviewing"
    desk.get_by_role("dialog").get_by_label("Duplicate").check()
    desk.get_by_role("dialog").get_by_role("button", name="Drop").click()
    expect(desk.get_by_role("heading", level=1)).to_have_text("k-2")
    assert decided(installation)["reason"] == "duplicate"


def test_a_refused_connection_leaves_the_desk_and_its_words(desk: Page, installation: Installation) -> None:
    here = desk.url
    with refused(desk):
        for keys in (["a"], ["s", "1"]):
            for key in keys:
                desk.keyboard.press(key)
            expect_to_stay(desk, here)
        desk.keyboard.press("r")
        desk.keyboard.press("Tab")
        desk.get_by_role("dialog").locator("textarea").fill("Too harsh.")
        desk.keyboard.press("Control+Enter")
        expect(desk.get_by_role("dialog").locator("[data-tell=offline]")).to_be_visible()
        expect_to_stay(desk, here)
    expect(desk.get_by_role("dialog").locator("textarea")).to_have_value("Too harsh.")
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_role("heading", level=1)).to_have_text("k-2")
    assert decided(installation)["comments"] == [["", "Too harsh."]]


def test_a_refused_connection_leaves_a_review_that_nobody_has_taken_up(
    installation: Installation, browser_page: OpenPage
) -> None:
    page = browser_page(installation, user="reviewer")
    page.goto("/p/fb/review/")
    page.get_by_role("link", name="k-1").click()
    page.locator("#decisions [data-take]").wait_for()
    page.wait_for_load_state()
    here = page.url
    with refused(page):
        page.keyboard.press("Enter")
        expect_to_stay(page, here)
        page.get_by_role("link", name="k-2").click()
        expect_to_stay(page, here)
    page.get_by_role("button", name="Review this item").click()
    expect(page.locator("#annotation")).to_be_attached()


def test_comments_are_written_without_leaving_the_page(desk: Page) -> None:
    desk.keyboard.press("e")
    desk.locator("#box-feedback").fill("Half a sentence")
    desk.keyboard.press("Escape")
    desk.keyboard.press("c")
    desk.get_by_role("textbox", name="Comment").fill("Is this a trick question?")
    desk.get_by_role("button", name="Add comment").click()
    expect(desk.locator("#threads")).to_contain_text("Is this a trick question?")
    desk.locator("#threads summary", has_text="Answer").click()
    desk.get_by_role("button", name="I disagree").click()
    expect(desk.locator("#threads")).to_contain_text("Say why you disagree.")
    desk.get_by_role("button", name="Resolve").click()
    expect(desk.locator("#threads")).to_contain_text("Resolved")
    expect(desk.locator("#box-feedback")).to_have_value("Half a sentence")


def test_two_windows_keep_both_texts(desk: Page) -> None:
    other = desk.context.new_page()
    other.goto(desk.url)
    for window, text in ((other, "The first window."), (desk, "The second window.")):
        window.keyboard.press("e")
        window.locator("#box-feedback").fill(text)
        if window is other:
            expect(other.locator("#save-state")).to_have_text(SAVED)
    conflict = desk.locator("#conflict")
    expect(conflict).to_contain_text("The first window.")
    expect(conflict).to_contain_text("The second window.")
    conflict.get_by_role("button", name="Keep this window's text").click()
    expect(desk.locator("#box-feedback")).to_have_value("The second window.")


def test_an_item_that_was_dropped_meanwhile_shows_both_texts(desk: Page, installation: Installation) -> None:
    desk.keyboard.press("e")
    desk.locator("#box-feedback").fill("My own words.")
    expect(desk.locator("#save-state")).to_have_text(SAVED)
    installation.python(
        "from annotate.items import actions\n"
        "actions.drop(Item.objects.get(key='k-1'), by=User.objects.get(username='lead'), reason='withdrawn')"
    )
    desk.keyboard.press("Control+Enter")
    expect(desk.locator("#lost")).to_contain_text("This item was dropped in the meantime.")
    expect(desk.locator("#conflict")).to_contain_text("My own words.")
    expect(desk.locator("#conflict")).to_contain_text("That is not right.")


def test_everything_works_without_a_script(installation: Installation, browser_page: OpenPage) -> None:
    page = browser_page(installation, user="reviewer", java_script_enabled=False)
    take_up(page)
    page.locator("#fix summary").first.click()
    page.locator("#box-feedback").fill("Mine, without a script.")
    page.locator("#decisions").get_by_role("button", name="Return").click()
    page.get_by_role("textbox", name="What should change").fill("Look at my text.")
    page.locator("#return").get_by_role("button", name="Return").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("k-2")
    found = decided(installation)
    assert (found["state"], found["round"], found["feedback"]) == ("ready", 2, "Mine, without a script.")
    assert found["comments"] == [["", "Look at my text."]]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_stands_in_the_way(installation: Installation, browser_page: OpenPage, theme: str, width: int) -> None:
    page = browser_page(installation, user="reviewer", theme=theme, width=width)
    page.goto("/p/fb/review/")
    assert faults(page) == []
    take_up(page)
    page.keyboard.press("e")
    page.locator("#box-feedback").fill("Both weigh a kilogram.")
    expect(page.locator("#point-feedback")).to_contain_text("Fixed by the reviewer")
    assert faults(page) == []
    page.locator("#decisions").get_by_role("button", name="Drop").click()
    assert faults(page) == []
    page.keyboard.press("Escape")
    page.goto(page.get_by_role("link", name="All texts").get_attribute("href") or "")
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def faults(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found]
