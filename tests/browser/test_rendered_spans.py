"""Spans that people mark on rendered Markdown: by keys, by mouse, over hidden text; they are kept as stored text."""

import json
import re
from itertools import count

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import complaints
from tests.support.chromium import OpenPage
from tests.support.installation import Installation

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TEXT = """# On **time**

Open *until* nine: see [the page](http://a.example/opning) &amp; `` a`b ``, $x_1$.

- one
  > 1. two **thr**ee
  >
  >    ```py
  >    def f():
  >        pass
  >    ```

| day | hours |
|---|---|
| 周六 👩‍👧 | 9 \\| 10 |

Last
line
"""
MADE = '''
from annotate.project.actions import create_project
from annotate.work import desk
from tests.support.people import make_item, written
definition = """show: [{field: target}, {field: source}]
questions:
  - {name: errors, type: spans, on: [target, source], labels: [Wrong, Missing], attributes: {severity: [Minor, Major]}}
"""
project = create_project(slug=slug, kind="form", reviews=0, definition=definition)
make_item(project, facts={"target": text, "source": "Plain words."})
user = User.objects.get_or_create(username="sam")[0]
member = Member.objects.create(project=project, user=user, role="annotator")
slot = desk.open_next(member)
written(slot, member, {"errors": spans})
result = f"/p/{slug}/work/{slot.pk}/"
'''
NUMBERS = count()
# What a word, an item of a nested list, a formula and a cell are in the stored text.
MARKED = ["until", "two **thr**ee", "$x_1$", "六 👩‍👧"]


def span(words: str, label: str = "Wrong") -> dict[str, object]:
    start = TEXT.index(words)
    place = {"field": "target", "start": start, "end": start + len(words), "text": words}
    return place | {"label": label, "severity": "Minor"}


@pytest.fixture
def opened(desk_installation: Installation, browser_page: OpenPage) -> Page:
    spans = [span("page](http://a", "Missing"), span("http://a.example/opning")]
    path = desk_installation.python(MADE, slug=f"rendered-{next(NUMBERS)}", text=TEXT, spans=spans)
    page = browser_page(desk_installation, user="sam", locale="en-GB")
    page.goto(str(path))
    return page


def answer(page: Page) -> list[str]:
    spans = json.loads(page.locator("textarea[name=q-errors]").first.input_value())
    assert all(TEXT[part["start"] : part["end"]] == part["text"] for part in spans)
    return [part["text"] for part in spans]


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(
            key.replace("→", "ArrowRight").replace("←", "ArrowLeft").replace("↓", "ArrowDown").replace("↑", "ArrowUp")
        )


def test_rendered_text_is_marked_by_keys_and_kept_as_it_is_stored(opened: Page) -> None:
    page = opened
    rows = page.locator("[data-span-rows] li")
    expect(rows.nth(0)).to_contain_text("covers text that is not shown")
    expect(rows.nth(1)).to_contain_text("not shown in the rendered text")
    expect(page.locator(".turn__rendered a .span-mark")).to_have_text("page")
    press(page, "m → → → m → Enter 1 i")
    press(page, "↓ ↓ Home m → → Enter 1 i")
    press(page, "Escape m Control+Home ↓ End ← ← m → Enter 1 i")
    press(page, "Control+End ↓ Control+Home Escape")
    expect(page.locator(".turn__rendered .span-mark .math")).to_have_count(1)
    assert answer(page) == [MARKED[0], "page](http://a", "http://a.example/opning", MARKED[2], MARKED[1]]
    assert complaints(page) == []


LINE_HEIGHTS = """() => {
  const last = [...document.querySelectorAll(".turn__rendered p")].at(-1);
  return Math.round(last.getBoundingClientRect().height / parseFloat(getComputedStyle(last).lineHeight));
}"""


def test_the_caret_goes_through_a_table_and_code(opened: Page) -> None:
    page, said = opened, opened.locator("[data-spans-said]")
    press(page, "m Control+End Home ↑")
    expect(said).to_have_text("Selected: Last")  # the line above, and no empty one between
    assert page.evaluate(LINE_HEIGHTS) == 2
    press(page, "← ← ←")
    expect(said).to_have_text("Selected: 9")
    press(page, "← Shift+Alt+← Shift+Alt+←")
    expect(said).to_have_text("Selected: 六 ")
    press(page, "Escape Control+Home")
    for words in ("Open", "one", "two", "def", "pass"):
        press(page, "↓")
        expect(said).to_contain_text(words)
    press(page, "End Shift+← Enter 2 a")
    assert answer(page)[-1] == "pass"


def test_the_switch_takes_the_caret_and_the_selection_along_and_is_remembered(opened: Page) -> None:
    page, said = opened, opened.locator("[data-spans-said]")
    rendered, raw = page.locator(".marked.turn__rendered"), page.locator(".marked.turn__raw")
    expect(raw).to_be_hidden()
    press(page, "m → → → m → o")
    expect(raw).to_be_visible()
    expect(raw).to_be_focused()
    expect(rendered).to_be_hidden()
    press(page, "Alt+→")
    expect(said).to_have_text("Selected: until*")
    press(page, "Enter 1 i")
    assert "until*" in answer(page)
    page.reload()
    expect(raw).to_be_visible()
    page.locator("label", has_text="Rendered").first.click()
    expect(page.locator(".turn__rendered em .span-mark")).to_have_text("until")
    page.get_by_role("link", name="not shown in the rendered text").click()
    selected = raw.locator(".span-mark--selected")
    assert "".join(selected.all_inner_texts()) == "http://a.example/opning"
    assert complaints(page) == []


