"""Own questions in a browser: every type answered by keys alone, conditions at once, and the page that makes them."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import complaints
from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SET_UP = '''
from annotate.project.actions import create_project
from tests.support.people import make_item
definition = """show: [{field: prompt}, {field: a}, {field: b}]
questions:
  - {name: fluency, type: rating, ask: How natural?, scale: {"1": bad, "5": good}}
  - {name: safe, type: choice, options: ["yes", "no"], when: {fluency: at least 2}}
  - {name: better, type: pair, of: [a, b]}
  - {name: order, type: ranking, of: [a, b]}
  - {name: topics, type: choices, options: [news, code], required: false}
  - {name: price, type: number, required: false}
  - {name: why, type: text, start: a, compare: a}
"""
project = create_project(slug="forms", kind="form", reviews=0, definition=definition)
for number in range(2):
    facts = {"prompt": f"Question {number}", "a": "one fish", "b": "two fish"}
    make_item(project, facts=facts, metadata={"model": "m"})
for name, role in (("fay", "annotator"), ("lena", "lead")):
    user = User.objects.get_or_create(username=name)[0]
    Member.objects.create(project=project, user=user, role=role)
'''
ANSWER = """
item = Item.objects.filter(project__slug="forms", state="accepted").get()
result = item.base.draft
"""


@pytest.fixture
def fay(desk_installation: Installation, browser_page: OpenPage) -> Page:
    desk_installation.python(SET_UP)
    page = browser_page(desk_installation, user="fay", locale="en-GB")
    page.goto("/p/forms/work/")
    page.locator("form[action$='/work/next/'] button").click()
    page.wait_for_url("**/work/*/")
    return page


def test_every_question_is_answered_by_keys_and_the_definition_is_changed(
    fay: Page, desk_installation: Installation, browser_page: OpenPage
) -> None:
    safe = fay.locator("#field-safe")
    expect(safe).to_be_hidden()
    fay.keyboard.press("1")  # bad: not safe to ask
    expect(safe).to_be_hidden()
    fay.keyboard.press("ArrowUp")
    fay.keyboard.press("4")
    expect(safe).to_be_visible()
    expect(safe).to_be_focused()
    for key in ("1", "1", "2", "1", "2", "ArrowDown", "Enter"):  # safe; better; both ranks; a topic; on; the price
        fay.keyboard.press(key)
    fay.keyboard.type("2,5")
    fay.keyboard.press("Escape")
    fay.keyboard.press("ArrowDown")
    fay.keyboard.press("Enter")
    fay.keyboard.press("End")
    fay.keyboard.type(" and more")
    expect(fay.locator("#compared-why")).to_contain_text("and more")
    assert complaints(fay) == []
    fay.keyboard.press("Control+Enter")
    expect(fay).to_have_title(re.compile("Item 2 of 2"))
    draft = desk_installation.python(ANSWER)
    assert (draft["fluency"], draft["safe"], draft["topics"]) == (4, "yes", ["code"])
    assert sorted(draft["order"]) == [1, 2]
    assert (draft["price"], draft["why"]) == (2.5, "one fish and more")

    lena = browser_page(desk_installation, user="lena", locale="en-GB")
    lena.goto("/p/forms/questions/")
    text = lena.get_by_label("Questions, as YAML")
    text.fill(
        text.input_value().replace("name: fluency", "name: natural, formerly: fluency").replace("{fluency", "{natural")
    )
    expect(lena.get_by_role("row", name="natural")).to_contain_text("under a new name")
    assert complaints(lena) == []
    lena.get_by_role("button", name="Save as new version").click()
    expect(lena.get_by_text("Everyone now works on version 2")).to_be_visible()
