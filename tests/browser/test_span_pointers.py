"""Spans that are marked with fingers on a phone, whose page is scrolled meanwhile, and with quick double clicks."""

import re
from itertools import count

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import complaints
from tests.browser.test_forms import SPANS
from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NUMBERS = count()
TAPPED = """
item = Item.objects.filter(project__slug="taps", state="accepted").get()
result = item.base.draft["errors"]
"""
MIDDLE = """(at) => {
  const text = SpanQuestion.page.texts.get("target"), [box] = text.range(at, at + 1).getClientRects();
  return [box.left + box.width / 2, box.top + box.height / 2];
}"""


def test_spans_are_marked_by_taps(desk_installation: Installation, browser_page: OpenPage) -> None:
    desk_installation.python(SPANS.replace('slug="spans"', 'slug="taps"'))
    page = browser_page(desk_installation, user="sam", locale="en-GB", width=390, height=844, has_touch=True)
    page.goto("/p/taps/work/")
    page.locator("form[action$='/work/next/'] button").tap()
    page.wait_for_url("**/work/*/")
    said = page.locator("[data-spans-said]")
    until = "Open 👩‍👧 until"
    page.set_viewport_size({"width": 390, "height": 500})  # the panel comes where the word stands
    page.touchscreen.tap(*page.evaluate(MIDDLE, 15))
    expect(said).to_have_text("Selected: until")
    panel = page.locator("[data-span-panel]")
    assert page.evaluate(MIDDLE, 15)[1] < panel.bounding_box()["y"]
    page.get_by_role("button", name="Close").first.tap()
    expect(panel).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 844})
    for place, words in ((15, "until"), (20, "until nine"), (1, f"{until} nine"), (12, until)):
        page.touchscreen.tap(*page.evaluate(MIDDLE, place))
        expect(said).to_have_text(f"Selected: {words}")
    page.get_by_role("button", name="Start one character later").tap()
    expect(said).to_have_text(f"Selected: {until[1:]}")
    page.locator("label.chip", has_text="Missing").tap()
    page.locator("label.chip", has_text="Major").tap()
    assert complaints(page) == []
    page.locator("[data-submit]").tap()
    expect(page).not_to_have_url(re.compile(r"/work/\d+/"))
    span = {"field": "target", "start": 1, "end": 14, "text": until[1:], "label": "Missing", "severity": "Major"}
    assert desk_installation.python(TAPPED) == [span]


def test_escape_on_a_phone_closes_the_panel_with_the_text(
    desk_installation: Installation, browser_page: OpenPage
) -> None:
    desk_installation.python(SPANS.replace('slug="spans"', 'slug="leaves"'))
    page = browser_page(desk_installation, user="sam", locale="en-GB", width=390, height=844)
    page.goto("/p/leaves/work/")
    page.locator("form[action$='/work/next/'] button").click()
    page.wait_for_url("**/work/*/")
    for key in ("m", "m", "ArrowRight", "Enter", "1", "a"):
        page.keyboard.press(key)
    panel = page.locator("[data-span-panel]")
    expect(panel).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(page.locator("#field-errors")).to_be_focused()


# The finger is gone, and the browser has not clicked yet: what comes under the finger now is clicked in place of the
# text. A real tap is too quick for a test to look in between.
LIFTED = """([x, y]) => {
  const finger = { pointerType: "touch", bubbles: true, clientX: x, clientY: y }, at = document.elementFromPoint(x, y);
  for (const name of ["pointerdown", "pointerup"]) at.dispatchEvent(new PointerEvent(name, finger));
  return new Promise((done) => setTimeout(() => setTimeout(done)));
}"""
CLICKED = """([x, y, detail]) => {
  const click = { pointerType: "touch", bubbles: true, cancelable: true, clientX: x, clientY: y, detail };
  document.elementFromPoint(x, y).dispatchEvent(new PointerEvent("click", click));
}"""


@pytest.fixture
def phone(desk_installation: Installation, browser_page: OpenPage) -> Page:
    slug = f"finger-{next(NUMBERS)}"
    desk_installation.python(SPANS.replace('slug="spans"', f'slug="{slug}"'))
    page = browser_page(desk_installation, user="sam", locale="en-GB", width=390, height=844, has_touch=True)
    page.goto(f"/p/{slug}/work/")
    page.locator("form[action$='/work/next/'] button").tap()
    page.wait_for_url("**/work/*/")
    return page