# Left, right and middle of what stands on the rendered text.
BOX = """(words) => {
  const text = SpanQuestion.page.texts.get("target"), at = text.text.indexOf(words);
  const boxes = [...text.range(at, at + words.length).getClientRects()].filter((box) => box.width);
  return [boxes[0].left, boxes.at(-1).right, boxes[0].top + boxes[0].height / 2];
}"""


def drag(page: Page, words: str) -> None:
    left, right, middle = page.evaluate(BOX, words)
    page.mouse.move(left + 1, middle)
    page.mouse.down()
    page.mouse.move(right - 1, middle, steps=4)
    page.mouse.up()


def test_rendered_text_is_marked_by_mouse_and_links_are_not_followed(opened: Page) -> None:
    page, address = opened, opened.url
    page.locator(".turn__rendered a").click(position={"x": 3, "y": 20})
    for words, label in (("周六", "Missing"), ("three", "Wrong"), ("see the", "Wrong"), ("a`b, ", "Wrong")):
        drag(page, words)
        page.locator("label.chip", has_text=label).click()
    expect(page.locator(".turn__rendered td .span-mark")).to_have_text("周六")
    assert answer(page) == ["see [the", "page](http://a", "http://a.example/opning", "a`b ``,", "thr**ee", "周六"]
    assert page.url == address


def test_a_text_that_looks_like_its_source_has_no_switch(
    desk_installation: Installation, browser_page: OpenPage
) -> None:
    path = desk_installation.python(MADE, slug="plain", text="One\ntwo.", spans=[])
    page = browser_page(desk_installation, user="sam", locale="en-GB", width=390, height=844)
    page.goto(str(path))
    expect(page.locator(".marked")).to_have_count(2)
    expect(page.locator("#as-raw")).to_be_hidden()
    expect(page.locator("[data-span-view]")).to_be_hidden()
    page.locator("#field-errors").focus()
    press(page, "o m → m → o Enter")
    expect(page.locator("[data-spans-said]")).to_have_text(re.compile("two"))


COMMENTED = """
item = Slot.objects.get(pk=slot).item
Item.objects.filter(pk=item.pk).update(round=2)
Slot.objects.filter(pk=slot).update(round=2)
by = User.objects.get(username="sam")
Comment.objects.create(item=item, author=by, text="Which page?", field="errors", span=span, round=1)
Comment.objects.bulk_create(Comment(item=item, author=by, text=f"Remark {n}.", round=1) for n in range(20))
"""


def test_a_span_is_marked_as_commented_by_a_comment_on_another_page(
    desk_installation: Installation, opened: Page
) -> None:
    page = opened
    slot = int(page.url.rstrip("/").rpartition("/")[2])
    pin = {name: value for name, value in span("page](http://a", "Missing").items() if name != "severity"}
    desk_installation.python(COMMENTED, slot=slot, span=pin)
    page.reload()
    said = page.locator("[data-span-rows] li").first.get_by_role("link", name="Which page?")
    expect(page.locator(".turn__rendered a .span-mark")).to_have_attribute("data-no", "1*")
    said.click()
    expect(page.locator(":target .comment__text")).to_have_text("Which page?")
    expect(page.locator(".turn__rendered a .span-mark")).to_have_attribute("data-no", "1*")


TWO_PEOPLE = '''
from django.utils import timezone
from annotate.project.actions import create_project
from annotate.work import submit
from tests.support.people import make_item, written
from tests.support.units import taken
definition = """show: [{field: target}]
questions:
  - {name: errors, type: spans, on: [target], labels: [Wrong, Missing], attributes: {severity: [Minor, Major]}}
"""
project = create_project(slug="settled", kind="form", reviews=0, overlap=2, definition=definition)
make_item(project, facts={"target": text})
for name, draft in zip(("ada", "ben"), answers):
    member = Member.objects.create(project=project, user=User.objects.get_or_create(username=name)[0], role="annotator")
    slot = taken(member)
    submit.submit(annotation=written(slot, member, {"errors": draft}), token=slot.token, by=member.user)
Slot.objects.filter(item__project=project, stage="adjudicate").update(opens_at=timezone.now())
Member.objects.create(project=project, user=User.objects.get_or_create(username="zoe")[0], role="reviewer")
'''


def test_two_people_are_compared_on_rendered_text(desk_installation: Installation, browser_page: OpenPage) -> None:
    answers = [[span("thr**ee"), span("hours")], [span("two **thr**ee", "Missing")]]
    desk_installation.python(TWO_PEOPLE, text=TEXT, answers=answers)
    page = browser_page(desk_installation, user="zoe", theme="dark", width=390, height=844)
    page.goto("/p/settled/review/")
    page.locator("main form[action$='/review/next/'] button").click()
    lanes = page.locator(".lanes.turn__rendered")
    expect(lanes.locator("li li strong .lane--2")).to_have_text("thr")
    expect(lanes.locator("th .lane--1")).to_have_text("hours")
    expect(page.locator(".lanes.turn__raw")).to_be_hidden()
    page.locator("#groups-errors-1").focus()
    press(page, "2 1")
    expect(page.locator(".marked.turn__rendered th .span-mark")).to_have_text("hours")
    assert answer(page) == ["two **thr**ee", "hours"]
    assert complaints(page) == []
    page.locator("label", has_text="Raw").first.click()
    page.locator("#groups-errors-1 .span-no").first.click()
    expect(page.locator('.lanes.turn__raw [data-no="1"]')).to_be_in_viewport()