def test_the_panel_waits_for_the_click_of_the_tap(phone: Page) -> None:
    panel, until = phone.locator("[data-span-panel]"), phone.evaluate(MIDDLE, 15)
    phone.evaluate(LIFTED, until)
    expect(panel).to_be_hidden()
    phone.evaluate(CLICKED, [*until, 1])
    expect(panel).to_be_visible()
    expect(phone.locator("[data-spans-said]")).to_have_text("Selected: until")


def test_the_second_half_of_a_double_tap_leaves_the_chosen_span(phone: Page) -> None:
    until, title = phone.evaluate(MIDDLE, 15), phone.locator("[data-span-title]")
    phone.touchscreen.tap(*until)
    phone.locator("label.chip", has_text="Wrong").tap()
    phone.get_by_role("button", name="Close").first.tap()
    for detail in (1, 2):
        phone.evaluate(LIFTED, until)
        phone.evaluate(CLICKED, [*until, detail])
        expect(title).to_have_text("Span 1")
    expect(phone.locator(".span-mark--selected")).to_have_text("until")
    for _letter in "ntil":
        phone.get_by_role("button", name="End one character earlier").tap()
    expect(phone.locator(".span-mark--selected")).to_have_text("u")
    expect(phone.locator("[data-span-about]")).to_have_text("1 character")


def drag(page: Page, y: int, by: int) -> None:
    """A finger that scrolls by so much, less what it has to move before the browser scrolls."""
    session = page.context.new_cdp_session(page)
    moves = [("touchStart", y), *(("touchMove", y - by * part // 10) for part in range(1, 11)), ("touchEnd", None)]
    for name, at in moves:
        points = [] if at is None else [{"x": 200, "y": at}]
        session.send("Input.dispatchTouchEvent", {"type": name, "touchPoints": points})
        page.evaluate("new Promise(requestAnimationFrame)")


def test_a_page_that_a_finger_scrolls_keeps_what_is_selected(phone: Page) -> None:
    """The page would fit without the panel: it is scrolled in what the panel adds to it."""
    panel, heading = phone.locator("[data-span-panel]"), phone.locator(".turn__head").first
    assert phone.evaluate("document.documentElement.scrollHeight - innerHeight") == 0
    phone.touchscreen.tap(*phone.evaluate(MIDDLE, 15))
    expect(panel).to_be_visible()
    box = heading.bounding_box()
    assert box
    drag(phone, int(box["y"] + box["height"] / 2), 120)
    phone.wait_for_function("scrollY > 0")
    phone.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert phone.evaluate("scrollY") > 0
    expect(panel).to_be_visible()
    phone.touchscreen.tap(*phone.evaluate(MIDDLE, 20))
    expect(phone.locator("[data-spans-said]")).to_have_text("Selected: until nine")
    phone.get_by_role("heading", level=1).or_(phone.locator("#fields")).last.tap()
    expect(panel).to_be_hidden()


def test_quick_double_clicks_take_a_word_and_label_it_once(
    desk_installation: Installation, browser_page: OpenPage
) -> None:
    desk_installation.python(SPANS.replace('slug="spans"', 'slug="double"'))
    page = browser_page(desk_installation, user="sam", locale="en-GB")
    page.goto("/p/double/work/")
    page.locator("form[action$='/work/next/'] button").click()
    page.wait_for_url("**/work/*/")
    title, said = page.locator("[data-span-title]"), page.locator("[data-spans-said]")
    page.mouse.dblclick(*page.evaluate(MIDDLE, 13))
    expect(title).to_have_text("New span")
    page.locator("label.chip", has_text="Missing").dblclick()
    expect(said).to_have_text("Span 1: Missing.")
    expect(title).to_have_text("Span 1")
    page.locator("label.chip", has_text="Minor").click()
    expect(page.locator("[data-span-about]")).to_have_text("5 characters")
    page.mouse.dblclick(*page.evaluate(MIDDLE, 13))  # on a span: the word again, for another one
    expect(title).to_have_text("New span")
    page.locator("label.chip", has_text="Wrong").click()
    page.locator("label.chip", has_text="Minor").click()
    page.keyboard.press("Control+Enter")
    expect(page).not_to_have_url(re.compile(r"/work/\d+/"))
    labels = [span["label"] for span in desk_installation.python(TAPPED.replace('"taps"', '"double"'))]
    assert sorted(labels) == ["Missing", "Wrong"]
